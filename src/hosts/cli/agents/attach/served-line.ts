/** An agent over a server, as lines attach to it: with a process or without one. The token signs messages and decisions. */
import type { RemoteHoldpoint } from '../../../../client/remote-holdpoint.ts'
import { RefusedError, refused } from '../../../../core/errors.ts'
import { AGENT_IS_OVER, type AgentStatus } from '../../../../core/fleet/agent-status.ts'
import type { ClientFrame } from '../../../../core/fleet/frames.ts'
import type { Hold } from '../../../../core/hold/hold.ts'
import type { JournalEvent } from '../../../../core/journal/event.ts'
import type { Ephemeral } from '../../../../ports/event-sink.ts'
import type { AgentHoldsNews, AgentNews, AgentStatusNews } from '../../../../runtime/face/agents.ts'
import type { CommandContext } from '../../../command/command.ts'
import { sessionRefusals } from '../../../refusals/session-refusals.ts'
import { calledAs } from '../agent-text.ts'
import type { AgentLine, AttachedTo } from './attached-to.ts'
import { decisionIn, messageIn, tellReceipt } from './frame-inputs.ts'
import { ToldFrames } from './told-frames.ts'
import { problemText } from './typed-line.ts'

/** A line of `agents attach --json` over a server, as the frames of a process name what happens. */
export type AgentNewsLine =
  | { readonly type: 'status'; readonly agent: AgentStatusNews['agent'] }
  /** All that are open now. */
  | { readonly type: 'holds'; readonly holds: readonly Hold[] }
  | { readonly type: 'event'; readonly event: JournalEvent }
  | { readonly type: 'delta'; readonly event: Ephemeral }

export async function openServedLine(context: CommandContext, at: AttachedTo): Promise<AgentLine> {
  const { server } = context
  if (server && at.agent.session_id !== null) return new ServedLine({ ...context, server }, at)
  throw refused('unknown_session', `The session of ${calledAs(at.agent)} is in this store no more.`, 'It was pruned.')
}

class ServedLine implements AgentLine {
  readonly #context: Pick<CommandContext, 'io' | 'json'> & { readonly server: RemoteHoldpoint }
  readonly #at: AttachedTo
  readonly #told: ToldFrames
  #status: AgentStatus
  #endsAfterTurn = false
  /** The `seq` of its last event, once it is over. */
  #newest: number | null = null

  constructor(context: CommandContext & { readonly server: RemoteHoldpoint }, at: AttachedTo) {
    this.#context = context
    this.#at = at
    this.#status = at.agent.status
    this.#told = new ToldFrames(calledAs(at.agent))
  }

  get holds(): ToldFrames['holds'] {
    return this.#told.holds
  }

  get isOpen(): Promise<void> {
    return this.#told.isOpen
  }

  async *news(signal: AbortSignal): AsyncGenerator<{ readonly document: AgentNewsLine; readonly text: string }> {
    const { since, agent } = this.#at
    let isOpen = false
    let seq = since
    for await (const news of this.#context.server.agents.follow(agent.id, { since, signal })) {
      yield this.#hear(news)
      if ('seq' in news) seq = news.seq
      if (news.kind === 'agent.status') await this.#changed()
      if (news.kind === 'agent.holds') isOpen = true
      if (isOpen && this.#newest !== null && seq >= this.#newest) return
    }
  }

  async #changed(): Promise<void> {
    await this.#endNow()
    const { server } = this.#context
    this.#newest = AGENT_IS_OVER[this.#status] ? (await server.thread(this.#at.agent.session_id ?? '')).seq : null
  }

  #hear(news: AgentNews): { readonly document: AgentNewsLine; readonly text: string } {
    if (news.kind === 'agent.status') {
      const { agent } = news as AgentStatusNews
      this.#status = agent.status
      return { document: { type: 'status', agent }, text: this.#told.stands(agent.status, agent.because) }
    }
    if (news.kind === 'agent.holds') {
      const { holds } = news as AgentHoldsNews
      return { document: { type: 'holds', holds }, text: this.#told.open(holds) }
    }
    if (!('seq' in news)) return { document: { type: 'delta', event: news as Ephemeral }, text: '' }
    const event = news as JournalEvent
    return { document: { type: 'event', event }, text: this.#told.event(event) }
  }

  async say(frame: ClientFrame): Promise<boolean> {
    try {
      await this.#say(frame)
      return true
    } catch (thrown) {
      this.#context.io.err(problemText(thrown))
      return false
    }
  }

  async #say(frame: ClientFrame): Promise<void> {
    const { server, io } = this.#context
    if (frame.type === 'end') {
      this.#endsAfterTurn = true
      await this.#endNow()
    } else if (frame.type === 'take_writer') io.err('~ over a server each operator may write\n')
    else if (frame.type === 'user_message') {
      if (frame.files?.some(({ path }) => path !== undefined)) throw sessionRefusals.fileOfAnotherHost()
      await server.agents.send(this.#at.agent.id, await messageIn(frame, ''))
    } else if (frame.type === 'decide') tellReceipt(io, await server.decide(frame.hold_id, decisionIn(frame)))
  }

  /** A message that was quicker is answered first. */
  async #endNow(): Promise<void> {
    if (!this.#endsAfterTurn || (this.#status !== 'idle' && this.#status !== 'parked')) return
    try {
      await this.#context.server.agents.end(this.#at.agent.id)
    } catch (thrown) {
      if (!(thrown instanceof RefusedError)) throw thrown
    }
  }

  [Symbol.dispose](): void {
    const isLost = this.#endsAfterTurn && !AGENT_IS_OVER[this.#status]
    if (isLost && !this.#context.json) this.#context.io.err('~ it does not end: you left before its turn was over\n')
  }
}
