import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

type Side = 'follower' | 'publisher'

export function nonce(): string {
  return randomBytes(16).toString('hex')
}

/** Shows, without telling the secret, that one can read the store. */
export function proofOf(secret: string, side: Side, nonceOfOther: string): string {
  return createHmac('sha256', secret).update(`${side} ${nonceOfOther}`).digest('hex')
}

export function isProof(given: unknown, secret: string, side: Side, ownNonce: string): boolean {
  const wanted = Buffer.from(proofOf(secret, side, ownNonce))
  const proof = Buffer.from(typeof given === 'string' ? given : '')
  return proof.length === wanted.length && timingSafeEqual(proof, wanted)
}
