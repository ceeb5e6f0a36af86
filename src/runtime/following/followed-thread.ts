import type { JournalEvent } from '../../core/journal/event.ts'
import { apply, fold } from '../../core/journal/fold.ts'
import { snapshotOf, type Thread } from '../../core/journal/thread.ts'
import type { JournalStore } from '../../ports/store/journal.ts'
import type { FollowerInbox } from './follower-inbox.ts'

/** The number of events kept for followers that lag; a follower further back reads the journal itself. */
const KEPT = 64
/** Events read at once, at most. */
export const PAGE = 500

/** One thread, read for all of its followers in this process. */
export class FollowedThread {
  readonly id: string
  readonly inboxes: Set<FollowerInbox> = new Set()
  readonly #store: Pick<JournalStore, 'journal' | 'newest'>
  /** Brings pieces from other processes. */
  live: Disposable | null = null
  /** The newest `seq` that was read; `null` until the first follower has asked for it. */
  #seq: number | null = null
  #kept: JournalEvent[] = []
  /** The fold, if it was asked for. */
  #thread: Thread | null = null
  #finding: Promise<number> | null = null
  #reading: Promise<void> | null = null
  #again = false

  constructor(store: Pick<JournalStore, 'journal' | 'newest'>, id: string) {
    this.#store = store
    this.id = id
  }

  /** The newest `seq`; 0 for an unknown thread. */
  async find(): Promise<number> {
    this.#finding ??= this.#store.newest([this.id]).then(newest => newest.get(this.id) ?? 0)
    const finding = this.#finding
    try {
      this.#seq ??= await finding
      // The thread may have grown before its position was known.
      if (this.#again) this.grown(Number.POSITIVE_INFINITY)
      return this.#seq
    } catch (thrown) {
      this.#finding = null
      throw thrown
    }
  }

  /** The events that a follower has not seen; `null` if it must read them itself. */
  behind(inbox: FollowerInbox): readonly JournalEvent[] | null {
    const { seq, reads } = inbox
    inbox.reads = false
    if (this.#seq === null || reads) return null
    if (seq >= this.#seq) return []
    const first = this.#kept[0]?.seq ?? Number.POSITIVE_INFINITY
    return first <= seq + 1 ? this.#kept.slice(seq + 1 - first) : null
  }

  /** Events that every follower has are kept no longer. */
  forgetRead(): void {
    const first = Math.min(...[...this.inboxes].map(({ seq }) => seq))
    if ((this.#kept[0]?.seq ?? first + 1) <= first) this.#kept = this.#kept.filter(({ seq }) => seq > first)
  }

  /** Called when the thread has events up to `seq`. Wakes the followers once those are read, or if reading fails. */
  grown(seq: number): void {
    if (this.#seq === null) this.#again = true
    else if (seq > this.#seq) this.read().catch(() => this.fail())
  }

  /** The feed cannot read: each follower is to read for itself, and meets the error. */
  fail(): void {
    for (const inbox of this.inboxes) {
      inbox.reads = true
      inbox.wake()
    }
  }

  /** Reads all that is new since this call. @throws the store's own error */
  read(): Promise<void> {
    this.#again = true
    this.#reading ??= this.#readAll()
    return this.#reading
  }

  async #readAll(): Promise<void> {
    try {
      while (this.#again) {
        this.#again = false
        const page = await this.#store.journal(this.id, this.#seq ?? 0, PAGE)
        if (page.length === PAGE) this.#again = true
        this.#takeIn(page)
      }
    } finally {
      // In the same moment as the last look at what is new: what grows from here on is read anew.
      this.#reading = null
    }
  }

  #takeIn(page: readonly JournalEvent[]): void {
    if (page.length === 0) return
    this.#seq = page.at(-1)?.seq ?? this.#seq
    this.#kept = [...this.#kept, ...page].slice(-KEPT)
    this.#fold(page)
    for (const inbox of this.inboxes) inbox.wake()
  }

  /**
   * The current thread, folded once, for the caller to keep. `null` before the position is known. @throws the store's
   * own error
   */
  async thread(): Promise<Thread | null> {
    if (this.#seq === null) return null
    await this.read()
    if (!this.#thread) {
      const seq = this.#seq
      const folded = fold(this.id, await this.#store.journal(this.id))
      // Only a fold that ends right before the next events can take them in.
      if (this.#seq !== seq || folded.seq !== seq) return folded
      this.#thread = folded
    }
    return snapshotOf(this.#thread)
  }

  #fold(page: readonly JournalEvent[]): void {
    try {
      for (const event of page) if (this.#thread) apply(this.#thread, event)
    } catch {
      // The next caller folds it anew, and gets the fault.
      this.#thread = null
    }
  }
}
