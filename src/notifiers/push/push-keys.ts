/** The keys by which push services know a server (RFC 8292), and what is signed with them. */
import { createECDH, createPrivateKey, sign } from 'node:crypto'
import type { PushKeys } from '../../core/notice/push/subscription.ts'

export function makePushKeys(): PushKeys {
  const pair = createECDH('prime256v1')
  const public_key = pair.generateKeys('base64url')
  // A scalar that begins with zeros is shorter, and a key has all its bytes.
  const private_key = pair.getPrivateKey().toString('hex').padStart(64, '0')
  return { public_key, private_key: Buffer.from(private_key, 'hex').toString('base64url') }
}

/** Push services take a day at most. Clocks differ, so it is half of that. */
const LIFE_S = 12 * 3_600

export interface PushClaims {
  /** The origin of the push service. */
  readonly audience: string
  /** `mailto:` or `https:`. */
  readonly contact: string
  /** Milliseconds since 1970. */
  readonly now: number
}

/** The `authorization` of a message. */
export function authorizationOf(keys: PushKeys, { audience, contact, now }: PushClaims): string {
  const claims = { aud: audience, exp: Math.floor(now / 1000) + LIFE_S, sub: contact }
  const signed = `${encoded({ typ: 'JWT', alg: 'ES256' })}.${encoded(claims)}`
  const signature = sign('sha256', Buffer.from(signed), { key: keyOf(keys), dsaEncoding: 'ieee-p1363' })
  return `vapid t=${signed}.${signature.toString('base64url')}, k=${keys.public_key}`
}

function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}

const COORDINATE_BYTES = 32

function keyOf({ public_key, private_key }: PushKeys) {
  const point = Buffer.from(public_key, 'base64url').subarray(1)
  const [x, y] = [point.subarray(0, COORDINATE_BYTES), point.subarray(COORDINATE_BYTES)]
  const key = { kty: 'EC', crv: 'P-256', x: x.toString('base64url'), y: y.toString('base64url'), d: private_key }
  return createPrivateKey({ key, format: 'jwk' })
}
