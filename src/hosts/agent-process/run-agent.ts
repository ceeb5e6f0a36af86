/**
 * The process of an interactive agent: it advances its run, stays while the run waits, and lets others attach.
 * A1  The run goes on, even if its socket, its row or its clients are gone.
 * A2  Its run is advanced like every other one, and any process may decide for it or advance it.
 */
import { randomBytes } from 'node:crypto'
import { Alarm } from '../../async/alarm.ts'
import { keptAlive } from '../../async/kept-alive.ts'
import { NEVER } from '../../async/on-abort.ts'
import { messageOf } from '../../core/errors.ts'
import { type AgentStanding, agentStanding } from '../../core/fleet/agent-status.ts'
import { FRAME_PROTOCOL } from '../../core/fleet/frames.ts'
import type { TurnError } from '../../core/fleet/presence.ts'
import { PAUSE_KINDS } from '../../core/run/profile.ts'
import { isoTime } from '../../core/text/iso-time.ts'
import type { AdvanceOptions, AdvanceResult } from '../../runtime/views/face-options.ts'
import type { agentSockets, ListeningSocket } from '../compose/agents/agent-sockets.ts'
import { AgentVerbs } from './agent-verbs.ts'
import { Endpoint } from './endpoint.ts'
import { type AgentContext, type AgentPlace, factsOf } from './place.ts'
import { collectGarbageWhenIdle, PresenceRow } from './presence-row.ts'
import { type StayOutcome, stayWhileWaiting } from './stay-while-waiting.ts'

/** Advances a run until it waits or is done, or waits while another process does. */
export type Advance = (runId: string, options: AdvanceOptions) => Promise<AdvanceResult>

export interface AgentProcessDeps {
  readonly site: AgentContext
  readonly place: AgentPlace
  readonly sockets: ReturnType<typeof agentSockets>
  readonly advance: Advance
  warn(problem: string): void
}

/** How often silent clients are looked for, in milliseconds. */
const HEARTBEAT_MS = 15_000

/** Until the run is over, the agent parks, or the signal is aborted. */
export async function runAgent(deps: AgentProcessDeps, options: AdvanceOptions): Promise<AdvanceResult> {
  const agent = new AgentProcess(deps)
  const { signal = NEVER } = options
  using _alive = keptAlive(signal)
  await agent.arrive()
  try {
    return await agent.run(options)
  } finally {
    await agent.leave()
  }
}

class AgentProcess {
  readonly #deps: AgentProcessDeps
  #place: AgentPlace
  readonly #row: PresenceRow
  readonly #alarm: Alarm
  readonly #endpoint: Endpoint
  readonly #over = new AbortController()
  readonly #token = randomBytes(24).toString('base64url')
  #socket: ListeningSocket | null = null
  #lastInputAt: number | null = null
  #queued = 0
  #turns = 0
  #lastError: TurnError | null = null
  #endsAfterTurn: string | null = null
  readonly #superseded = new AbortController()
  readonly #warned = new Set<string>()
  #left = 'it ended'

  constructor(deps: AgentProcessDeps) {
    const { site, place, warn } = deps
    this.#deps = deps
    this.#place = place
    this.#row = new PresenceRow({ ...site, owner: place, warn, superseded: () => this.#supersede() })
    this.#alarm = new Alarm(site.clock)
    const verbs = new AgentVerbs({
      site,
      place: () => this.#place,
      beginsNext: () => this.#lastError !== null,
      endAfterTurn: by => {
        this.#endsAfterTurn = by
        this.#alarm.ring()
      },
      heard: () => this.#heard(),
    })
    this.#endpoint = new Endpoint({
      ...{ site, verbs, token: this.#token, row: this.#row },
      place: () => this.#place,
      standing: () => this.#standing(),
      hasQueued: () => this.#queued > 0,
      changed: () => this.#changed(),
    })
  }

  /** Without a socket it can be reached by the store alone. */
  async arrive(): Promise<void> {
    const { site, sockets, warn } = this.#deps
    try {
      this.#socket = (await sockets?.listen(socket => this.#endpoint.meet(socket))) ?? null
    } catch (thrown) {
      warn(messageOf(thrown))
    }
    const door = { process: site.liveness.self, endpoint: this.#socket?.path ?? '', protocol: FRAME_PROTOCOL }
    await this.#row.arrive({ ...door, token: this.#token }, this.#over.signal)
    void this.#sweep().catch(() => {})
    void this.#listenForSilence().catch(() => {})
  }

  /** A1: ends the present work, guarded by the lease. Then the agent is left to the later process. */
  #supersede(): void {
    this.#superseded.abort()
    this.#deps.warn('A later process of this agent is there. This one takes no messages, and ends once the run rests.')
    void this.#socket?.close()
  }

  async run(options: AdvanceOptions): Promise<AdvanceResult> {
    const { signal = NEVER, decisions = [], ...rest } = options
    for (let inputs = decisions; ; inputs = []) {
      void this.#endpoint.tell()
      const turn = { ...rest, pauseOn: PAUSE_KINDS, waitForModel: true, signal, decisions: inputs }
      const result = await this.#deps.advance(this.#place.run_id, turn)
      const over = await this.#rest(result, signal)
      if (over) return over
    }
  }

  /** The result, if this process is to leave; `null` if the run goes on. */
  async #rest(result: AdvanceResult, signal: AbortSignal): Promise<AdvanceResult | null> {
    this.#note(failureOf(result, this.#turns > 0 || this.#place.invocation > 1))
    this.#turns++
    const rests = result.status === 'waiting' || ('outage' in result && result.outage !== null)
    if (!rests && this.#lastError === null) return this.#leaveFor(result, 'its run is over')
    using _tidied = collectGarbageWhenIdle()
    const outcome = await this.#stay(AbortSignal.any([signal, this.#superseded.signal]))
    if (outcome === 'ready') return null
    if (typeof outcome === 'object') return this.#goOnWith(outcome.next)
    return this.#leaveFor(await this.#outcome(), REASONS[outcome])
  }

  #outcome(): Promise<AdvanceResult> {
    return this.#deps.site.holdpoint.run(this.#place.run_id)
  }

  #note(error: TurnError | null): void {
    if (error?.code !== this.#lastError?.code) this.#row.note({ last_error: error })
    this.#lastError = error
    void this.#endpoint.tell()
  }

  /** The next run of the session is that of this task from here on. */
  async #goOnWith(about: string): Promise<null> {
    const { task_id, invocation } = this.#place
    await this.#deps.site.store.tasks.move({ task_id, invocation, from: ['running'], about })
    this.#place = { ...this.#place, run_id: about }
    this.#note(null)
    return null
  }

  async leave(): Promise<void> {
    this.#over.abort()
    await this.#socket?.close()
    await this.#endpoint.answered()
    await this.#endpoint.close(this.#left)
    await this.#row.leave()
  }

  #leaveFor(result: AdvanceResult, because: string): AdvanceResult {
    this.#left = because
    return result
  }

  #stay(signal: AbortSignal): Promise<StayOutcome> {
    const { site } = this.#deps
    return stayWhileWaiting({
      ...{ site, place: this.#place, signal, alarm: this.#alarm, hasFailed: this.#lastError !== null },
      attendance: () => ({
        clients: this.#endpoint.clients,
        last_left_at: this.#endpoint.lastLeftAt,
        last_input_at: this.#lastInputAt,
        ends_after_turn: this.#endsAfterTurn,
      }),
      looked: () => void this.#endpoint.tell(),
      failed: problem => this.#warnOnce(problem),
      answered: () => this.#endpoint.answered(),
    })
  }

  /** Warns once of a store that fails at each look. */
  #warnOnce(problem: string): void {
    if (!this.#warned.has(problem)) this.#deps.warn(problem)
    this.#warned.add(problem)
  }

  #heard(): void {
    const { clock } = this.#deps.site
    this.#lastInputAt = clock.steady()
    this.#row.note({ last_input_at: isoTime(clock.now()) })
    this.#alarm.ring()
  }

  #changed(): void {
    this.#alarm.ring()
    void this.#endpoint.tell()
  }

  async #standing(): Promise<AgentStanding & { queued: number }> {
    const { site } = this.#deps
    const place = this.#place
    const { run } = await site.holdpoint.thread(place.thread_id)
    const queued = run?.queue.length ?? 0
    if (queued !== this.#queued) this.#row.note({ queued })
    this.#queued = queued
    const status = agentStanding(await factsOf(site, place, { last_error: this.#lastError }))
    return { ...status, queued }
  }

  /** Sockets of processes that were killed. */
  async #sweep(): Promise<void> {
    const present = await this.#deps.site.store.presences.list()
    await this.#deps.sockets?.sweep(new Set(present.map(({ endpoint }) => endpoint)))
  }

  async #listenForSilence(): Promise<void> {
    const { clock } = this.#deps.site
    for (;;) {
      await clock.sleep(HEARTBEAT_MS, this.#over.signal)
      this.#endpoint.dismissSilent()
    }
  }
}

/** Only what may go well another time, and not in the first turn: then there is nothing to come back to. */
function failureOf(result: AdvanceResult, isResumed: boolean): TurnError | null {
  const end = 'termination' in result ? result.termination : null
  if (!isResumed || end?.type !== 'error' || !end.retryable) return null
  return { code: end.code, message: end.message }
}

const REASONS: Record<'parked' | 'yielded' | 'stopped', string> = {
  parked: 'it was idle for too long',
  yielded: 'another agent waits for its place',
  stopped: 'its process was stopped',
}
