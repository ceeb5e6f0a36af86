import type { ChatSettings } from '../../../core/settings/chat-settings.ts'
import { FRAME_MS } from '../../display/run/live-run.ts'
import { systemClock } from '../../process/system-clock.ts'
import type { ApprovalBar } from '../bar/approval-bar.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { Draft } from '../draft/draft.ts'
import type { Line } from '../screen/flow.ts'
import type { CommandMenu } from '../slash/command-menu.ts'
import type { Deck, SlashCommand } from '../slash/deck.ts'
import type { Transcript } from '../transcript/transcript.ts'

/** The state that the person at the terminal sees and changes. */
export interface ChatState {
  readonly draft: Draft
  readonly bar: ApprovalBar
  readonly transcript: Transcript
  readonly menu: CommandMenu
  /** What its host was set to. */
  settings: ChatSettings
  /** A line for the person, until the next key. */
  notice: Line | null
  /** When the draft was begun, in the milliseconds of keys. */
  draftBegunAt: number
  /** The question that was pointed out to a person who had begun to write before it came. */
  warnedOf: string | null
}

/** Everything that a key may set in motion. */
export interface ChatContext {
  readonly state: ChatState
  readonly deck: Deck
  /** Commands in addition to those of every chat. */
  readonly commands: readonly SlashCommand[]
  /** Resolves once the session is open: what is sent before that waits. */
  readonly conversation: () => Promise<Conversation>
  readonly now: () => number
  readonly redraw: () => void
  readonly leave: Deck['leave']
  /** Gives the terminal back to the shell until it continues this process. */
  readonly suspend: () => void
}

export function draftAnswers({ bar }: Pick<ChatState, 'bar'>): boolean {
  return bar.current?.kind === 'question'
}

/** P10: puts on record that a hold was drawn, and once more when its end was in view. */
export class ShownHolds {
  readonly #recorded = new Set<string>()

  /** After a frame. If the store fails here, the person's next act meets that too. */
  drawn({ drawn, isSeen }: Pick<ApprovalBar, 'drawn' | 'isSeen'>, conversation: Conversation | null): void {
    if (drawn === null || conversation === null) return
    const key = `${drawn.id} ${drawn.digest} ${drawn.level} ${isSeen}`
    if (this.#recorded.has(key)) return
    this.#recorded.add(key)
    conversation.shown([drawn.id], isSeen).catch(() => {})
  }
}

/** Ticks only while a run is under way: an idle chat costs nothing. */
export class RunClock implements Disposable {
  readonly #onTick: () => void
  #timer: NodeJS.Timeout | null = null
  /** Since when it is under way, in milliseconds since 1970; `null` if none is. */
  since: number | null = null

  constructor(onTick: () => void) {
    this.#onTick = onTick
  }

  /** True if a run begins now. */
  set(isUnderWay: boolean): boolean {
    if (isUnderWay === (this.since !== null)) return false
    if (this.#timer) clearInterval(this.#timer)
    this.#timer = isUnderWay ? setInterval(this.#onTick, FRAME_MS) : null
    this.since = isUnderWay ? systemClock.now() : null
    return isUnderWay
  }

  [Symbol.dispose](): void {
    this.set(false)
  }
}
