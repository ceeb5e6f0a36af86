import { APICallError } from '@ai-sdk/provider'
import { expect, test } from 'vitest'
import { failureOf, type ModelAccess } from './model-failure.ts'

const asked: ModelAccess = {
  id: 'openai/m',
  apiKey: 'sk-very-secret',
  keyVariable: 'OPENAI_API_KEY',
  urlVariable: 'OPENAI_BASE_URL',
}

const refused = (statusCode: number, more: Partial<ConstructorParameters<typeof APICallError>[0]> = {}) =>
  failureOf(
    new APICallError({ message: 'No.', url: '', requestBodyValues: {}, data: {}, statusCode, ...more }),
    asked,
    false,
  )

test.each([
  [400, 'model_rejected', false],
  [401, 'model_auth', false],
  [402, 'model_rejected', false],
  [403, 'model_auth', false],
  [404, 'model_not_found', false],
  [408, 'model_timeout', true],
  [413, 'model_rejected', false],
  [422, 'model_rejected', false],
  [429, 'rate_limited', true],
  [500, 'model_overloaded', true],
  [502, 'model_overloaded', true],
  [503, 'model_overloaded', true],
  [504, 'model_overloaded', true],
  [529, 'model_overloaded', true],
])('the status %i means %s, retryable: %s', (status, code, retryable) => {
  expect(refused(status)).toMatchObject({ code, retryable, retryAfterMs: null })
  expect(refused(status).message).toContain(`: HTTP ${status}, No.`)
})

test.each([
  [{ 'retry-after': '7' }, 7000],
  [{ 'retry-after': '0.5' }, 500],
  [{ 'retry-after': '7', 'retry-after-ms': '250' }, 250],
  [{ 'retry-after': 'soon' }, null],
  [{ 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }, 0],
])('%j asks to wait %s ms', (responseHeaders, wait) => {
  expect(refused(429, { responseHeaders }).retryAfterMs).toBe(wait)
})

test('a date to come is counted from now', () => {
  const date = new Date(Date.now() + 60_000).toUTCString()
  const wait = refused(429, { responseHeaders: { 'retry-after': date } }).retryAfterMs
  expect(wait).toBeGreaterThan(50_000)
  expect(wait).toBeLessThanOrEqual(60_000)
})

test('a failure that the provider itself calls final is not retryable', () => {
  expect(refused(429, { isRetryable: false })).toMatchObject({ code: 'rate_limited', retryable: false })
})

test('the key is never repeated, wherever the provider wrote it', () => {
  const said = { message: 'Wrong key sk-very-secret', data: undefined, responseBody: '{"key":"sk-very-secret"}' }
  const failure = refused(401, { ...said, cause: new Error('sk-very-secret') })
  expect(failure.message).toContain('Wrong key ***')
  expect(JSON.stringify([failure.message, failure.hint, String(failure.cause)])).not.toContain('very-secret')
  expect(failureOf(new Error('bad header sk-very-secret'), asked, false).cause).toBeUndefined()
})

test('a refused key names the variable that held it', () => {
  expect(refused(401).hint).toBe('Check OPENAI_API_KEY.')
})

test('Google answers 400 to a wrong key, which is told as one', () => {
  expect(refused(400, { message: 'API key not valid. Please pass a valid API key.' }).code).toBe('model_auth')
})

test('a body of another shape is shown, a page is not', () => {
  const shown = { message: 'Not Found', data: undefined, responseBody: '{"error":"no model m"}' }
  expect(refused(404, shown).message).toContain('Not Found, {"error":"no model m"}')
  expect(refused(502, { message: 'Bad Gateway', data: undefined, responseBody: '<html>' }).message).not.toContain(
    'html',
  )
})

test('a long explanation is cut', () => {
  expect(refused(400, { message: 'x'.repeat(5000) }).message.length).toBeLessThan(1100)
})

test.each([
  ['ENOTFOUND', 'model_unreachable'],
  ['EAI_AGAIN', 'model_unreachable'],
  ['ECONNREFUSED', 'model_unreachable'],
  ['UND_ERR_CONNECT_TIMEOUT', 'model_unreachable'],
  ['UND_ERR_HEADERS_TIMEOUT', 'model_timeout'],
  ['ECONNRESET', 'stream_cut'],
])('%s on the network means %s, and may pass', (network, code) => {
  const cause = Object.assign(new Error(''), { code: network })
  const options = { message: 'Cannot connect to API: ', url: '', requestBodyValues: {}, isRetryable: true, cause }
  expect(failureOf(new APICallError(options), asked, false)).toMatchObject({
    code,
    retryable: true,
    cause,
    message: expect.stringContaining(`: ${network}.`),
  })
})

test('anything else is a model error, which asking again does not help', () => {
  expect(failureOf(new TypeError('not a function'), asked, false)).toMatchObject({
    code: 'model_error',
    retryable: false,
    message: 'openai/m could not answer: not a function.',
    cause: expect.any(TypeError),
  })
  expect(failureOf('odd', asked, false).message).toContain('odd')
})

test('anything that goes wrong in the middle of an answer is a cut stream', () => {
  expect(failureOf(new TypeError('terminated'), asked, true)).toMatchObject({ code: 'stream_cut', retryable: true })
})

test('an item that is not found is no model that is not found', () => {
  const failure = refused(404, { message: "Item with id 'rs_1' not found. Items are not persisted." })
  expect(failure).toMatchObject({ code: 'model_rejected', retryable: false })
})
