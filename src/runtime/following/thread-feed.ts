/**
 * The growth of the threads that this process follows, read once for all of their followers.
 * F1  The store is watched once, and only while a thread is followed.
 * F2  A change that names its thread costs no look. Changes of other processes cost one look, a single query for all
 *     followed threads, at most one in 20 ms. However many threads are followed, looks take a tenth of the time at
 *     most.
 * F3  Each thread that grew is read once. A follower that is far behind reads for itself.
 * F4  If the store cannot be read, the followers are woken: each reads for itself, and meets the error.
 */
import type { Thread } from '../../core/journal/thread.ts'
import { unknownThread } from '../../core/run/unknown-run.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Ephemeral } from '../../ports/event-sink.ts'
import type { LiveChannel } from '../../ports/live-channel.ts'
import type { Growth, JournalStore } from '../../ports/store/journal.ts'
import { FollowedThread } from './followed-thread.ts'
import type { FollowerInbox } from './follower-inbox.ts'

/** The shortest time from one look to the next. */
const REST_MS = 20
/** The pause after a long look, as a multiple of the time the look took. */
const RESTS = 9
/** However long a look took, or how far the clock was set. */
const MOST_REST_MS = 250

/** A follower's place at a thread; it leaves by disposing of it. */
export interface Place extends Disposable {
  readonly thread: FollowedThread
  /** @throws RefusedError `unknown_session` */
  found(): Promise<void>
}

export class ThreadFeed {
  readonly #store: JournalStore
  readonly #clock: Clock
  readonly #live: Pick<LiveChannel, 'follow'> | null
  readonly #threads = new Map<string, FollowedThread>()
  #watch: Disposable | null = null
  #over = new AbortController()
  #looking = false
  #again = false

  constructor(store: JournalStore, clock: Clock, live: Pick<LiveChannel, 'follow'> | null = null) {
    this.#store = store
    this.#clock = clock
    this.#live = live
  }

  /** Gives an ephemeral event to the followers of its thread. */
  publish(event: Ephemeral): void {
    const thread = this.#threads.get(event.thread_id)
    if (!thread) return
    for (const inbox of thread.inboxes) inbox.put(event)
    // The event may arrive before the news of the durable event that it follows.
    thread.grown(event.after)
  }

  join(threadId: string, inbox: FollowerInbox): Place {
    const thread = this.#threads.get(threadId) ?? new FollowedThread(this.#store, threadId)
    this.#threads.set(threadId, thread)
    thread.inboxes.add(inbox)
    this.#watch ??= this.#store.watch(change => this.#hear(change))
    thread.live ??= this.#live?.follow(threadId, event => this.publish(event)) ?? null
    return {
      thread,
      found: async () => {
        if ((await thread.find()) === 0) throw unknownThread(threadId)
      },
      [Symbol.dispose]: () => this.#leave(thread, inbox),
    }
  }

  has(threadId: string): boolean {
    return this.#threads.has(threadId)
  }

  /** The current state of a followed thread, for the caller to keep; `null` if the thread is not followed. */
  async thread(threadId: string): Promise<Thread | null> {
    return (await this.#threads.get(threadId)?.thread()) ?? null
  }

  #leave(thread: FollowedThread, inbox: FollowerInbox): void {
    thread.inboxes.delete(inbox)
    if (thread.inboxes.size === 0) {
      thread.live?.[Symbol.dispose]()
      this.#threads.delete(thread.id)
    }
    if (this.#threads.size > 0) return
    this.#watch?.[Symbol.dispose]()
    this.#watch = null
    this.#over.abort()
    this.#over = new AbortController()
  }

  #hear(change: Growth | null): void {
    if (change) this.#threads.get(change.thread_id)?.grown(change.seq)
    else this.#again = true
    if (this.#again && !this.#looking) void this.#look(this.#over.signal)
  }

  async #look(over: AbortSignal): Promise<void> {
    this.#looking = true
    while (this.#again && !over.aborted) {
      this.#again = false
      const began = this.#clock.now()
      await this.#lookOnce()
      const rest = Math.max(REST_MS, RESTS * (this.#clock.now() - began))
      await this.#clock.sleep(Math.min(rest, MOST_REST_MS), over).catch(() => {})
    }
    this.#looking = false
    // A follower may have joined while the last look of the ones before it ended.
    if (this.#again && this.#watch) await this.#look(this.#over.signal)
  }

  async #lookOnce(): Promise<void> {
    try {
      const newest = await this.#store.newest([...this.#threads.keys()])
      for (const [id, seq] of newest) this.#threads.get(id)?.grown(seq)
    } catch {
      for (const thread of this.#threads.values()) thread.fail()
    }
  }
}
