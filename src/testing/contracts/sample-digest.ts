import { hash } from 'node:crypto'
import { callText } from '../../core/hold/hold-digests.ts'

/** P9: the digest of a call, as the runtime writes it. `verifyAudit` compares it with the row of a hold. */
export function sampleDigest(call: Parameters<typeof callText>[0]): string {
  return `sha256:${hash('sha256', callText(call), 'hex')}`
}
