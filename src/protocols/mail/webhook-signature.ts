/** Signatures of Standard Webhooks: `webhook-id`, `webhook-timestamp` and the body, by HMAC-SHA256. */
import { isSigned } from '../http/deliveries/is-signed.ts'

export interface SignedRequest {
  readonly headers: Headers
  readonly bytes: Uint8Array
}

/** A request may be so old, or so far ahead, and is not repeated after that. */
const TOLERANCE_MS = 5 * 60_000

/** Why a body is not to be believed; `null` if one of the secrets signed it just now. `now` is in milliseconds since 1970. */
export function objectionToSignature(
  { headers, bytes }: SignedRequest,
  secrets: readonly string[],
  now: number,
): 'signature_missing' | 'signature_old' | 'signature_invalid' | null {
  const [id, time, given] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(name => headers.get(name))
  if (!id || !time || !given) return 'signature_missing'
  const signatures = given
    .split(' ')
    .flatMap(each => (each.startsWith('v1,') ? [Buffer.from(each.slice(3), 'base64')] : []))
  const isOurs = signatures.some(each => isSigned(secrets.map(keyOf), [`${id}.${time}.`, bytes], each))
  if (!isOurs) return 'signature_invalid'
  return /^\d{1,12}$/.test(time) && Math.abs(Number(time) * 1000 - now) <= TOLERANCE_MS ? null : 'signature_old'
}

/** `whsec_` and base64, as the standard writes it, or the text itself. */
function keyOf(secret: string): string | Buffer {
  return secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : secret
}
