/**
 * Follows a thread through a connection that may break. Keeps: each durable event comes once, in order; after a break it
 * goes on behind the last one that came (`Last-Event-ID`). Pieces that were told meanwhile are missed: the event that has
 * the whole comes.
 */
import { RefusedError } from '../core/errors.ts'
import type { JournalEvent } from '../core/journal/event.ts'
import type { Ephemeral } from '../ports/event-sink.ts'
import type { FollowOptions } from '../runtime/following/follow-thread.ts'
import { type Frame, readFrames } from './read-frames.ts'
import { rest, type Wire, waitAfter } from './wire.ts'

/** The server ends the stream: it is about to end itself, or the token was revoked. */
const BYE = 'bye'
/** With `until=rest`: the client has all. A server that is asked again then has no content. */
const REST = 'rest'
const NO_CONTENT = 204
/** A server beats every 12 seconds. A connection that is silent for longer is dead. */
const LONGEST_SILENCE_MS = 45_000

type Followed = JournalEvent | Ephemeral

interface Place {
  readonly threadId: string
  readonly signal: AbortSignal | undefined
  readonly until: FollowOptions['until']
  /** The last `seq` that came. */
  seq: number
  /** Connections in a row that brought nothing. */
  vain: number
  /** The server answered with a stream: from then on a break is no reason to end. */
  wasReached: boolean
  /** It came to rest, and that was to be the end. */
  isOver: boolean
}

/** @throws RefusedError `unknown_session`, and ServerError if the server cannot be reached at first */
export async function* follow(
  wire: Wire,
  threadId: string,
  { since = 0, signal, until }: FollowOptions = {},
): AsyncGenerator<Followed, void, undefined> {
  const place: Place = { threadId, signal, until, seq: since, vain: 0, wasReached: false, isOver: false }
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

async function* connection(wire: Wire, place: Place): AsyncGenerator<Followed, void, undefined> {
  const over = new AbortController()
  const end = () => over.abort()
  place.signal?.addEventListener('abort', end, { once: true })
  let silence = setTimeout(end, LONGEST_SILENCE_MS)
  const heard = () => {
    clearTimeout(silence)
    silence = setTimeout(end, LONGEST_SILENCE_MS)
  }
  try {
    const { body, status } = await wire.stream({ ...streamOf(place), signal: over.signal })
    place.wasReached = true
    place.isOver = status === NO_CONTENT
    if (body === null) return
    for await (const frame of readFrames(body, heard)) {
      if (isLast(frame, place)) return
      yield* taken(frame, place)
    }
  } finally {
    clearTimeout(silence)
    place.signal?.removeEventListener('abort', end)
    over.abort()
  }
}

function streamOf({ threadId, until, seq }: Place): Parameters<Wire['stream']>[0] {
  return { path: ['threads', threadId, 'events'], query: { until }, headers: { 'last-event-id': String(seq) } }
}

function isLast({ event }: Frame, place: Place): boolean {
  place.isOver = event === REST
  return place.isOver || event === BYE
}

function* taken({ id, event, data }: Frame, place: Place): Generator<Followed> {
  place.vain = 0
  if (id === null) {
    yield { kind: event, thread_id: place.threadId, ephemeral: true, ...(data as object) } as Ephemeral
  } else if (id > place.seq) {
    place.seq = id
    yield data as JournalEvent
  }
}
