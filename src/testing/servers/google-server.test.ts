import { expect, test } from 'vitest'
import { openGoogleServer } from './google-server.ts'

const user = { role: 'user', parts: [{ text: 'hello' }] }
const call = { functionCall: { id: 'call_1', name: 'look', args: {} }, thoughtSignature: 'signature 1' }
const model = (...parts: readonly object[]) => ({ role: 'model', parts: [{ text: 'I look.' }, ...parts] })
const result = { role: 'user', parts: [{ functionResponse: { id: 'call_1', name: 'look', response: {} } }] }

/** What a server says to contents after it has made a signed call. */
async function saidTo(contents: readonly object[], path = 'models/gemini-3-pro-preview:streamGenerateContent') {
  const turns = [{ text: 'I look.', calls: [{ id: 'call_1', name: 'look' }] }, 'Done.']
  await using server = await openGoogleServer({ turns, thought: 'Hm.' })
  const ask = (given: readonly object[], at: string) =>
    fetch(`${server.url}/v1beta/${at}?alt=sse`, { method: 'POST', body: JSON.stringify({ contents: given }) })
  await (await ask([user], 'models/gemini-3-pro-preview:streamGenerateContent')).text()
  const response = await ask(contents, path)
  const text = await response.text()
  return response.ok ? text : `${response.status} ${JSON.parse(text).error.message}`
}

test('a call goes back with its signature and its response, and the next answer is signed, too', async () => {
  const answer = await saidTo([user, model(call), result])
  for (const part of ['"thought":true', '"thoughtSignature":"signature 2"', '"finishReason":"STOP"'])
    expect(answer).toContain(part)
})

const foreign = {
  functionCall: { id: 'other', name: 'look', args: {} },
  thoughtSignature: 'skip_thought_signature_validator',
}
const foreignResult = { role: 'user', parts: [{ functionResponse: { id: 'other', name: 'look', response: {} } }] }

test('a call of another provider may have the stand-in for a signature', async () => {
  expect(await saidTo([user, model(foreign), foreignResult])).toContain('STOP')
})

const { thoughtSignature: _, ...unsigned } = call
const COUNT = 'Please ensure that the number of function response parts is equal to the number of function call parts'

test.each([
  [[], '400 * GenerateContentRequest.contents: contents is not specified'],
  [[user, { role: 'assistant', parts: [{ text: 'Hi.' }] }, user], '400 Please use a valid role'],
  [[{ role: 'user', parts: [] }], '400 * GenerateContentRequest.contents[0].parts: contents.parts must not be empty.'],
  [[model(call), result], '400 Please ensure that function call turn comes immediately after a user turn'],
  [[user, model(call), user], `400 ${COUNT}`],
  [[user, model(call, foreign), result], `400 ${COUNT}`],
  [[user, result], '400 Please ensure that function response turn comes immediately after a function call turn.'],
  [[user, model(unsigned), result], '400 Function call is missing a thought_signature in functionCall parts.'],
  [[user, model({ ...call, thoughtSignature: 'other' }), result], '400 Thought signature is not valid.'],
  [
    [user, model({ ...call, thoughtSignature: 'skip_thought_signature_validator' }), result],
    '400 Thought signature is not valid.',
  ],
])('%j is refused', async (contents, words) => {
  expect(await saidTo(contents)).toContain(words)
})

test('a call whose arguments were cut off is not there', async () => {
  const calls = [{ id: 'call_1', name: 'look', raw_args: '{"path": "a' }]
  await using server = await openGoogleServer({ turns: [{ text: 'I look.', calls, finish_reason: 'length' }] })
  const url = `${server.url}/v1beta/models/gemini-3-pro-preview:streamGenerateContent`
  const answer = await (await fetch(url, { method: 'POST', body: JSON.stringify({ contents: [user] }) })).text()
  expect(answer).not.toContain('functionCall')
  expect(answer).toContain('MAX_TOKENS')
})

test('a request that does not stream has its answer in one document', async () => {
  const answer = await saidTo([user], 'models/gemini-3-pro-preview:generateContent')
  expect(JSON.parse(answer)).toMatchObject({
    candidates: [
      {
        content: {
          role: 'model',
          parts: [
            { text: 'Hm.', thought: true },
            { text: 'I look.' },
            { functionCall: { id: 'call_1', name: 'look' }, thoughtSignature: 'signature 2' },
          ],
        },
        finishReason: 'STOP',
      },
    ],
    usageMetadata: {},
  })
  expect(await saidTo([user, model(unsigned), result], 'models/gemini-3-pro-preview:generateContent')).toContain('400')
  expect(await saidTo([user], 'models/gemini-3-pro-preview:countTokens')).toContain('404 nothing at')
})
