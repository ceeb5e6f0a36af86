/**
 * The events of an agent, from its process or from the store. Keeps: each event once and in order, over any number of
 * its processes; while none is there, the store tells the same.
 */
import { eachChange } from '../../../async/each-change.ts'
import { RefusedError } from '../../../core/errors.ts'
import { AGENT_IS_OVER, type AgentStatus } from '../../../core/fleet/agent-status.ts'
import type { AgentFrame, StatusFrame, WelcomeFrame } from '../../../core/fleet/frames.ts'
import type { JournalEvent } from '../../../core/journal/event.ts'
import type { Ephemeral } from '../../../ports/event-sink.ts'
import type { AgentSummary } from '../../../runtime/face/agents.ts'
import { inLocalTime } from '../../display/ago.ts'
import { systemClock } from '../../process/system-clock.ts'
import { version } from '../../process/version.ts'
import type { FollowConversation, Presence } from '../conversation/conversation.ts'
import { AgentConnection, isUnreachable } from './agent-connection.ts'
import { AskedFrames } from './asked-frames.ts'
import type { AttachedAgent, AttachedSite } from './attached-site.ts'

/** Milliseconds from one look for a process to the next. */
const LOOK_MS = 100
/** A state is told once it has lasted so long: a process that starts was parked until just now. In milliseconds. */
const SETTLED_MS = 800

type Event = JournalEvent | Ephemeral

const ATTACHING: Presence = {
  ...{
    work: 'none',
    isStopped: false,
    role: 'writer',
    writer: null,
    clients: 0,
    trouble: null,
    standing: 'attaching…',
  },
}

export class AttachedStream {
  readonly frames: AskedFrames = new AskedFrames()
  readonly #site: AttachedSite
  readonly #agent: AttachedAgent
  readonly #tell: (text: string) => void
  readonly #changed: () => void
  /** Its person ended the agent: once that is over, so is this. */
  isEnding = false
  presence: Presence = ATTACHING
  #isOver = false
  #told: string | null = null

  /** `tell`: one line for the person. `changed`: `presence` is another one. */
  constructor(site: AttachedSite, agent: AttachedAgent, on: { tell(text: string): void; changed(): void }) {
    this.#site = site
    this.#agent = agent
    this.#tell = text => on.tell(text)
    this.#changed = () => on.changed()
  }

  async *follow({ since, signal }: FollowConversation): AsyncIterable<Event> {
    let seq = since
    while (!signal.aborted && !this.#isOver) {
      using connection = await this.#connect(seq)
      for await (const event of connection ? this.#live(connection, signal) : this.#atRest(seq, signal)) {
        if (!('ephemeral' in event)) seq = event.seq
        yield event
      }
    }
  }

  /** `null` if no process is there. @throws RefusedError `not_attached` if it speaks other frames */
  async #connect(since: number): Promise<AgentConnection | null> {
    const { door: find, person: actor } = this.#site
    const door = (await find?.(this.#agent.summary.id)) ?? null
    if (door === null) return null
    try {
      return await AgentConnection.open(door, { role: 'writer', since, actor, client: `holdpoint/${version()}` })
    } catch (thrown) {
      if (isUnreachable(thrown)) return null
      throw thrown
    }
  }

  async *#live(connection: AgentConnection, signal: AbortSignal): AsyncIterable<Event> {
    this.frames.begin(connection)
    this.#told = null
    try {
      for await (const frame of connection.frames(signal)) {
        if (frame.type === 'event') yield await this.#whole(frame)
        else if (frame.type === 'delta') yield frame.event as unknown as Ephemeral
        else this.#hear(frame)
      }
    } finally {
      this.frames.end()
    }
  }

  /** Until there is a process to speak with. */
  async *#atRest(since: number, signal: AbortSignal): AsyncIterable<Event> {
    const back = new AbortController()
    const until = AbortSignal.any([signal, back.signal])
    const looked = this.#look(until).finally(() => back.abort())
    // A failure is told once the events have ended.
    looked.catch(() => {})
    try {
      yield* this.#site.holdpoint.follow(this.#agent.sessionId, { since, signal: until })
    } finally {
      back.abort()
      await looked
    }
  }

  async #look(signal: AbortSignal): Promise<void> {
    const { holdpoint, door, watch } = this.#site
    const { id } = this.#agent.summary
    // One that refuses to be spoken with is not asked without a rest.
    await systemClock.sleep(LOOK_MS, signal).catch(() => {})
    const watches = [(onChange: () => void) => watch(onChange)]
    const gone = new Settled()
    for await (const _ of eachChange({ clock: systemClock, watches, signal, restMs: LOOK_MS })) {
      if (signal.aborted) return
      const agent = await holdpoint.agents.find(id)
      this.#isOver = this.isEnding && AGENT_IS_OVER[agent.status]
      if (this.#isOver || (await door?.(id))) return
      this.#set(standingOf(agent))
      await this.#endNow(agent)
      this.#say(gone.at(this.#goneText(agent), systemClock.now()))
    }
  }

  /** Over a server its process may be there, and is not seen. */
  #goneText(agent: AgentSummary): string | null {
    const isGone = this.#site.door !== null || !LIVES.has(agent.status)
    return isGone ? goneText(agent, this.#agent.called) : null
  }

  /** Over a server its turn is waited for here. */
  async #endNow({ id, status }: AgentSummary): Promise<void> {
    const { holdpoint, person: by, surface, door } = this.#site
    if (door !== null || !this.isEnding || (status !== 'idle' && status !== 'parked')) return
    try {
      await holdpoint.agents.end(id, { by, surface })
    } catch (thrown) {
      // A message was quicker, and is answered first.
      if (!(thrown instanceof RefusedError)) throw thrown
    }
  }

  #hear(frame: Exclude<AgentFrame, { readonly type: 'event' | 'delta' }>): void {
    if (frame.type === 'ack') this.frames.hear(frame)
    if (frame.type === 'error' && frame.input_id !== undefined) this.frames.hear(frame)
    else if (frame.type === 'error') this.#set({ trouble: frame.message })
    if (frame.type !== 'welcome' && frame.type !== 'status') return
    this.#set(standingIn(frame))
    const { role, writer } = frame
    if (role === 'writer') this.#told = null
    else if (writer !== null) this.#say(`${writer} writes to it: /writer takes that over`)
  }

  /** Once, while it stays so. */
  #say(text: string | null): void {
    if (text === null || text === this.#told) return
    this.#told = text
    this.#tell(text)
  }

  /** An event that is longer than a line comes without its data. */
  async #whole({ event, omitted_bytes }: Extract<AgentFrame, { readonly type: 'event' }>): Promise<JournalEvent> {
    if (omitted_bytes === undefined) return event
    const [whole] = await this.#site.journal(this.#agent.sessionId, event.seq - 1, 1)
    return whole ?? event
  }

  #set(change: Partial<Presence>): void {
    this.presence = { ...this.presence, ...change }
    this.#changed()
  }
}

/** A text that was the same for a while. */
class Settled {
  #text: string | null = null
  #since = 0

  /** `null` while it is too new. `now`: milliseconds. */
  at(text: string | null, now: number): string | null {
    if (text !== this.#text) [this.#text, this.#since] = [text, now]
    return now - this.#since >= SETTLED_MS ? text : null
  }
}

const LIVES: ReadonlySet<AgentStatus> = new Set(['idle', 'waiting'])
const WORKS: ReadonlySet<AgentStatus> = new Set(['queued', 'spawning', 'running', 'killing'])

/** How one goes on from a status in which no process is there: in the status line, and as a sentence. */
const WAYS_ON: Partial<Record<AgentStatus, readonly [short: string, sentence: string]>> = {
  waiting: ['a decision goes on', 'Your decision starts its next process.'],
  parked: ['a message goes on', 'Your next message starts its process.'],
  done: ['a message goes on', 'Your next message goes on with it.'],
  crashed: ['/resume goes on', '/resume goes on with its journal.'],
}

/** As its process tells it: while it works, the clock tells. */
function standingIn({ status, role, writer, clients }: WelcomeFrame | StatusFrame): Partial<Presence> {
  const work = WORKS.has(status) ? 'here' : 'none'
  return { work, role, writer, clients, standing: status === 'idle' || AGENT_IS_OVER[status] ? status : null }
}

/** As the store tells it, without a process: then no client is attached. */
function standingOf({ status }: Pick<AgentSummary, 'status'>): Partial<Presence> {
  const [short] = WAYS_ON[status] ?? []
  const standing = short === undefined ? status : `${status}: ${short}`
  return { work: WORKS.has(status) ? 'here' : 'none', role: 'writer', writer: null, clients: 0, standing }
}

/** For the person, once the process of an agent is gone; `null` while the next one is about to come. */
function goneText({ status, because }: Pick<AgentSummary, 'status' | 'because'>, called: string): string | null {
  if (WORKS.has(status)) return null
  const [, sentence] = WAYS_ON[status] ?? []
  return `${called} is ${status}: ${inLocalTime(because)}.${sentence === undefined ? '' : ` ${sentence}`}`
}
