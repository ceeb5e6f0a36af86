import { createHmac } from 'node:crypto'

export interface SignedParts {
  readonly id: string
  /** Seconds since 1970. */
  readonly timestamp: number
  readonly body: string
}

/** The headers of Standard Webhooks. While secrets rotate there is a signature by each; without a secret, none. */
export function webhookHeaders(
  { id, timestamp, body }: SignedParts,
  secrets: readonly string[],
): Record<string, string> {
  const content = `${id}.${timestamp}.${body}`
  const signatures = secrets.map(
    secret => `v1,${createHmac('sha256', webhookKey(secret)).update(content).digest('base64')}`,
  )
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    ...(signatures.length > 0 && { 'webhook-signature': signatures.join(' ') }),
  }
}

/** `whsec_` and base64, as receivers have it; any other text is the key itself. */
function webhookKey(secret: string): Buffer {
  return secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : Buffer.from(secret)
}
