import type { JournalEvent } from '../../../core/journal/event.ts'
import type { Conversation, FollowConversation } from '../conversation/conversation.ts'
import type { Line } from '../screen/flow.ts'
import type { ChatState } from './chat-state.ts'

export interface FollowDeps {
  readonly state: ChatState
  readonly conversation: Conversation
  readonly print: (lines: readonly Line[]) => void
  readonly redraw: () => void
  readonly columns: () => number
  /** Something else waits than before. */
  readonly ring: () => void
}

export interface Recalling extends FollowConversation {
  /** Events up to this `seq` are not written: they are on the screen already. */
  readonly recalled: number
}

/** Events that change which holds are open. */
const CHANGING: ReadonlySet<string> = new Set([
  'hold.opened',
  'hold.decided',
  'hold.voted',
  'hold.expired',
  'hold.withdrawn',
  'hold.assigned',
  'hold.escalated',
  'run.finished',
] satisfies JournalEvent['kind'][])

/** Writes what happens into the transcript, and keeps the bar at what waits. Fails as soon as one of the two does. */
export async function followInto(site: FollowDeps, options: Recalling): Promise<void> {
  const holds = new HoldsNow(site)
  holds.look()
  await Promise.race([hearInto(site, options, holds), holds.failure])
  await holds.rests()
}

async function hearInto(site: FollowDeps, options: Recalling, holds: HoldsNow): Promise<void> {
  const { state, conversation, print, redraw, columns } = site
  for await (const event of conversation.follow(options)) {
    if (!('ephemeral' in event) && event.seq <= options.recalled) {
      state.transcript.recall(event)
      continue
    }
    const lines = state.transcript.hear(event, columns())
    if (lines.length > 0) print(lines)
    if (CHANGING.has(event.kind)) holds.look()
    redraw()
  }
}

/** Reads what is open after a change: one read at a time, and the last one counts. */
class HoldsNow {
  readonly #site: FollowDeps
  readonly #failed = Promise.withResolvers<never>()
  #reading: Promise<void> | null = null
  #isStale = false

  constructor(site: FollowDeps) {
    this.#site = site
  }

  look(): void {
    this.#isStale = true
    this.#reading ??= this.#read().catch(this.#failed.reject)
  }

  /** Never fulfilled; rejected once a read fails. */
  get failure(): Promise<never> {
    return this.#failed.promise
  }

  async rests(): Promise<void> {
    await this.#reading
  }

  async #read(): Promise<void> {
    const { conversation, state, redraw, ring } = this.#site
    try {
      while (this.#isStale) {
        this.#isStale = false
        const before = new Set(state.bar.holds.map(({ id }) => id))
        const now = await conversation.holds()
        state.bar.replace(now)
        if (now.some(({ id }) => !before.has(id))) ring()
        redraw()
      }
    } finally {
      this.#reading = null
    }
  }
}
