import type { Hold } from '../../../core/hold/hold.ts'
import type { Conversation, MessageMode } from '../conversation/conversation.ts'
import type { Line } from '../screen/line.ts'

/** A chat, as slash commands work with it. */
export interface Deck {
  readonly conversation: Conversation
  /** Slash commands beside those of every chat. */
  readonly commands: readonly SlashCommand[]
  /** The open holds as they are drawn, oldest first. */
  readonly holds: () => readonly Hold[]
  readonly columns: () => number
  readonly lastAnswer: () => string
  /** Lines for good, above. */
  readonly print: (lines: readonly Line[]) => void
  /** Sends what a person wrote, with the images that it names. */
  readonly say: (text: string, mode: MessageMode) => Promise<void>
  /** The arguments of a hold in an editor. */
  readonly edit: (hold: Hold) => Promise<void>
  /** Leaves; with a session, to go on there. */
  readonly leave: (session: string | null) => void
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
