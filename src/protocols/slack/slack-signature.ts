import { isSigned } from '../http/deliveries/is-signed.ts'

/** Slack's own limit: an older request may be one that was recorded and is played again. */
const OLDEST_SECONDS = 5 * 60
const VERSION = 'v0'

/**
 * Why a request is not believed to be from Slack; `null` if one of the secrets signed this very body, within five minutes.
 * @see https://docs.slack.dev/authentication/verifying-requests-from-slack
 */
export function objectionToSignature(
  { headers }: Pick<Request, 'headers'>,
  body: Uint8Array,
  { secrets, now }: { readonly secrets: readonly string[]; readonly now: number },
): 'signature_missing' | 'signature_too_old' | 'invalid_signature' | null {
  const [time, signature] = [headers.get('x-slack-request-timestamp'), headers.get('x-slack-signature')]
  if (time === null || signature === null) return 'signature_missing'
  const hex = /^v0=([0-9a-f]{64})$/.exec(signature)?.[1]
  if (hex === undefined || !/^\d{1,12}$/.test(time)) return 'invalid_signature'
  if (!isSigned(secrets, [`${VERSION}:${time}:`, body], Buffer.from(hex, 'hex'))) return 'invalid_signature'
  return Math.abs(now / 1000 - Number(time)) > OLDEST_SECONDS ? 'signature_too_old' : null
}
