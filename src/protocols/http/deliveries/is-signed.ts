import { createHmac, timingSafeEqual } from 'node:crypto'

/** True if one of `secrets` made the HMAC-SHA256 `given` of the concatenated texts. Compares in constant time. */
export function isSigned(
  secrets: readonly (string | Uint8Array)[],
  texts: readonly (string | Uint8Array)[],
  given: Buffer,
): boolean {
  return secrets.some(secret => {
    const hmac = createHmac('sha256', secret)
    for (const text of texts) hmac.update(text)
    const made = hmac.digest()
    return made.length === given.length && timingSafeEqual(made, given)
  })
}
