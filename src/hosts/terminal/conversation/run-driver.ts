/**
 * Advances the newest run of one session whenever it can move, by the one verb.
 * Keeps: one advance at a time; a run that another process advances is left to it; after `stop` nothing continues until
 * `goOn`.
 */
import { LeaseLostError, messageOf } from '../../../core/errors.ts'
import type { JournalEvent } from '../../../core/journal/event.ts'
import type { RunRow } from '../../../ports/store/runs.ts'
import type { AdvanceResult } from '../../../runtime/views/face-options.ts'
import type { Presence } from './conversation.ts'

export interface DriverDeps {
  /** The newest run of the session; `null` if there is none yet. */
  readonly newest: () => Promise<RunRow | null>
  readonly advance: (runId: string, signal: AbortSignal) => Promise<AdvanceResult>
  readonly onChange: () => void
}

/** Events after which a run may be able to move. */
const WAKING: ReadonlySet<JournalEvent['kind']> = new Set([
  'run.started',
  'message.queued',
  'hold.decided',
  'hold.expired',
  'hold.withdrawn',
  'cancel.requested',
])

/** While another owner has the lease: from one try to the next, in milliseconds. Its death causes no event. */
const AGAIN_MS = 2_000

export class RunDriver {
  readonly #site: DriverDeps
  #advance: AbortController | null = null
  #over: Promise<void> = Promise.resolve()
  #isWanted = false
  #isDue = false
  #isClosed = false
  #retry: NodeJS.Timeout | null = null
  #state: Pick<Presence, 'work' | 'isStopped' | 'trouble'> = { work: 'none', isStopped: false, trouble: null }

  constructor(site: DriverDeps, isStopped: boolean) {
    this.#site = site
    this.#state = { ...this.#state, isStopped }
  }

  get state(): Pick<Presence, 'work' | 'isStopped' | 'trouble'> {
    return this.#state
  }

  /** An event of the session, by any process. */
  hear({ kind, data }: JournalEvent): void {
    const isRest = kind === 'checkpoint.named' && data.reason !== 'step' && this.#state.work === 'elsewhere'
    if (isRest || WAKING.has(kind)) this.wake()
  }

  /** Advances the run if it can move. */
  wake(): void {
    if (this.#state.isStopped || this.#isClosed) return
    this.#isWanted = true
    if (!this.#advance) this.#over = this.#drive()
  }

  /** A run that waits is advanced too: what is due on its holds is fired. */
  async passDeadlines(): Promise<void> {
    this.#isDue = true
    this.wake()
    await this.#over
  }

  goOn(): void {
    this.#set({ isStopped: false, trouble: null })
    this.wake()
  }

  /** False if there is nothing to stop here. */
  stop(): boolean {
    if (!this.#advance) return false
    this.#set({ isStopped: true })
    this.#advance.abort()
    return true
  }

  /** The advance under way is over. */
  async rests(): Promise<void> {
    await this.#over
  }

  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#retry) clearTimeout(this.#retry)
    this.#advance?.abort()
    await this.#over
  }

  async #drive(): Promise<void> {
    const stop = new AbortController()
    this.#advance = stop
    if (this.#retry) clearTimeout(this.#retry)
    try {
      while (this.#isWanted && !stop.signal.aborted) {
        this.#isWanted = false
        await this.#advanceOnce(stop.signal)
      }
    } catch (thrown) {
      if (thrown instanceof LeaseLostError) this.#set({ work: 'elsewhere' })
      else this.#set({ work: 'none', isStopped: true, trouble: messageOf(thrown) })
    } finally {
      this.#advance = null
      if (this.#isWanted) this.wake()
    }
  }

  async #advanceOnce(signal: AbortSignal): Promise<void> {
    const run = await this.#site.newest()
    const isDue = this.#isDue && run?.status === 'waiting'
    this.#isDue = false
    if (!run || run.exported !== null || !(isDue || run.status === 'running')) return this.#set({ work: 'none' })
    if (!isDue) this.#set({ work: 'here' })
    const result = await this.#site.advance(run.id, signal)
    if (result.status === 'busy') this.#leaveIt()
    else this.#set({ work: 'none' })
  }

  #leaveIt(): void {
    this.#set({ work: 'elsewhere' })
    this.#retry = setTimeout(() => this.wake(), AGAIN_MS).unref()
  }

  #set(change: Partial<Pick<Presence, 'work' | 'isStopped' | 'trouble'>>): void {
    const next = { ...this.#state, ...change }
    const { work, isStopped, trouble } = this.#state
    if (next.work === work && next.isStopped === isStopped && next.trouble === trouble) return
    this.#state = next
    this.#site.onChange()
  }
}
