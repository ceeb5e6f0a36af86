import { createPublicKey, verify } from 'node:crypto'
import { expect, test } from 'vitest'
import { authorizationOf, makePushKeys } from './push-keys.ts'

const NOW = Date.parse('2030-01-01T00:00:00.000Z')
const CLAIMS = { audience: 'https://push.example.org', contact: 'mailto:ops@example.org', now: NOW }

function partsOf(authorization: string) {
  const [, signed = '', signature = '', key = ''] =
    /^vapid t=([\w-]+\.[\w-]+)\.([\w-]+), k=([\w-]+)$/.exec(authorization) ?? []
  const [head, claims] = signed.split('.').map(part => JSON.parse(Buffer.from(part, 'base64url').toString()) as object)
  return { signed, signature, key, head, claims }
}

test('the claims name the push service, the contact and an end within a day, signed by the key beside them', () => {
  const keys = makePushKeys()
  const { signed, signature, key, head, claims } = partsOf(authorizationOf(keys, CLAIMS))
  expect(head).toEqual({ typ: 'JWT', alg: 'ES256' })
  expect(claims).toEqual({ aud: CLAIMS.audience, sub: CLAIMS.contact, exp: NOW / 1000 + 12 * 3_600 })
  expect(key).toBe(keys.public_key)
  const point = Buffer.from(key, 'base64url')
  expect([point.length, point[0]]).toEqual([65, 4])
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map(half => half.toString('base64url'))
  const publicKey = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x: x ?? '', y: y ?? '' }, format: 'jwk' })
  const by = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const
  expect(verify('sha256', Buffer.from(signed), by, Buffer.from(signature, 'base64url'))).toBe(true)
})

test('a scalar has all its bytes, also one that begins with zeros', () => {
  const lengths = Array.from({ length: 600 }, () => Buffer.from(makePushKeys().private_key, 'base64url').length)
  expect(new Set(lengths)).toEqual(new Set([32]))
})
