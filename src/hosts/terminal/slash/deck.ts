import type { Receipt } from '../../../core/deciding/receipt.ts'
import { RefusedError } from '../../../core/errors.ts'
import { alreadyDecided } from '../../../core/hold/already-decided.ts'
import type { Hold } from '../../../core/hold/hold.ts'
import type { JournalEvent } from '../../../core/journal/event.ts'
import type { Prices } from '../../../core/settings/prices.ts'
import type { Spending } from '../../../core/spending/spending.ts'
import type { Conversation, MessageMode } from '../conversation/conversation.ts'
import type { Line } from '../screen/flow.ts'

/** Where a person goes from a session: to a fork of it, to a new one, or away. */
export type Left = { readonly to: 'fork'; readonly session: string } | { readonly to: 'new' } | null

/** A chat, as slash commands work with it. */
export interface Deck {
  readonly conversation: Conversation
  /** Slash commands in addition to those of every chat. */
  readonly commands: readonly SlashCommand[]
  /** The open holds as they are drawn, oldest first. */
  readonly holds: () => readonly Hold[]
  readonly columns: () => number
  readonly lastAnswer: () => string
  /** The events of the session so far. */
  readonly events: () => Promise<readonly JournalEvent[]>
  readonly spending: Spending
  readonly prices: () => Prices
  /** Lines for good, above. */
  readonly print: (lines: readonly Line[]) => void
  /** Sends what a person wrote, with the files that it names. */
  readonly say: (text: string, mode: MessageMode) => Promise<void>
  /** The text with the name of a file that is begun at its end as far as it is known; `null` if there is none. */
  readonly complete: (text: string) => string | null
  /** The arguments of a hold in an editor. */
  readonly edit: (hold: Hold) => Promise<void>
  readonly leave: (left: Left) => void
  /** Runs another command of Holdpoint, with its output above, below a title. */
  readonly command: (words: readonly string[], title?: readonly Line[]) => Promise<void>
  /** All of a call's result; `null` if there is no such call in this session. */
  readonly result: (callId: string) => Promise<readonly Line[] | null>
  /** Text to the clipboard of the terminal. */
  readonly copy: (text: string) => void
}

export interface SlashCommand {
  readonly name: string
  /** The text after the name. */
  readonly usage: string
  readonly does: string
  /** @throws RefusedError; then the draft is kept. */
  readonly run: (deck: Deck, rest: string) => Promise<void>
}

/** What the person must know of a decision; an event reports that it is on record. @throws RefusedError if it is not */
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
