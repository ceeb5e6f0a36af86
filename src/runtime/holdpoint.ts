/**
 * The face (DESIGN §8.7): what every host and every library user calls. There is no second way to run or resume.
 */
import type { DecisionInput } from '../core/decision.ts'
import { RefusedError } from '../core/errors.ts'
import type { Carried } from '../core/event.ts'
import { fold } from '../core/fold.ts'
import type { Hold } from '../core/hold.ts'
import type { PauseKind, Profile, ProfileChanges } from '../core/profile.ts'
import { openHolds, type Thread } from '../core/thread.ts'
import type { HoldQuery, ReadyDecision, Receipt, RunQuery, RunRow } from '../ports/store.ts'
import { type Advanced, advanceRun } from './advance-run.ts'
import { type Forked, forkThread } from './fork-thread.ts'
import { type CheckpointPlace, eventsUpTo, loadCheckpoint } from './load-checkpoint.ts'
import { readyDecision } from './ready-decisions.ts'
import { type RunView, runView } from './run-view.ts'
import type { Runtime } from './runtime.ts'
import { type Started, startRun } from './start-run.ts'

export interface StartOptions {
  /** Name of an agent that was given to `openHoldpoint`. */
  readonly agent: string
  readonly input: string
  readonly author?: string
}

export interface StartWithProfile {
  readonly profile: Profile
  readonly input: string | null
  readonly author: string | null
  /** The thread to go on with and its newest `seq`. */
  readonly thread?: { readonly id: string; readonly seq: number }
  readonly carried?: Carried
}

export interface AdvanceOptions {
  /** Aborting it stops the run at the next safe point; it can be advanced again. */
  readonly signal?: AbortSignal
  /** What this advance pauses for, where it is not what the run was started with. */
  readonly pauseOn?: readonly PauseKind[]
  /** Recorded together with the claim of the lease: all, or nothing happens and `refused` tells why. */
  readonly decisions?: readonly DecisionInput[]
  /** What changes for the rest of the run. */
  readonly changes?: ProfileChanges
}

/** A run after an advance. `busy`: another process advances it. `refused`: a decision was not recorded; nothing happened. */
export type AdvanceResult =
  | RunView
  | { readonly status: 'busy'; readonly owner: string; readonly until: string }
  | { readonly status: 'refused'; readonly receipts: readonly Receipt[] }

export class Holdpoint implements AsyncDisposable {
  readonly #runtime: Runtime

  constructor(runtime: Runtime) {
    this.#runtime = runtime
  }

  /** Of the store, as it was opened, without secrets. */
  get storeUrl(): string {
    return this.#runtime.store.url
  }

  /** Makes a run durable; `advance` moves it. @throws RefusedError for an unknown agent, or a thread that moved on. */
  async start(request: StartOptions | StartWithProfile): Promise<Started> {
    if ('profile' in request) return startRun(this.#runtime, { thread: null, carried: null, ...request })
    const profile = this.#runtime.agents.profileOf(request.agent)
    return startRun(this.#runtime, {
      profile,
      input: request.input,
      author: request.author ?? null,
      thread: null,
      carried: null,
    })
  }

  /**
   * Works on a run until it waits or is done. @throws RefusedError `unknown_run`, LeaseLostError, or the store's own
   * error; whatever is thrown, the run can be advanced again.
   */
  async advance(runId: string, options: AdvanceOptions = {}): Promise<AdvanceResult> {
    if (await this.#rests(runId, options)) return this.run(runId)
    const checked = await Promise.all((options.decisions ?? []).map(said => readyDecision(this.#runtime, said)))
    const receipts = checked.flatMap(each => (each.ok ? [] : [each.receipt]))
    if (receipts.length > 0) return { status: 'refused', receipts }
    const advanced = await advanceRun(this.#runtime, runId, {
      signal: options.signal ?? new AbortController().signal,
      pauseOn: options.pauseOn ?? null,
      changes: options.changes ?? null,
      decisions: checked.flatMap(each => (each.ok ? [each.decision] : [])),
    })
    if (!advanced) throw unknownRun(runId)
    return this.#resultOf(advanced, runId)
  }

  /** Never throws for what somebody decided: the receipt tells (P2). */
  async decide(holdId: string, said: Omit<DecisionInput, 'hold_id'>): Promise<Receipt> {
    const [receipt] = await this.decideMany([{ ...said, hold_id: holdId }])
    return receipt as Receipt
  }

  /** One transaction; each decision stands for itself. Receipts come in the order of `said`. */
  async decideMany(said: readonly DecisionInput[]): Promise<readonly Receipt[]> {
    const checked = await Promise.all(said.map(each => readyDecision(this.#runtime, each)))
    const ready: ReadyDecision[] = checked.flatMap(each => (each.ok ? [each.decision] : []))
    const recorded = ready.length > 0 ? [...(await this.#runtime.store.decide(ready))] : []
    return checked.map(each => (each.ok ? (recorded.shift() as Receipt) : each.receipt))
  }

  /** Why these decisions cannot be recorded, whoever gets there first; nothing is recorded. */
  async objections(said: readonly DecisionInput[]): Promise<readonly RefusedError[]> {
    const checked = await Promise.all(said.map(each => readyDecision(this.#runtime, each)))
    return checked.flatMap(each => (each.ok || each.receipt.outcome !== 'refused' ? [] : [each.receipt.error]))
  }

  /** @throws RefusedError `unknown_checkpoint` */
  async fork(checkpointId: string): Promise<Forked> {
    return forkThread(this.#runtime, checkpointId)
  }

  /** A run as it stands, or as it ended. @throws RefusedError `unknown_run` */
  async run(id: string): Promise<RunView> {
    const row = await this.#runtime.store.run(id)
    if (!row) throw unknownRun(id)
    const events = await this.#runtime.store.journal(row.thread_id)
    const end = events.findLastIndex(event => event.run_id === id) + 1
    return (await this.view(fold(row.thread_id, events.slice(0, end)))) as RunView
  }

  /** @throws RefusedError `unknown_thread` */
  async thread(id: string): Promise<Thread> {
    return this.#fold(id)
  }

  /** Where a checkpoint stands in its journal. @throws RefusedError `unknown_checkpoint` */
  async checkpoint(id: string): Promise<CheckpointPlace> {
    return loadCheckpoint(this.#runtime.store, id)
  }

  /** The run as it stood at a checkpoint, with what was open then. */
  async viewAt(place: CheckpointPlace): Promise<RunView> {
    const thread = fold(place.thread_id, eventsUpTo(place))
    const open = thread.run ? openHolds(thread.run) : []
    const holds = await Promise.all(open.map(({ id }) => this.#runtime.store.hold(id)))
    return runView(
      thread,
      holds.filter(hold => hold !== null),
    ) as RunView
  }

  async runs(query: RunQuery = {}): Promise<readonly RunRow[]> {
    return this.#runtime.store.runs(query)
  }

  /** `null` for an unknown one. */
  async hold(id: string): Promise<Hold | null> {
    return this.#runtime.store.hold(id)
  }

  async holds(query: HoldQuery = {}): Promise<readonly Hold[]> {
    return this.#runtime.store.holds(query)
  }

  /** Closes the store. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#runtime.store[Symbol.asyncDispose]()
  }

  /** To look at a run that rests takes no lease: it must not get in the way of somebody who decides. */
  async #rests(runId: string, { decisions = [], changes }: AdvanceOptions): Promise<boolean> {
    if (decisions.length > 0 || changes) return false
    const row = await this.#runtime.store.run(runId)
    return row?.status === 'done' || (row?.status === 'waiting' && row.lease === null)
  }

  async #resultOf(advanced: Advanced, runId: string): Promise<AdvanceResult> {
    if (advanced.outcome === 'done') return this.run(runId)
    if (advanced.outcome === 'busy') return { status: 'busy', owner: advanced.owner, until: advanced.until }
    if (advanced.outcome === 'refused') return { status: 'refused', receipts: advanced.receipts }
    return (await this.view(advanced.session.thread)) as RunView
  }

  async #fold(threadId: string): Promise<Thread> {
    const events = await this.#runtime.store.journal(threadId)
    if (events.length === 0) throw unknownThread(threadId)
    return fold(threadId, events)
  }

  /** A thread's newest run, as it stands; `null` where none was started. */
  async view(thread: Thread): Promise<RunView | null> {
    const waits = thread.run !== null && thread.run.holds.size > 0
    const holds = waits ? await this.holds({ run_id: thread.run?.id ?? '', status: 'open' }) : []
    return runView(thread, holds)
  }
}

function unknownRun(id: string): RefusedError {
  return new RefusedError('unknown_run', `There is no run ${JSON.stringify(id)} in this store.`, {
    hint: '`holdpoint runs` lists them; --store names another store.',
  })
}

function unknownThread(id: string): RefusedError {
  return new RefusedError('unknown_session', `There is no session ${JSON.stringify(id)} in this store.`, {
    hint: '`holdpoint runs` lists the runs with their sessions; --store names another store.',
  })
}
