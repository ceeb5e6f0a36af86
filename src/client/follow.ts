/**
 * Follows a thread, or all changes, through a connection that may break.
 * Keeps: each durable event arrives once, in order. After a break the stream continues after the last one that arrived
 * (`Last-Event-ID`). Pieces of that time are missed: the event that has the whole arrives.
 */
import { RefusedError } from '../core/errors.ts'
import type { JournalEvent } from '../core/journal/event.ts'
import type { Ephemeral } from '../ports/event-sink.ts'
import type {
  AgentChanges,
  AgentNews,
  AgentStatusNews,
  FollowAgentOptions,
  FollowAgentsOptions,
} from '../runtime/face/agents.ts'
import type { FollowOptions } from '../runtime/following/follow-thread.ts'
import type { FollowRecordsOptions } from '../runtime/following/record-feed.ts'
import { type Frame, readFrames } from './read-frames.ts'
import type { RemoteChange } from './remote-holdpoint.ts'
import { rest, type Wire, type WireRequest, waitAfter } from './wire.ts'

/** The server ends the stream: it is about to end itself, or the token was revoked. */
const BYE = 'bye'
/** The event that ends `until=rest`: the client has everything. A server that is asked again has no content. */
const REST = 'rest'
const NO_CONTENT = 204
/** A server beats every 12 seconds. A connection that is silent for longer is dead. */
const LONGEST_SILENCE_MS = 45_000

type Followed = JournalEvent | Ephemeral

/** A stream that is to be followed over breaks. */
interface Stream<T> {
  readonly path: WireRequest['path']
  readonly query?: object
  readonly signal: AbortSignal | undefined
  /** The items that a frame brings, if any. */
  readonly read: (frame: Frame) => readonly T[]
}

interface Place<T> extends Stream<T> {
  /** The last id that arrived; `null` before the first, if the server chooses the beginning. */
  seq: number | null
  /** Connections in a row that brought nothing. */
  vain: number
  /** The server answered with a stream: from then on a break is no reason to end. */
  wasReached: boolean
  /** The run waits or is done, and the caller asked to stop there. */
  isOver: boolean
}

/** @throws RefusedError `unknown_session`, and ServerError if the server cannot be reached at first */
export function follow(
  wire: Wire,
  threadId: string,
  { since = 0, signal, until }: FollowOptions = {},
): AsyncGenerator<Followed, void, undefined> {
  const read = ({ id, event, data }: Frame): Followed[] =>
    id === null
      ? [{ kind: event, thread_id: threadId, ephemeral: true, ...(data as object) } as Ephemeral]
      : [data as JournalEvent]
  return followed(wire, { path: ['threads', threadId, 'events'], query: { until }, signal, read }, since)
}

/** @throws RefusedError `unknown_agent`, `ambiguous_id`, and ServerError if the server cannot be reached at first */
export function followAgent(
  wire: Wire,
  named: string,
  { since = 0, signal }: FollowAgentOptions = {},
): AsyncGenerator<AgentNews, void, undefined> {
  return followed(wire, { path: ['agents', named, 'events'], signal, read: agentNews }, since)
}

function agentNews({ id, event, data }: Frame): readonly AgentNews[] {
  if (id !== null) return [data as JournalEvent]
  if (event === 'agent.status') return [{ kind: event, agent: data as AgentStatusNews['agent'] }]
  return [{ kind: event, ...(data as object) } as AgentNews]
}

/** The first frame: the position at which the stream begins. */
const POSITION = 'position'

/** @throws ServerError if the server cannot be reached at first, and what it refuses */
export function followChanges(
  wire: Wire,
  { since, signal }: FollowRecordsOptions = {},
): AsyncGenerator<RemoteChange, void, undefined> {
  const read = ({ id, event, data }: Frame) => (id === null || event === POSITION ? [] : [data as RemoteChange])
  return followed(wire, { path: ['changes'], signal, read }, since ?? null)
}

/** @throws ServerError if the server cannot be reached at first, and what it refuses */
export function followAgents(
  wire: Wire,
  { signal }: FollowAgentsOptions = {},
): AsyncGenerator<AgentChanges, void, undefined> {
  const read = ({ event, data }: Frame): AgentChanges[] => {
    if (event !== 'agents.changed') return []
    const { task_ids } = data as AgentChanges
    return [{ task_ids }]
  }
  return followed(wire, { path: ['changes'], signal, read }, null)
}

async function* followed<T>(wire: Wire, stream: Stream<T>, seq: number | null): AsyncGenerator<T, void, undefined> {
  const place: Place<T> = { ...stream, seq, vain: 0, wasReached: false, isOver: false }
  const { signal } = stream
  while (!signal?.aborted) {
    try {
      yield* connection(wire, place)
    } catch (thrown) {
      if (!signal?.aborted && (!place.wasReached || thrown instanceof RefusedError)) throw thrown
    }
    if (place.isOver) return
    await rest(waitAfter(null, place.vain++), signal).catch(() => {})
  }
}

async function* connection<T>(wire: Wire, place: Place<T>): AsyncGenerator<T, void, undefined> {
  const over = new AbortController()
  const end = () => over.abort()
  place.signal?.addEventListener('abort', end, { once: true })
  let silence = setTimeout(end, LONGEST_SILENCE_MS)
  const heard = () => {
    clearTimeout(silence)
    silence = setTimeout(end, LONGEST_SILENCE_MS)
  }
  try {
    const { body, status } = await wire.stream({ ...requestOf(place), signal: over.signal })
    place.wasReached = true
    place.isOver = status === NO_CONTENT
    if (body === null) return
    for await (const frame of readFrames(body, heard)) {
      if (isLast(frame, place)) return
      if (isNew(frame, place)) yield* place.read(frame)
    }
  } finally {
    clearTimeout(silence)
    place.signal?.removeEventListener('abort', end)
    over.abort()
  }
}

function requestOf({ path, query = {}, seq }: Place<unknown>): WireRequest {
  return { path, query, ...(seq !== null && { headers: { 'last-event-id': String(seq) } }) }
}

function isLast({ event }: Frame, place: Place<unknown>): boolean {
  place.isOver = event === REST
  return place.isOver || event === BYE
}

/** Each durable frame is passed on once. */
function isNew({ id }: Frame, place: Place<unknown>): boolean {
  place.vain = 0
  if (id === null) return true
  if (place.seq !== null && id <= place.seq) return false
  place.seq = id
  return true
}
