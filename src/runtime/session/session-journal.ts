/**
 * The journal as the owner of a lease knows and writes it: the fold of durable events, followed by the staged events.
 * I1  Events are staged in memory and take effect in the store only by a flush, all of them in one transaction.
 * I3  No observer gets an event before it is durable (P4).
 * I4  After a failed flush nothing more is written from here: the state is out of date, and the journal is the truth.
 * I5  is kept by `StagedEvents` and the store: a rest is left out of a commit if another process wrote meanwhile.
 */
import { HoldpointError, LeaseLostError } from '../../core/errors.ts'
import { KEEP_FOLD_AFTER, lightFold } from '../../core/folds/kept-fold.ts'
import type { NewHold } from '../../core/hold/hold.ts'
import type { EventData, EventKind, JournalEvent, NewEvent, PlainEvent } from '../../core/journal/event.ts'
import { apply, fold, retime } from '../../core/journal/fold.ts'
import { type Run, runStatus, type Thread } from '../../core/journal/thread.ts'
import type { Plain } from '../../core/plain/plain.ts'
import { isoTime } from '../../core/text/iso-time.ts'
import type { Runtime } from '../../ports/runtime.ts'
import type { Rest } from '../../ports/store/journal.ts'
import type { Lease, RowChange } from '../../ports/store/runs.ts'
import { LEASE_MS } from '../lease/keep-lease.ts'
import { givenBack } from '../lease/lease-watch.ts'
import { untilWritten } from '../lease/until-written.ts'
import { StagedEvents } from './staged-events.ts'

interface Writing {
  readonly lease: Lease
  /** Aborted when the run is to stop, or the lease is lost. */
  readonly signal: AbortSignal
}

export class SessionJournal {
  readonly #runtime: Runtime
  readonly #lease: Lease
  readonly #signal: AbortSignal
  readonly #staged = new StagedEvents()
  #thread: Thread
  #durableSeq: number
  #dead = false

  constructor(runtime: Runtime, { lease, signal }: Writing, thread: Thread) {
    this.#runtime = runtime
    this.#lease = lease
    this.#signal = signal
    this.#thread = thread
    this.#durableSeq = thread.seq
  }

  /** With the staged events. */
  get thread(): Thread {
    return this.#thread
  }

  get run(): Run {
    if (!this.#thread.run) throw new EmptyThreadError(this.#thread.id)
    return this.#thread.run
  }

  /** The newest `seq` that was taken in. */
  get durableSeq(): number {
    return this.#durableSeq
  }

  /** Folds the very value that the store writes, so both agree. */
  stage<K extends EventKind>(kind: K, data: Plain<EventData[K]>): void {
    const event = { kind, run_id: this.run.id, data } as unknown as PlainEvent
    const at = isoTime(this.#runtime.clock.now())
    apply(this.#thread, { ...event, seq: this.#thread.seq + 1, at, thread_id: this.#thread.id } as JournalEvent)
    this.#staged.draft.events.push(event)
  }

  /** The hold's event must be staged too. */
  stageRow(hold: Plain<NewHold>): void {
    this.#staged.draft.opens.push(hold)
  }

  beginRest(): void {
    this.#staged.beginRest()
  }

  async flush(): Promise<boolean> {
    if (this.#staged.isEmpty) return false
    if (this.#staged.hasRest) await this.rest({ release: false })
    else await this.#append(null)
    return true
  }

  async rest({ release }: { release: boolean }): Promise<boolean> {
    const { events, opens } = this.#staged.takeRest()
    const withdraws = events.flatMap(event => (event.kind === 'hold.withdrawn' ? [event.data.hold_id] : []))
    const { rested } = await this.#append({ events, opens, withdraws, release, run: this.#rowChange(events) })
    return rested
  }

  /** `thrown`: why its owner cannot go on. */
  async letGo(thrown: unknown): Promise<void> {
    const { store } = this.#runtime
    if (this.#dead) await store.record([givenBack(this.#lease, thrown)])
    if (this.#dead || !(await this.rest({ release: true }))) await store.release(this.#lease)
  }

  /** Takes in the events that others wrote meanwhile. Nothing may be staged. @throws LeaseLostError */
  async catchUp(): Promise<void> {
    const events = await this.#patiently(() => this.eventsBehind(this.#durableSeq))
    refuseTakeover(this.run.id, events)
    for (const event of events) apply(this.#thread, event)
    this.#durableSeq += events.length
    for (const event of events) this.#runtime.tell(event)
  }

  /** The durable events after `seq`, not yet applied. */
  eventsBehind(seq: number): Promise<readonly JournalEvent[]> {
    return this.#runtime.store.journal(this.#thread.id, seq)
  }

  async #append(rest: Rest | null): Promise<{ rested: boolean }> {
    if (this.#dead) throw new DeadSessionError(this.#lease.run_id)
    this.#dead = true
    const staged = this.#staged.takeWorking()
    const opens = staged.opens.map(hold => this.#opening(hold))
    const commit = {
      ...staged,
      opens,
      ...(rest && { rest: { ...rest, opens: rest.opens?.map(hold => this.#opening(hold)) ?? [] } }),
    }
    const append = () => this.#runtime.store.append(this.#lease, this.#durableSeq, commit)
    const { events, rested } = await this.#patiently(append)
    const written = staged.events.length + (rested ? (rest?.events.length ?? 0) : 0)
    const raced = events.length !== written || (rest && !rested)
    const news = raced ? await this.#refold(events.length) : events
    retime(this.#thread, news)
    this.#durableSeq += news.length
    this.#dead = false
    if (this.#staged.isEmpty) this.#runtime.flushed?.(this.#thread)
    for (const event of news) this.#runtime.tell(event)
    await this.#keepFold(news, rested)
    return { rested }
  }

  #patiently<T>(ask: () => Promise<T>): Promise<T> {
    return untilWritten(ask, { clock: this.#runtime.clock, signal: this.#signal, forMs: LEASE_MS })
  }

  /** A fold that is not kept costs time, and nothing else. */
  async #keepFold(news: readonly JournalEvent[], rested: boolean): Promise<void> {
    const thread = this.#thread
    const at = news.at(-1)?.at
    const { keepFoldAfter = KEEP_FOLD_AFTER } = this.#runtime
    const after = rested ? keepFoldAfter.resting : keepFoldAfter.working
    if (at === undefined || !this.#staged.isEmpty || thread.seq - thread.kept_to < after) return
    thread.kept_to = thread.seq
    await this.#runtime.store.keepFold({ thread: lightFold(thread), at }).catch(() => {})
  }

  /** Lets a later process recognize that the clock of the store was set meanwhile. */
  #opening(hold: NewHold): NewHold {
    const { clock, liveness } = this.#runtime
    const { boot } = liveness
    return boot === undefined ? hold : { ...hold, opened_on: { boot, steady_ms: Math.round(clock.steady()) } }
  }

  #rowChange(events: readonly NewEvent[]): RowChange {
    const checkpoint_id = events.findLast(isAnnouncedCheckpoint)?.data.checkpoint_id
    const ended = (this.run.termination ?? this.run.ending)?.type
    const status = runStatus(this.run)
    return {
      status,
      ...(status === 'running' && this.run.outage && { retry_at: this.run.outage.retry_at }),
      ...(checkpoint_id === undefined ? {} : { checkpoint_id }),
      ...(ended === undefined ? {} : { ended }),
    }
  }

  /**
   * Folds the journal again: others wrote in between, and the staged events were placed after theirs. Returns all new
   * events, which may be more than the `appended` ones of the append.
   */
  async #refold(appended: number): Promise<readonly JournalEvent[]> {
    const events = await this.#patiently(() => this.eventsBehind(0))
    refuseTakeover(this.run.id, events.slice(this.#durableSeq + appended))
    this.#thread = fold(this.#thread.id, events)
    if (this.run.id !== this.#lease.run_id) throw new LeaseLostError(this.#lease.run_id)
    return events.slice(this.#durableSeq)
  }
}

function isAnnouncedCheckpoint(event: NewEvent): event is Extract<NewEvent, { kind: 'checkpoint.named' }> {
  return event.kind === 'checkpoint.named' && event.data.reason !== 'step'
}

class EmptyThreadError extends HoldpointError {
  readonly code = 'empty_thread'

  constructor(threadId: string) {
    super(`No run was ever started on thread ${threadId}.`)
  }
}

/** I4: nothing more is written by a session whose flush failed. */
class DeadSessionError extends HoldpointError {
  readonly code = 'dead_session'

  constructor(runId: string) {
    super(`What this process knew of run ${runId} is out of date, so it stopped without writing.`, {
      hint: 'Advance the run again.',
    })
  }
}

/** The events that other processes may write during an advance. */
const OF_OTHERS: ReadonlySet<string> = new Set<NewEvent['kind']>([
  'hold.decided',
  'hold.voted',
  'hold.unclear',
  'hold.assigned',
  'hold.reminded',
  'hold.escalated',
  'hold.expired',
  'hold.withdrawn',
  'message.queued',
  'cancel.requested',
  'compaction.requested',
])

function isOfOthers({ kind, data }: JournalEvent): boolean {
  return OF_OTHERS.has(kind) || (kind === 'context.repaired' && data.by !== undefined)
}

/** P7: an event that only an owner writes shows that another owner took over. @throws LeaseLostError */
function refuseTakeover(runId: string, events: readonly JournalEvent[]): void {
  if (!events.every(isOfOthers)) throw new LeaseLostError(runId)
}
