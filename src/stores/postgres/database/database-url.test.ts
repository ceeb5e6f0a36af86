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
  ['sslmode=require', 'verify-full'],
  ['sslmode=prefer', 'verify-full'],
  ['sslmode=verify-ca', 'verify-full'],
  ['sslmode=disable', 'disable'],
  ['sslmode=no-verify', 'no-verify'],
  ['sslmode=require&uselibpqcompat=true', 'require'],
])('%s reaches the driver as %s', (parameter, mode) => {
  const { connection } = readDatabaseUrl(`${URL}?${parameter}`)
  expect(new globalThis.URL(connection).searchParams.get('sslmode')).toBe(mode)
})

test.each([
  ['The server does not support SSL connections', 'store_unavailable', 'sslmode=disable'],
  ['empty password returned by client', 'store_denied', 'PGPASSWORD'],
])('%s: the refusal says what to do', (message, code, hint) => {
  expect(asStoreError(new Error(message), URL)).toMatchObject({ code, hint: expect.stringContaining(hint) })
})

test.each([
  ['postgres://ana@127.0.0.1', 'names no database'],
  ['postgres://ana@127.0.0.1/?schema=x', 'names no database'],
  ['postgres://ana@127.0.0.1/app', 'there is no such database'],
])('if the database of %s is not there, it is said whose name that is', (url, said) => {
  const thrown = Object.assign(new Error('database "ana" does not exist'), { code: '3D000' })
  expect(asStoreError(thrown, url)).toMatchObject({ message: expect.stringContaining(said) })
})

test('a certificate that is not trusted is told of as such', () => {
  const thrown = Object.assign(new Error('self-signed certificate'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
  expect(asStoreError(thrown, URL)).toMatchObject({
    code: 'store_unavailable',
    hint: expect.stringContaining('sslrootcert'),
  })
})
