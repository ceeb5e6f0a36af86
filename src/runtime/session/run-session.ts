/**
 * One process's hold on one run while it advances it.
 * I1  Events are staged in memory and take effect in the store only by `flush`, all of them in one transaction.
 * I2  Nothing acts on a staged event before it was flushed: every effect and every inference flushes first (P3, P4).
 * I3  No observer is told of an event before it is durable (P4).
 * I4  After a failed flush the session is dead: its state is dropped, the journal is the truth.
 * I5  Events that hold only while no other process has written are staged behind `beginRest`. If another one has, they
 *     never happened.
 */
import { HoldpointError, LeaseLostError } from '../../core/errors.ts'
import type { NewHold } from '../../core/hold/hold.ts'
import type { CheckpointReason, JournalEvent, NewEvent } from '../../core/journal/event.ts'
import { apply, fold } from '../../core/journal/fold.ts'
import type { AdvanceContext } from '../../core/journal/next-move.ts'
import { type Run, runStatus, type Thread } from '../../core/journal/thread.ts'
import type { PauseKind } from '../../core/run/profile.ts'
import type { LoadedAgent } from '../../ports/agent/agent-source.ts'
import type { ModelPart } from '../../ports/agent/model-part.ts'
import type { Plugin } from '../../ports/agent/plugin.ts'
import type { Runtime } from '../../ports/runtime.ts'
import type { Rest } from '../../ports/store/journal.ts'
import type { Lease, RowChange } from '../../ports/store/runs.ts'
import { policyGate } from '../policy/policy-gate.ts'
import { checkpointId } from '../views/checkpoint-id.ts'
import type { InputProvider } from '../views/input-provider.ts'
import { describeRedefined } from './describe-redefined.ts'
import type { KeptLease } from './keep-lease.ts'
import type { RunSignals } from './run-signals.ts'
import { UnderwayCalls } from './underway-calls.ts'
import { WorkTime } from './work-time.ts'

export interface SessionOptions {
  readonly signal: AbortSignal
  /** The pauses of this advance; gating of approvals and questions is the run's own. */
  readonly pauseOn: readonly PauseKind[] | null
  readonly inputProvider: InputProvider | null
}

type Staged = { [K in NewEvent['kind']]: Extract<NewEvent, { kind: K }> }[NewEvent['kind']]

interface Claim {
  readonly lease: Lease
  readonly kept: KeptLease
  readonly signals: RunSignals
}

/** The staged events. */
interface Draft {
  readonly events: NewEvent[]
  readonly opens: NewHold[]
}

function emptyDraft(): Draft {
  return { events: [], opens: [] }
}

export class RunSession implements Disposable {
  readonly runtime: Runtime
  /** Aborted when the whole advance is to stop, or its lease is lost. */
  readonly signal: AbortSignal
  readonly inputProvider: InputProvider | null
  readonly underway: UnderwayCalls = new UnderwayCalls()
  readonly signals: RunSignals
  readonly kept: KeptLease
  readonly time: WorkTime
  readonly #lease: Lease
  readonly #pauseOn: readonly PauseKind[] | null
  #thread: Thread
  #durableSeq: number
  #working: Draft = emptyDraft()
  #resting: Draft | null = null
  #agent: Promise<LoadedAgent> | null = null
  #dead = false

  /** `signals` was there before the journal was read, so that nothing written since is missed. */
  constructor(runtime: Runtime, { lease, kept, signals }: Claim, thread: Thread, options: SessionOptions) {
    this.runtime = runtime
    this.signal = options.signal
    this.inputProvider = options.inputProvider
    this.signals = signals
    this.kept = kept
    this.time = new WorkTime(runtime.clock, this.signals, thread.run?.counters.active_ms ?? 0)
    this.#lease = lease
    this.#pauseOn = options.pauseOn
    this.#thread = thread
    this.#durableSeq = thread.seq
  }

  get thread(): Thread {
    return this.#thread
  }

  get run(): Run {
    if (!this.#thread.run) throw new EmptyThreadError(this.#thread.id)
    return this.#thread.run
  }

  /** The facts for the next move beside the journal. */
  get workshop(): AdvanceContext {
    return { underway: this.underway.ids, active_ms: this.time.activeMs }
  }

  get pausesForInput(): boolean {
    return (this.#pauseOn ?? this.run.profile.pause_on).includes('input')
  }

  pausesFor(kind: Exclude<PauseKind, 'input'>): boolean {
    return this.run.profile.pause_on.includes(kind)
  }

  /** Loaded when first needed, for as long as the profile stays the same. */
  agent(): Promise<LoadedAgent> {
    this.#agent ??= this.#load()
    return this.#agent
  }

  /** To tell plugins that a run is over, the servers of its tools need not be there. */
  async plugins(): Promise<readonly Plugin[]> {
    const { agents } = this.runtime
    if (this.#agent || !agents.plugins) return (await this.agent()).plugins
    return [policyGate, ...(await agents.plugins(this.run.profile))]
  }

  /**
   * If a tool that is defined elsewhere has changed, the agent is loaded anew, and the journal has a note. If it cannot
   * be loaded now, it stays as it was. Only between moves, so that no move sees two definitions.
   */
  async refreshAgent(): Promise<void> {
    const before = await this.agent()
    if (before.isCurrent?.() ?? true) return
    try {
      const loaded = await this.#load()
      this.#agent = Promise.resolve(loaded)
      const message = describeRedefined(before.tools, loaded.tools)
      if (message !== null) this.stage('note', { about: 'tools', message })
    } catch {
      // Calls of what is not there fail by themselves, and say so.
    }
  }

  stage<K extends NewEvent['kind']>(kind: K, data: Extract<NewEvent, { kind: K }>['data']): void {
    const event = { kind, run_id: this.run.id, data } as Staged
    const at = new Date(this.runtime.clock.now()).toISOString()
    apply(this.#thread, { ...event, seq: this.#thread.seq + 1, at, thread_id: this.#thread.id } as JournalEvent)
    this.#draft.events.push(event)
    if (kind === 'run.configured') this.#agent = null
  }

  /** Stages the hold's row and its event: they appear together or not at all. */
  stageHold(hold: NewHold, why: { because: string; plugin: string | null }): void {
    const { id: hold_id, kind, call_id, digest, resume_mode } = hold
    const status = call_id === null ? null : 'suspended'
    this.stage('hold.opened', { hold_id, kind, call_id, status, digest, resume_mode, ...why })
    this.#draft.opens.push(hold)
  }

  stageCheckpoint(reason: CheckpointReason): void {
    const checkpoint_id = checkpointId(this.#thread.id, this.runtime.ids.next('checkpoint'))
    this.stage('checkpoint.named', { checkpoint_id, reason, active_ms: this.time.activeMs })
  }

  /** Events staged from here on are written only if no other process has written meanwhile. */
  beginRest(): void {
    this.#resting ??= emptyDraft()
  }

  /**
   * Makes all staged events durable, then tells; false if there were none. Earlier events of other writers are taken in
   * with them. @throws LeaseLostError, or the store's own error.
   */
  async flush(): Promise<boolean> {
    if (this.#resting) await this.rest({ release: false })
    else if (this.#working.events.length > 0) await this.#append(null)
    else return false
    return true
  }

  /**
   * As `flush`, and the rest with it; false if another process wrote meanwhile: then there may be more to do. With
   * `release` the lease is given back.
   */
  async rest({ release }: { release: boolean }): Promise<boolean> {
    const { events, opens } = this.#resting ?? emptyDraft()
    this.#resting = null
    const withdraws = events.flatMap(event => (event.kind === 'hold.withdrawn' ? [event.data.hold_id] : []))
    const { rested } = await this.#append({ events, opens, withdraws, release, run: this.#rowChange(events) })
    return rested
  }

  /** Gives the lease back, after the staged events if they can still be written. */
  async letGo(): Promise<void> {
    if (this.#dead || !(await this.rest({ release: true }))) await this.runtime.store.release(this.#lease)
  }

  /** Resolves to true once others may have written. */
  news(): Promise<true> {
    return this.signals.newsBeyond(this.#durableSeq)
  }

  /** Takes in what others wrote meanwhile: decisions, messages, a cancel. Nothing may be staged. @throws LeaseLostError */
  async catchUp(): Promise<void> {
    this.signals.forget()
    const events = await this.runtime.store.journal(this.#thread.id, this.#durableSeq)
    this.#refuseTakeover(events)
    for (const event of events) apply(this.#thread, event)
    this.#durableSeq += events.length
    for (const event of events) this.runtime.tell(event)
  }

  /** The newest `seq` that was taken in. */
  get durableSeq(): number {
    return this.#durableSeq
  }

  /** The events of other writers behind `seq`. They are taken in later, so events may be staged. */
  async peek(seq: number): Promise<readonly JournalEvent[]> {
    this.signals.forget()
    const events = await this.runtime.store.journal(this.#thread.id, seq)
    this.signals.remember(events.at(-1)?.seq ?? seq)
    return events
  }

  /** Tells a piece; the session adds its place and time. */
  tell(part: ModelPart): void {
    const { id: thread_id } = this.#thread
    this.runtime.tell({ ...part, thread_id, run_id: this.run.id, ephemeral: true, after: this.#durableSeq })
  }

  [Symbol.dispose](): void {
    this.signals[Symbol.dispose]()
  }

  /** The run's policy comes before all plugins of an agent. */
  async #load(): Promise<LoadedAgent> {
    const { agents, controls } = this.runtime
    const agent = await agents.load(this.run.profile, controls)
    return { ...agent, model: other => agent.model(other), plugins: [policyGate, ...agent.plugins] }
  }

  get #draft(): Draft {
    return this.#resting ?? this.#working
  }

  async #append(rest: Rest | null): Promise<{ rested: boolean }> {
    if (this.#dead) throw new DeadSessionError(this.#lease.run_id)
    this.#dead = true
    const staged = this.#working
    this.#working = emptyDraft()
    const commit = { ...staged, ...(rest && { rest }) }
    const { events, rested } = await this.runtime.store.append(this.#lease, this.#durableSeq, commit)
    const written = staged.events.length + (rested ? (rest?.events.length ?? 0) : 0)
    const raced = events.length !== written || (rest && !rested)
    const news = raced ? await this.#refold(events.length) : events
    this.#durableSeq += news.length
    this.#dead = false
    for (const event of news) this.runtime.tell(event)
    return { rested }
  }

  #rowChange(events: readonly NewEvent[]): RowChange {
    const checkpoint_id = events.findLast(isAnnouncedCheckpoint)?.data.checkpoint_id
    const ended = (this.run.termination ?? this.run.ending)?.type
    return {
      status: runStatus(this.run),
      ...(checkpoint_id === undefined ? {} : { checkpoint_id }),
      ...(ended === undefined ? {} : { ended }),
    }
  }

  /**
   * Others wrote between: what was staged took its place behind theirs, so the state is folded anew from the journal.
   * Gives what is new in it, which may be more than the `appended` events that the append told of.
   */
  async #refold(appended: number): Promise<readonly JournalEvent[]> {
    const events = await this.runtime.store.journal(this.#thread.id)
    this.#refuseTakeover(events.slice(this.#durableSeq + appended))
    this.#thread = fold(this.#thread.id, events)
    if (this.run.id !== this.#lease.run_id) throw new LeaseLostError(this.#lease.run_id)
    return events.slice(this.#durableSeq)
  }

  /** P7: an event that only an owner writes shows that another one took over. */
  #refuseTakeover(events: readonly JournalEvent[]): void {
    if (!events.every(({ kind }) => OF_OTHERS.has(kind))) throw new LeaseLostError(this.run.id)
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
])

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
export class DeadSessionError extends HoldpointError {
  readonly code = 'dead_session'

  constructor(runId: string) {
    super(`What this process knew of run ${runId} is out of date, so it stopped without writing.`, {
      hint: 'Advance the run again.',
    })
  }
}
