/**
 * `agents attach` over a server: the events of the agent as lines, and lines of the person as messages and decisions.
 * It works for each agent, with a process or without one. The token signs messages and decisions.
 */
import { createInterface } from 'node:readline'
import type { RemoteHoldpoint } from '../../../../client/remote-holdpoint.ts'
import { HoldpointError, messageOf, RefusedError, refused } from '../../../../core/errors.ts'
import { AGENT_IS_OVER, type AgentStatus } from '../../../../core/fleet/agent-status.ts'
import type { ClientFrame } from '../../../../core/fleet/frames.ts'
import { jsonLine } from '../../../../core/text/json-line.ts'
import type { AgentNews, AgentSummary } from '../../../../runtime/face/agents.ts'
import type { CommandContext } from '../../../command/command.ts'
import { placeFlags } from '../../../command/place-flags.ts'
import { exitCodeOf, watchForStop } from '../../../process/interruption.ts'
import { calledAs, EXIT_OF, nextText, standingText } from '../agent-text.ts'
import { sinceIn } from '../since.ts'
import { LAST_EVENTS, lastSaid } from './first-shown.ts'
import { NewsLines, newsLine } from './news-lines.ts'
import { COMMANDS_HELP, typedLine, WHILE_WAITING } from './typed-line.ts'

interface ServedContext extends CommandContext {
  readonly server: RemoteHoldpoint
}

export async function attachThere(context: ServedContext, named: string): Promise<number> {
  const { io, json, given, server } = context
  using stop = watchForStop()
  const agent = await server.agents.find(named)
  const newest = await newestOf(server, agent)
  const asked = sinceIn(given)
  const since = asked ?? Math.max(0, newest - LAST_EVENTS)
  const left = new AbortController()
  const signal = AbortSignal.any([stop.signal, io.unread, left.signal])
  const attached = new Attached(context, agent, () => left.abort())
  using typing = new DisposableStack()
  const news = server.agents.follow(agent.id, { since, signal })
  for await (const each of asked === null ? beginningLate(news, newest) : news) {
    io.out(json ? jsonLine(newsLine(each)) : attached.lines.hear(each))
    await attached.hear(each)
    // From then on it is known what a typed line can mean.
    if (each.kind === 'agent.holds' && isWriter(context)) attached.takeTyped(typing)
  }
  const stoppedBy = stop.stoppedBy()
  return stoppedBy ? exitCodeOf(stoppedBy) : attached.tellLeft()
}

async function newestOf(server: RemoteHoldpoint, agent: AgentSummary): Promise<number> {
  if (agent.session_id !== null) return (await server.thread(agent.session_id)).seq
  throw refused('unknown_session', `The session of ${calledAs(agent)} is in this store no more.`, 'It was pruned.')
}

function isWriter({ given }: CommandContext): boolean {
  return !given.has('read-only')
}

/** Of the events so far only those from the last messages on. */
async function* beginningLate(news: AsyncIterable<AgentNews>, newest: number): AsyncGenerator<AgentNews> {
  let before: AgentNews[] | null = newest === 0 ? null : []
  for await (const each of news) {
    if (before === null || !('seq' in each)) {
      yield each
      continue
    }
    before.push(each)
    if (each.seq < newest) continue
    yield* lastSaid(before)
    before = null
  }
}

/** One attached person: their lines, how the agent stands, and whether it ends after the turn. */
class Attached {
  readonly lines: NewsLines
  readonly #context: ServedContext
  readonly #agent: AgentSummary
  readonly #leave: () => void
  #status: AgentStatus
  #isTyping = false
  #endsAfterTurn = false

  constructor(context: ServedContext, agent: AgentSummary, leave: () => void) {
    this.#context = context
    this.#agent = agent
    this.#leave = leave
    this.#status = agent.status
    this.lines = new NewsLines(calledAs(agent))
  }

  async hear(news: AgentNews): Promise<void> {
    if (news.kind !== 'agent.status') return
    this.#status = (news as Extract<AgentNews, { readonly agent: unknown }>).agent.status
    await this.#endNow()
    if (AGENT_IS_OVER[this.#status]) this.#leave()
  }

  /** Each line is a message or a command. They are done one after another. */
  takeTyped(until: DisposableStack): void {
    if (this.#isTyping) return
    this.#isTyping = true
    const { io, given } = this.#context
    const lines = createInterface({ input: process.stdin })
    let last: Promise<void> = Promise.resolve()
    const next = (work: () => Promise<void>) => {
      last = last.then(work).catch((thrown: unknown) => io.err(`! ${problemIn(thrown)}\n`))
    }
    let count = 0
    const over = async () => {
      if (given.has('end-on-eof')) return await this.#end()
      // An input without a line said nothing: it is that of one who only looks.
      if (count > 0 || process.stdin.isTTY) this.#leave()
    }
    lines.on('line', line => {
      if (line.trim() !== '') count += 1
      next(() => this.#typed(line))
    })
    lines.on('close', () => next(over))
    if (process.stdin.isTTY) io.err(`~ a line is a message; ${COMMANDS_HELP}\n`)
    until.defer(() => lines.removeAllListeners().close())
  }

  async #typed(line: string): Promise<void> {
    if (line.trim() === '') return
    const typed = typedLine(line, crypto.randomUUID(), this.lines.holds)
    if (typed === 'leave') this.#leave()
    else if ('problem' in typed) this.#context.io.err(`! ${typed.problem}\n`)
    else await this.#say(typed)
  }

  async #say(frame: ClientFrame): Promise<void> {
    const { server, io } = this.#context
    if (frame.type === 'end') await this.#end()
    else if (frame.type === 'take_writer') io.err('~ over a server each operator may write\n')
    else if (frame.type === 'user_message') {
      const { text, input_id: inputId, mode = 'queue' } = frame
      await server.agents.send(this.#agent.id, { text, inputId, whileWaiting: WHILE_WAITING[mode] })
    } else if (frame.type === 'decide') {
      const { type: _, hold_id, input_id, seen, ...said } = frame
      const version = { digest: seen?.digest, level: seen?.level }
      const receipt = await server.decide(hold_id, { ...said, ...version, decision_id: input_id })
      if (receipt.outcome === 'refused') throw receipt.error
      if (receipt.outcome === 'already_decided') io.err(`~ ${receipt.winner.decided_by} decided that first\n`)
    }
  }

  async #end(): Promise<void> {
    this.#endsAfterTurn = true
    await this.#endNow()
  }

  /** A message that was quicker is answered first. */
  async #endNow(): Promise<void> {
    if (!this.#endsAfterTurn || (this.#status !== 'idle' && this.#status !== 'parked')) return
    try {
      await this.#context.server.agents.end(this.#agent.id)
    } catch (thrown) {
      if (!(thrown instanceof RefusedError)) throw thrown
    }
  }

  async tellLeft(): Promise<number> {
    const { io, json, server, given } = this.#context
    const agent = await server.agents.find(this.#agent.id)
    const isLost = this.#endsAfterTurn && !AGENT_IS_OVER[agent.status]
    if (!json && isLost) io.err('~ it does not end: you left before its turn was over\n')
    if (!json) io.err(`${standingText(agent)}${nextText(agent, placeFlags(given))}`)
    return EXIT_OF[agent.status]
  }
}

function problemIn(thrown: unknown): string {
  const hint = thrown instanceof HoldpointError ? thrown.hint : null
  return `${messageOf(thrown)}${hint === null ? '' : ` ${hint}`}`
}
