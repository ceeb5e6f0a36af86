import type { AgentFrame } from '../../../../core/fleet/frames.ts'
import type { Hold } from '../../../../core/hold/hold.ts'
import type { JournalEvent } from '../../../../core/journal/event.ts'
import type { Ephemeral } from '../../../../ports/event-sink.ts'
import type { AgentHoldsNews, AgentNews, AgentStatusNews } from '../../../../runtime/face/agents.ts'
import { ToldFrames } from './told-frames.ts'

/** A line of `agents attach --json` over a server, as the frames of a process name what happens. */
export type AgentNewsLine =
  | { readonly type: 'status'; readonly agent: AgentStatusNews['agent'] }
  /** All that are open now. */
  | { readonly type: 'holds'; readonly holds: readonly Hold[] }
  | { readonly type: 'event'; readonly event: JournalEvent }
  | { readonly type: 'delta'; readonly event: Ephemeral }

export function newsLine(news: AgentNews): AgentNewsLine {
  if (news.kind === 'agent.status') return { type: 'status', agent: (news as AgentStatusNews).agent }
  if (news.kind === 'agent.holds') return { type: 'holds', holds: (news as AgentHoldsNews).holds }
  return 'seq' in news ? { type: 'event', event: news as JournalEvent } : { type: 'delta', event: news as Ephemeral }
}

/** News of an agent over a server, in the lines of those who are attached to its process. */
export class NewsLines {
  readonly #told: ToldFrames

  constructor(agent: string) {
    this.#told = new ToldFrames(agent)
  }

  /** Those that are open, by id. */
  get holds(): ReadonlyMap<string, Hold> {
    return this.#told.holds
  }

  /** Whole lines; empty if there is nothing to tell. */
  hear(news: AgentNews): string {
    if (news.kind === 'agent.status') return this.#status(news as AgentStatusNews)
    if (news.kind === 'agent.holds') return this.#open((news as AgentHoldsNews).holds)
    return 'seq' in news ? this.#told.hear({ type: 'event', event: news as JournalEvent }) : ''
  }

  #status({ agent: { status, because, writer, clients, queued } }: AgentStatusNews): string {
    const frame = { type: 'status', status, because, role: 'writer', writer, clients, queued } as const
    return this.#told.hear(frame as AgentFrame)
  }

  /** One that was told before is not told again. */
  #open(holds: readonly Hold[]): string {
    const isNew = ({ id }: Hold) => !this.#told.holds.has(id)
    const lines = holds.filter(isNew).map(hold => this.#told.opened(hold))
    const ids = new Set(holds.map(({ id }) => id))
    for (const id of this.#told.holds.keys()) if (!ids.has(id)) this.#told.holds.delete(id)
    return lines.join('')
  }
}
