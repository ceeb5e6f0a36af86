/**
 * The process of an interactive agent: it advances its run, stays while the run waits, and lets others attach.
 * A1  Whatever becomes of its socket, its row or its clients, the run goes on.
 * A2  Its run is advanced like every other one, and any process may decide for it or advance it.
 */
import { randomBytes } from 'node:crypto'
import { Alarm } from '../../async/alarm.ts'
import { keptAlive } from '../../async/kept-alive.ts'
import { NEVER } from '../../async/on-abort.ts'
import { messageOf } from '../../core/errors.ts'
import { type AgentStanding, agentStanding } from '../../core/fleet/agent-status.ts'
import { FRAME_PROTOCOL } from '../../core/fleet/frames.ts'
import { PAUSE_KINDS } from '../../core/run/profile.ts'
import type { AdvanceOptions, AdvanceResult } from '../../runtime/views/face-options.ts'
import type { agentSockets, ListeningSocket } from '../compose/agent-sockets.ts'
import { AgentVerbs } from './agent-verbs.ts'
import { Endpoint } from './endpoint.ts'
import { type Lingered, linger } from './linger.ts'
import { type AgentPlace, type AgentSite, factsOf } from './place.ts'
import { PresenceRow } from './presence-row.ts'

/** Advances the run until it rests, or waits while another process does. */
export type Advance = (options: AdvanceOptions) => Promise<AdvanceResult>

export interface AgentProcessDeps {
  readonly site: AgentSite
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
  readonly #row: PresenceRow
  readonly #alarm: Alarm
  readonly #endpoint: Endpoint
  readonly #over = new AbortController()
  readonly #token = randomBytes(24).toString('base64url')
  #socket: ListeningSocket | null = null
  #turn = new AbortController()
  #lastInputAt: number | null = null
  #queued = 0
  #endsAfterTurn: string | null = null
  #endsAt: number | null = null
  #left = 'it ended'

  constructor(deps: AgentProcessDeps) {
    const { site, place } = deps
    this.#deps = deps
    this.#row = new PresenceRow(site.store, place)
    this.#alarm = new Alarm(site.clock)
    const verbs = new AgentVerbs({
      site,
      place: () => place,
      interrupt: () => this.#turn.abort(new Error('a message came that interrupts')),
      endAfterTurn: by => {
        this.#endsAfterTurn = by
        this.#alarm.ring()
      },
      heard: () => this.#heard(),
    })
    this.#endpoint = new Endpoint({
      ...{ site, verbs, token: this.#token, row: this.#row },
      place: () => place,
      standing: () => this.#standing(),
      changed: () => this.#changed(),
    })
  }

  /** Without a socket it can be reached by the store alone. */
  async arrive(): Promise<void> {
    const { site, place, sockets, warn } = this.#deps
    const { task_id, invocation } = place
    try {
      this.#socket = (await sockets?.listen(socket => this.#endpoint.meet(socket))) ?? null
    } catch (thrown) {
      warn(messageOf(thrown))
    }
    const door = { process: site.liveness.self, endpoint: this.#socket?.path ?? '', protocol: FRAME_PROTOCOL }
    await site.store.presences.arrive({ task_id, invocation, ...door, token: this.#token })
    void this.#sweep().catch(() => {})
    void this.#listenForSilence().catch(() => {})
  }

  async run(options: AdvanceOptions): Promise<AdvanceResult> {
    const { site, place, advance } = this.#deps
    const { signal = NEVER, decisions = [], ...rest } = options
    for (let said = decisions; ; said = []) {
      const turn = { ...rest, pauseOn: PAUSE_KINDS, signal: this.#begin(signal), decisions: said }
      const result = await advance(turn)
      void this.#endpoint.tell()
      // What a message interrupted goes on with that message.
      if (result.status === 'running' && this.#turn.signal.aborted && !signal.aborted) continue
      if (result.status !== 'waiting') return this.#leaveFor(result, 'its run is over')
      const lingered = await this.#linger(signal)
      if (lingered !== 'ready') return this.#leaveFor(await site.holdpoint.run(place.run_id), REASONS[lingered])
    }
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

  /** Another signal for each turn: one that was interrupted does not stop the next. */
  #begin(signal: AbortSignal): AbortSignal {
    this.#turn = new AbortController()
    this.#endsAt = null
    return AbortSignal.any([signal, this.#turn.signal])
  }

  #linger(signal: AbortSignal): Promise<Lingered> {
    const { site, place } = this.#deps
    return linger({
      ...{ site, place, signal, alarm: this.#alarm },
      attendance: () => ({
        clients: this.#endpoint.clients,
        last_left_at: this.#endpoint.lastLeftAt,
        last_input_at: this.#lastInputAt,
        ends_after_turn: this.#endsAfterTurn,
      }),
      looked: endsAt => {
        this.#endsAt = endsAt
        void this.#endpoint.tell()
      },
      answered: () => this.#endpoint.answered(),
    })
  }

  #heard(): void {
    this.#lastInputAt = this.#deps.site.clock.now()
    this.#row.note({ last_input_at: new Date(this.#lastInputAt).toISOString() })
    this.#alarm.ring()
  }

  #changed(): void {
    this.#alarm.ring()
    void this.#endpoint.tell()
  }

  async #standing(): Promise<AgentStanding & { ends_at: string | null; queued: number }> {
    const { site, place } = this.#deps
    const { run } = await site.holdpoint.thread(place.thread_id)
    const queued = run?.queue.length ?? 0
    if (queued !== this.#queued) this.#row.note({ queued })
    this.#queued = queued
    const standing = agentStanding(await factsOf(site, place, { queued, last_error: null }))
    return { ...standing, ends_at: this.#endsAt === null ? null : new Date(this.#endsAt).toISOString(), queued }
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

const REASONS: Record<Exclude<Lingered, 'ready'>, string> = {
  parked: 'idle_timeout',
  stopped: 'its process was stopped',
}
