import type { ApprovalBar } from '../bar/approval-bar.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { Draft } from '../draft/draft.ts'
import type { Line } from '../screen/line.ts'
import type { Deck, SlashCommand } from '../slash/deck.ts'
import type { Transcript } from '../transcript/transcript.ts'

/** The state that the person at the terminal sees and changes. */
export interface ChatState {
  readonly draft: Draft
  readonly bar: ApprovalBar
  readonly transcript: Transcript
  /** One line for the person, until the next key. */
  notice: Line | null
  /** When the draft was begun, in the milliseconds of keys. */
  draftBegunAt: number
  /** The question that was pointed out to a person who had begun to write before it came. */
  warnedOf: string | null
}

/** Everything that a key may set in motion. */
export interface ChatHands {
  readonly state: ChatState
  readonly deck: Deck
  /** Commands beside those of every chat. */
  readonly commands: readonly SlashCommand[]
  /** Resolves once the session is open: what is sent before that waits. */
  readonly conversation: () => Promise<Conversation>
  readonly now: () => number
  readonly redraw: () => void
  readonly leave: (session: string | null) => void
  /** Gives the terminal back to the shell until it continues this process. */
  readonly suspend: () => void
}

export function draftAnswers({ bar }: Pick<ChatState, 'bar'>): boolean {
  return bar.current?.kind === 'question'
}
