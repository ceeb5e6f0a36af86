import type { Receipt } from '../../../core/deciding/receipt.ts'
import { RefusedError } from '../../../core/errors.ts'
import { alreadyDecided } from '../../../core/hold/already-decided.ts'

/** The rest to say of a decision: that it is on record comes as an event. @throws RefusedError if it is not */
export function saidOf(receipt: Receipt): string | null {
  if (receipt.outcome === 'refused') throw receipt.error
  if (receipt.outcome === 'already_decided') throw alreadyDecided(receipt.hold.id, receipt.winner)
  if (receipt.outcome === 'duplicate') return 'That was on record already.'
  return receipt.hold.status === 'open' ? 'Recorded. More people must approve it.' : null
}

/** The refusal, in one line. @throws what is none */
export function refusalText(thrown: unknown): string {
  if (!(thrown instanceof RefusedError)) throw thrown
  const { message, hint } = thrown
  return hint === null ? sentence(message) : `${sentence(message)} ${sentence(hint)}`
}

/** With a full stop, unless the text ends in another mark. */
function sentence(text: string): string {
  return /[\p{L}\p{N}"'`)\]]$/u.test(text) ? `${text}.` : text
}
