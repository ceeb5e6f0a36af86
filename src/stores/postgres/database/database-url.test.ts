import { expect, test } from 'vitest'
import { asStoreError } from './database-errors.ts'
import { readDatabaseUrl } from './database-url.ts'

const URL = 'postgres://ana@127.0.0.1/app'

test.each([
  ['schemma=x', 'Did you mean schema?'],
  ['ssl_mode=disable', 'Did you mean sslmode?'],
  ['sslmode=verify-ful', 'which is none of disable'],
])('a parameter that is misspelt is refused by name: %s', (parameter, said) => {
  expect(() => readDatabaseUrl(`${URL}?${parameter}`)).toThrow(said)
})

test('parameters of the driver and of poolers are taken', () => {
  for (const parameter of ['schema=x', 'sslmode=disable', 'pgbouncer=true', 'channel_binding=require', 'host=/tmp'])
    expect(readDatabaseUrl(`${URL}?${parameter}`).display).toContain('127.0.0.1')
})

test.each([
  ['The server does not support SSL connections', 'store_unavailable', 'sslmode=disable'],
  ['empty password returned by client', 'store_denied', 'PGPASSWORD'],
])('%s: the refusal says what to do', (message, code, hint) => {
  expect(asStoreError(new Error(message), URL)).toMatchObject({ code, hint: expect.stringContaining(hint) })
})

test('a certificate that is not trusted is told of as such', () => {
  const thrown = Object.assign(new Error('self-signed certificate'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
  expect(asStoreError(thrown, URL)).toMatchObject({
    code: 'store_unavailable',
    hint: expect.stringContaining('sslrootcert'),
  })
})
