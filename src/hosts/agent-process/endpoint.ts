/**
 * The endpoint of one agent, for clients that attach.
 * E1  A client proves that it can read the store. One writer at a time, any number of viewers; any of them may decide.
 * E2  A client that arrives, leaves, is cut or never reads ends nothing, and delays no run and no other client.
 * E3  A client that is silent for `SILENT_MS` has left.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Socket } from 'node:net'
import type { AgentStanding } from '../../core/fleet/agent-status.ts'
import {
  type AgentFrame,
  type ClientFrame,
  FRAME_PROTOCOL,
  type HelloFrame,
  type StatusFrame,
} from '../../core/fleet/frames.ts'
import { afterArrival, afterLeaving, leaseToWrite, roleOf, type WriterLease } from '../../core/fleet/writer-lease.ts'
import { isoTime } from '../../core/text/iso-time.ts'
import { ProvenClients } from '../listening/proven-clients.ts'
import { type AgentVerbs, fault, MOST_QUEUED, orError, SURFACE } from './agent-verbs.ts'
import { AttachedClient } from './attached-client.ts'
import { Broadcast } from './broadcast.ts'
import { lineOf, MOST_FRAME_BYTES } from './client-output.ts'
import type { AgentContext, AgentPlace } from './place.ts'
import type { PresenceRow } from './presence-row.ts'

/** Milliseconds. */
const SILENT_MS = 60_000

export interface EndpointDeps {
  readonly site: AgentContext
  readonly token: string
  readonly verbs: AgentVerbs
  readonly row: PresenceRow
  place(): AgentPlace
  /** Notes how many messages wait, too. */
  standing(): Promise<AgentStanding & Pick<StatusFrame, 'queued'>>
  /** Messages waited when that was noted last, so it has to be noted once more. */
  hasQueued(): boolean
  /** A client came or left. */
  changed(): void
}

export class Endpoint {
  readonly #deps: EndpointDeps
  readonly #clients = new Set<AttachedClient>()
  #arrivals = 0
  #lease: WriterLease = null
  #broadcast: Broadcast | null = null
  #lastLeft: { readonly at: string; readonly steady: number } | null = null
  #isNews = false
  #telling: Promise<void> | null = null
  readonly #proven = new ProvenClients()

  constructor(deps: EndpointDeps) {
    this.#deps = deps
  }

  get clients(): number {
    return this.#attached().length
  }

  /** Milliseconds since 1970; `null` if none has left. */
  get lastLeftAt(): number | null {
    return this.#lastLeft?.steady ?? null
  }

  meet(socket: Socket): void {
    const { clock } = this.#deps.site
    const client = new AttachedClient({
      socket,
      now: () => clock.steady(),
      arrive: (client, hello) => this.#arrive(client, hello),
      answer: (client, frame) => this.#answer(client, frame),
      leave: client => this.#leave(client),
    })
    this.#clients.add(client)
    socket.once('close', () => this.#clients.delete(client))
  }

  /**
   * Sends the status of the agent to all clients. If the store fails, the next change does. One look serves many
   * changes. Without clients it only looks whether messages still wait.
   */
  tell(): Promise<void> {
    this.#isNews = true
    this.#telling ??= this.#tellAll().finally(() => {
      this.#telling = null
    })
    return this.#telling
  }

  async #tellAll(): Promise<void> {
    while (this.#isNews && (this.#attached().length > 0 || this.#deps.hasQueued())) {
      this.#isNews = false
      const status = await this.#deps.standing().catch(() => null)
      if (status === null) return
      for (const client of this.#attached()) client.output?.mention(lineOf(this.#status(client, status)))
    }
  }

  /** Disconnects clients that were silent for too long. */
  dismissSilent(): void {
    const before = this.#deps.site.clock.steady() - SILENT_MS
    for (const client of this.#attached())
      if (client.heardAt <= before)
        client.dismiss({ type: 'bye', because: 'nothing was heard for a minute; send a ping' })
  }

  /** Resolves once what clients have asked so far is answered. */
  async answered(): Promise<void> {
    await Promise.all([...this.#clients].map(client => client.answered()))
  }

  async close(because: string): Promise<void> {
    await this.#broadcast?.close()
    for (const client of this.#clients) client.dismiss({ type: 'bye', because })
    await this.#proven.close()
  }

  async #arrive(client: AttachedClient, { token, role, since, actor }: HelloFrame): Promise<void> {
    const { site } = this.#deps
    if (!isSame(token, this.#deps.token)) return client.refuse('forbidden', 'The token is not that of this agent.')
    const place = this.#deps.place()
    const seq = (await site.store.newest([place.thread_id])).get(place.thread_id) ?? 0
    if (since !== undefined && since > seq)
      return client.refuse('unknown_position', `The session has events up to ${seq}, and none at ${since}.`)
    const who = { id: String(++this.#arrivals), actor, role }
    const [welcome, peer] = await Promise.all([this.#welcome(place, seq), this.#proven.invite(client)])
    const lease = afterArrival(this.#lease, who)
    const clients = this.#attached().length + 1
    client.admit(
      who,
      { ...welcome, ...peer, role: roleOf(lease, who), writer: lease?.actor ?? null, clients },
      {
        since: since ?? seq,
        read: (after, limit) => site.store.journal(place.thread_id, after, limit),
        told: () => this.#broadcast?.seq ?? 0,
      },
    )
    if (!client.who) return
    this.#lease = lease
    this.#follow(place, seq)
    this.#note()
  }

  async #welcome({ run_id, thread_id, ...place }: AgentPlace, seq: number) {
    const { site } = this.#deps
    const [{ status, because }, holds, { run }] = await Promise.all([
      this.#deps.standing(),
      site.holdpoint.holds({ run_id, status: 'open' }),
      site.holdpoint.thread(thread_id),
    ])
    const queued = (run?.queue ?? []).map(({ content, author }) => ({
      input_id: null,
      text: typeof content === 'string' ? content : '',
      author,
    }))
    return {
      ...({ type: 'welcome', protocol: FRAME_PROTOCOL, status, because, seq, holds, queued } as const),
      agent: { id: place.task_id, name: place.name, run_id, thread_id },
      limits: { frame: MOST_FRAME_BYTES, queue: MOST_QUEUED },
    }
  }

  /** Events that a client has read by then are not sent again. */
  #follow({ thread_id }: AgentPlace, since: number): void {
    const { holdpoint } = this.#deps.site
    this.#broadcast ??= new Broadcast({
      ...{ holdpoint, thread_id, since },
      tell: (lines, seq) => {
        for (const client of this.#clients) client.output?.tell(lines, seq)
      },
      failed: because => {
        for (const client of this.#clients) client.dismiss({ type: 'bye', because })
      },
    })
  }

  async #answer(client: AttachedClient, frame: ClientFrame): Promise<AgentFrame> {
    const { verbs } = this.#deps
    const { who } = client
    if (frame.type === 'ping') return { type: 'pong', n: frame.n }
    if (!who) return fault(frame.input_id, 'busy', 'The client has left.')
    if (frame.type === 'take_writer') return this.#takeWriter(client, frame.input_id)
    if (frame.type === 'decide')
      return orError(frame.input_id, async () => {
        await this.#proven.refuseUnproven(client)
        return verbs.decide(frame, who.actor)
      })
    const lease = leaseToWrite(this.#lease, who)
    if (!lease) return fault(frame.input_id, 'not_writer', this.#whoWrites())
    if (lease !== this.#lease) this.#pass(lease)
    return frame.type === 'end' ? verbs.end(frame, who.actor) : verbs.say(frame, who.actor)
  }

  #whoWrites(): string {
    return this.#lease ? `${this.#lease.actor} writes to this agent.` : 'This client came to view.'
  }

  /** P10: that one client takes the right to write from another one is on record. */
  async #takeWriter({ who }: AttachedClient, input_id: string): Promise<AgentFrame> {
    if (!who) return fault(input_id, 'busy', 'The client has left.')
    const taken: AgentFrame = { type: 'ack', input_id, outcome: 'taken', writer: who.actor }
    if (this.#lease?.id === who.id) return taken
    const { task_id, run_id, thread_id } = this.#deps.place()
    const from = this.#lease?.actor ?? null
    const data = { task_id, from }
    await this.#deps.site.store.record([
      { kind: 'writer.taken', actor: who.actor, surface: SURFACE, run_id, thread_id, data },
    ])
    this.#pass(who)
    return taken
  }

  #pass(lease: WriterLease): void {
    this.#lease = lease
    this.#note()
  }

  #leave(client: AttachedClient): void {
    if (client.who) this.#lease = afterLeaving(this.#lease, client.who)
    this.#clients.delete(client)
    const { clock } = this.#deps.site
    this.#lastLeft = { at: isoTime(clock.now()), steady: clock.steady() }
    this.#note()
    if (this.#attached().length > 0) return
    void this.#broadcast?.close()
    this.#broadcast = null
  }

  #note(): void {
    const last_left_at = this.#lastLeft?.at ?? null
    this.#deps.row.note({ clients: this.clients, writer: this.#lease?.actor ?? null, last_left_at })
    this.#deps.changed()
  }

  #attached(): readonly AttachedClient[] {
    return [...this.#clients].filter(({ who }) => who !== null)
  }

  #status({ who }: AttachedClient, state: Omit<StatusFrame, 'type' | 'role' | 'writer' | 'clients'>): StatusFrame {
    const role = who ? roleOf(this.#lease, who) : 'viewer'
    const { status, because, queued } = state
    return {
      ...{ type: 'status', status, because, queued },
      ...{ role, writer: this.#lease?.actor ?? null, clients: this.clients },
    }
  }
}

/** Compares digests, so that the time of the comparison reveals nothing. */
function isSame(given: string, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(token))
}
