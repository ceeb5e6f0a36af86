/**
 * Gives the journal from any point, then live (docs/design/library.md#following). Keeps: each durable event is given
 * once, in order, and only after it is durable. A follower reads at its own pace, and no writer waits for it. Ephemeral
 * events are given in their place, or dropped if the follower is far behind.
 */

import { keptAlive } from '../../async/kept-alive.ts'
import { NEVER, onAbort } from '../../async/on-abort.ts'
import { A_COUNT, A_SIGNAL, A_TEXT, checkFields, oneWordOf, type Rules } from '../../core/given-fields.ts'
import type { JournalEvent } from '../../core/journal/event.ts'
import type { Ephemeral } from '../../ports/event-sink.ts'
import type { Store } from '../../ports/store/store.ts'
import { PAGE } from './followed-thread.ts'
import { FollowerInbox } from './follower-inbox.ts'
import type { ThreadFeed } from './thread-feed.ts'

/** The options of `follow`. */
export interface FollowOptions {
  /** The last `seq` that the caller has; 0 for all of the journal. Default: 0. */
  readonly since?: number
  /** Ends it. */
  readonly signal?: AbortSignal
  /**
   * With `rest`, ends when the newest run waits or is done and all events until then were given. Default: continues.
   */
  readonly until?: 'rest'
}

export interface FollowRequest extends FollowOptions {
  readonly threadId: string
}

const REQUEST: Rules<FollowRequest> = { threadId: A_TEXT, since: A_COUNT, signal: A_SIGNAL, until: oneWordOf(['rest']) }

type FollowedStore = Pick<Store, 'journal' | 'newest' | 'runs'>

/** @throws RefusedError `unknown_session`, `invalid_arguments` */
export async function* followThread(
  store: FollowedStore,
  feed: ThreadFeed,
  request: FollowRequest,
): AsyncGenerator<JournalEvent | Ephemeral, void, undefined> {
  const { threadId, since = 0, signal = NEVER, until } = checkFields('follow', request, REQUEST)
  const inbox = new FollowerInbox(since)
  using place = feed.join(threadId, inbox)
  using _stop = onAbort(signal, () => inbox.wake())
  using _alive = keptAlive(signal)
  await place.found()
  const isAtRest = until === 'rest' ? restOf(store, threadId) : async () => false
  while (!signal.aborted) {
    const news = inbox.next()
    const page = place.thread.behind(inbox) ?? (await store.journal(threadId, inbox.seq, PAGE))
    yield* unlessAborted(signal, inbox.inOrder(page))
    place.thread.forgetRead()
    if (page.length === PAGE) inbox.reads = true
    else if (await isAtRest(inbox.seq)) return
    else if (!signal.aborted) await news
  }
}

/**
 * Makes a check of whether the newest run of a thread rests with no events after `seq`. Ephemeral pieces alone bring no
 * run to rest.
 */
function restOf(store: FollowedStore, threadId: string): (seq: number) => Promise<boolean> {
  let asked = -1
  return async seq => {
    if (seq === asked) return false
    asked = seq
    // The run first: events that come after this look are found by the next.
    const [run] = await store.runs({ thread_id: threadId, limit: 1 })
    if (run?.status === 'running') return false
    return (await store.newest([threadId])).get(threadId) === seq
  }
}

function* unlessAborted<T>(signal: AbortSignal, events: readonly T[]): Generator<T, void, undefined> {
  for (const event of events) {
    if (signal.aborted) return
    yield event
  }
}
