/**
 * Gives the journal from any point, then live (docs/design/library.md#following). Keeps: each durable event comes once, in
 * order, and only after it is durable. A follower reads at its own pace, and no writer waits for it. Ephemeral events come
 * in their place, or are dropped if the follower is far behind.
 */

import { RefusedError } from '../../core/errors.ts'
import type { JournalEvent } from '../../core/journal/event.ts'
import { unknownThread } from '../../core/journal/unknown-thread.ts'
import type { Ephemeral } from '../../ports/event-sink.ts'
import type { JournalStore } from '../../ports/store/journal.ts'

export interface FollowOptions {
  /** The last `seq` that the caller has; 0 for all of the journal. Default: 0. */
  readonly since?: number
  /** Ends it. */
  readonly signal?: AbortSignal
}

/** Passes on what is told, to whom it concerns. */
export class EphemeralHub {
  readonly #followers = new Map<string, Set<Inbox>>()

  publish(event: Ephemeral): void {
    for (const inbox of this.#followers.get(event.thread_id) ?? []) inbox.put(event)
  }

  join(threadId: string, inbox: Inbox): Disposable {
    const followers = this.#followers.get(threadId) ?? new Set()
    this.#followers.set(threadId, followers.add(inbox))
    return {
      [Symbol.dispose]: () => {
        followers.delete(inbox)
        if (followers.size === 0) this.#followers.delete(threadId)
      },
    }
  }
}

/** Events read at once, at most: a follower's memory does not grow with the journal. */
const PAGE = 500
/** Ephemeral events that a slow follower may be behind; older ones are dropped. */
const MOST_EPHEMERAL = 1_000

/** @throws RefusedError `unknown_session` */
export async function* followThread(
  store: JournalStore,
  hub: EphemeralHub,
  { threadId, since = 0, signal = NEVER }: FollowOptions & { threadId: string },
): AsyncGenerator<JournalEvent | Ephemeral, void, undefined> {
  if (!Number.isSafeInteger(since) || since < 0) throw invalidSince(since)
  const inbox = new Inbox()
  using _watch = store.watch(change => {
    if (change === null || change.thread_id === threadId) inbox.wake()
  })
  using _ephemeral = hub.join(threadId, inbox)
  using _stop = onAbort(signal, () => inbox.wake())
  using _alive = keptAlive(signal)
  if ((await store.journal(threadId, 0, 1)).length === 0) throw unknownThread(threadId)
  for (let seq = since; !signal.aborted; ) {
    const news = inbox.next()
    const page = await store.journal(threadId, seq, PAGE)
    seq = page.at(-1)?.seq ?? seq
    yield* inOrder(page, inbox.takeUntil(seq), signal)
    if (page.length < PAGE && !signal.aborted) await news
  }
}

const NEVER = new AbortController().signal
const LONGEST_TIMER_MS = 2 ** 31 - 1

/**
 * A process that does nothing but follow is not over. What the store listens with does not keep one alive. Once it is
 * aborted nobody need read to the end for the process to go.
 */
function keptAlive(signal: AbortSignal): Disposable {
  const timer = setInterval(() => {}, LONGEST_TIMER_MS)
  const aborted = onAbort(signal, () => clearInterval(timer))
  return {
    [Symbol.dispose]: () => {
      aborted[Symbol.dispose]()
      clearInterval(timer)
    },
  }
}

/** Calls back once, when the signal is aborted or where it is already, unless it is disposed of before. */
function onAbort(signal: AbortSignal, callBack: () => void): Disposable {
  signal.addEventListener('abort', callBack, { once: true })
  if (signal.aborted) callBack()
  return { [Symbol.dispose]: () => signal.removeEventListener('abort', callBack) }
}

/** What happened after an event, comes after it. Nothing comes once the signal is aborted. */
function* inOrder(
  page: readonly JournalEvent[],
  ephemeral: readonly Ephemeral[],
  signal: AbortSignal,
): Generator<JournalEvent | Ephemeral, void, undefined> {
  for (const event of [...page, ...ephemeral].toSorted((a, b) => placeOf(a) - placeOf(b))) {
    if (signal.aborted) return
    yield event
  }
}

/** Sorting keeps the order of those that happened behind the same event. */
function placeOf(event: JournalEvent | Ephemeral): number {
  return 'seq' in event ? event.seq : event.after + 0.5
}

/** What one follower has not seen yet, and its alarm clock. */
class Inbox {
  #ephemeral: Ephemeral[] = []
  #news = Promise.withResolvers<void>()

  put(event: Ephemeral): void {
    this.#ephemeral.push(event)
    if (this.#ephemeral.length > MOST_EPHEMERAL) this.#ephemeral.shift()
    this.wake()
  }

  wake(): void {
    this.#news.resolve()
  }

  /** Resolves at the next news from here on. */
  next(): Promise<void> {
    this.#news = Promise.withResolvers()
    return this.#news.promise
  }

  /** Those that happened no later than right behind the event `seq`. */
  takeUntil(seq: number): Ephemeral[] {
    const later = this.#ephemeral.findIndex(({ after }) => after > seq)
    return this.#ephemeral.splice(0, later < 0 ? this.#ephemeral.length : later)
  }
}

function invalidSince(since: number): RefusedError {
  return new RefusedError('invalid_arguments', `One can follow since a seq, a whole number from 0, not ${since}.`)
}
