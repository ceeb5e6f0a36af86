// biome-ignore-all lint/style/noExcessiveLinesPerFile: the face becomes roles
/**
 * The face (docs/design/library.md): every host and library user calls it. There is no second way to run or resume.
 */

import type { DueEvent } from '../core/deadlines/next-due.ts'
import { LeaseLostError, type RefusedError } from '../core/errors.ts'
import type { DecisionInput } from '../core/hold/decision.ts'
import type { Hold } from '../core/hold/hold.ts'
import type { JournalEvent } from '../core/journal/event.ts'
import { fold } from '../core/journal/fold.ts'
import type { HumanMessage } from '../core/journal/human-thread.ts'
import type { Thread } from '../core/journal/thread.ts'
import { unknownThread } from '../core/journal/unknown-thread.ts'
import type { Ephemeral, EventSink } from '../ports/event-sink.ts'
import type { Runtime } from '../ports/runtime.ts'
import type { HoldQuery, Receipt, RunQuery, RunRow } from '../ports/store/store.ts'
import { type Answer, answerHold } from './holds/answer-hold.ts'
import { type AssignOptions, assignHold } from './holds/assign-hold.ts'
import { type CheckOptions, checkPending, type PendingCheck } from './holds/check-pending.ts'
import { type DecideOptions, decideHolds } from './holds/decide-holds.ts'
import { expireHolds, fireDue } from './holds/expire-holds.ts'
import { Grants } from './holds/grants.ts'
import { readyDecision } from './holds/ready-decisions.ts'
import { recordRefusals } from './holds/record-refusals.ts'
import { type Advanced, advanceRun } from './loop/advance-run.ts'
import { Audit } from './threads/audit.ts'
import { Bundles } from './threads/bundles.ts'
import { type Cancelled, type CancelOptions, requestCancel, unknownRun } from './threads/cancel-run.ts'
import { EphemeralHub, type FollowOptions, followThread } from './threads/follow-thread.ts'
import { type Forked, forkThread } from './threads/fork-thread.ts'
import { type Pruned, type PruneOptions, pruneStore } from './threads/prune-store.ts'
import { type MessageInput, type Sent, sendMessage, type WhileWaiting } from './threads/send-message.ts'
import { type Started, startRun } from './threads/start-run.ts'
import type { AdvanceOptions, AdvanceResult, StartOptions, StartWithProfile } from './views/face-options.ts'
import { humanMessages } from './views/human-messages.ts'
import { type CheckpointRow, listCheckpoints } from './views/list-checkpoints.ts'
import { type CheckpointPlace, loadCheckpoint } from './views/load-checkpoint.ts'
import { messageText } from './views/message-text.ts'
import { type RunNode, type RunPath, runPaths, runTree } from './views/run-path.ts'
import type { RunView } from './views/run-view.ts'
import { viewAt, viewNow } from './views/view-run.ts'
import { work } from './worker/work.ts'
import type { Advance, WorkOptions } from './worker/work-options.ts'

export class Holdpoint implements AsyncDisposable {
  readonly #runtime: Runtime
  readonly #hub = new EphemeralHub()
  readonly #closed = new AbortController()
  readonly #underway = new Set<Promise<unknown>>()
  /** Runs that were started here and are kept for this process until it advances them. */
  readonly #reserved = new Set<string>()
  /** What is always allowed. */
  readonly grants: Grants
  /** Who did what. */
  readonly audit: Audit
  /** Threads that move between stores. */
  readonly bundles: Bundles

  constructor(runtime: Runtime) {
    const tell: EventSink = event => {
      runtime.tell(event)
      if ('ephemeral' in event) this.#hub.publish(event)
    }
    this.#runtime = { ...runtime, tell }
    this.grants = new Grants(this.#runtime)
    this.audit = new Audit(this.#runtime)
    this.bundles = new Bundles(this.#runtime)
  }

  /** Of the store, as it was opened, without secrets. */
  get storeUrl(): string {
    return this.#runtime.store.url
  }

  /** Makes a run durable; `advance` moves it. @throws RefusedError for an unknown agent, nothing said, or a thread that moved on. */
  async start(request: StartOptions | StartWithProfile): Promise<Started> {
    if ('profile' in request) return this.#startWith(request)
    const profile = this.#runtime.agents.profileOf(request.agent)
    return startRun(this.#runtime, {
      profile,
      input: messageText(request.input),
      author: request.author ?? null,
      thread: null,
      carried: null,
    })
  }

  async #startWith(request: StartWithProfile): Promise<Started> {
    const started = await startRun(this.#runtime, { thread: null, carried: null, ...request })
    if (request.reserve) this.#reserved.add(started.id)
    return started
  }

  /**
   * Works on a run until it waits or is done. @throws RefusedError `unknown_run`, LeaseLostError, or the store's own
   * error; whatever is thrown, the run can be advanced again.
   */
  async advance(runId: string, options: AdvanceOptions = {}): Promise<AdvanceResult> {
    return this.#untilDone(this.#advance(runId, options))
  }

  /**
   * Advances every run that can move, so many at a time, and fires what is due, until its signal is aborted; several
   * workers may share one store. @throws what `onEvent` throws, and with `once` the store's own error.
   */
  async work(options: WorkOptions = {}): Promise<void> {
    const advance: Advance = ({ id }, { signal }) => this.advance(id, { signal })
    const stopSignal = this.#untilClosed(options.stopSignal)
    return this.#untilDone(work({ runtime: this.#runtime, advance }, { ...options, stopSignal }))
  }

  /** This is closed only behind it. */
  async #untilDone<T>(working: Promise<T>): Promise<T> {
    this.#underway.add(working)
    try {
      return await working
    } finally {
      this.#underway.delete(working)
    }
  }

  async #advance(runId: string, options: AdvanceOptions): Promise<AdvanceResult> {
    const resting = await this.#resting(runId, options)
    if (resting) return resting
    const said = options.decisions ?? []
    const checked = await Promise.all(said.map(each => readyDecision(this.#runtime, each)))
    const receipts = checked.map(each => (each.ok ? null : each.receipt))
    if (receipts.some(receipt => receipt !== null)) return this.#refused(said, receipts)
    const advanced = await advanceRun(this.#runtime, runId, {
      signal: this.#untilClosed(options.signal),
      pauseOn: options.pauseOn ?? null,
      inputProvider: options.inputProvider ?? null,
      changes: options.changes ?? null,
      isReserved: this.#reserved.delete(runId),
      decisions: checked.flatMap(each => (each.ok ? [each.decision] : [])),
    })
    if (!advanced) throw unknownRun(runId)
    return advanced.outcome === 'refused' ? this.#refused(said, advanced.receipts) : this.#resultOf(advanced, runId)
  }

  /** Never throws for what somebody decided: the receipt tells (P2). */
  async decide(holdId: string, said: Omit<DecisionInput, 'hold_id'>): Promise<Receipt> {
    const [receipt] = await this.decideMany([{ ...said, hold_id: holdId }])
    return receipt as Receipt
  }

  /**
   * One transaction; each decision stands for itself, and receipts come in the order of `said`. With `all` they stand
   * together: where one cannot be recorded none is, and there are receipts only of what stood in the way.
   */
  async decideMany(said: readonly DecisionInput[], options: DecideOptions = {}): Promise<readonly Receipt[]> {
    return decideHolds(this.#runtime, said, options)
  }

  /**
   * Takes a text as the decision on a hold: the answer to a question, or a yes or no to an approval. As `decide`; what is
   * no clear yes or no is refused with `unclear_answer`, and the thread tells.
   */
  async answer(holdId: string, answer: Answer): Promise<Receipt> {
    return answerHold(this.#runtime, holdId, answer)
  }

  /** Says who is asked; it gives nobody the right to decide. @throws RefusedError */
  async assign(holdId: string, options: AssignOptions): Promise<Hold> {
    return assignHold(this.#runtime, holdId, options)
  }

  /** Fires what is due by now: reminders, escalations, expiries, each once. Resolves to what happened, in order. */
  async expireHolds(): Promise<readonly DueEvent[]> {
    return expireHolds(this.#runtime)
  }

  /** When something will be due next (ISO time); `null` where nothing will. */
  async nextDue(): Promise<string | null> {
    return this.#runtime.store.nextDue()
  }

  /** The thread as people see it: questions, answers, and what time did. @throws RefusedError `unknown_session` */
  async messages(threadId: string): Promise<readonly HumanMessage[]> {
    return humanMessages(this.#runtime, threadId)
  }

  /**
   * Ends a run for good: what waits is withdrawn at once, tools that run are told to stop. @throws RefusedError
   * `unknown_run`; whatever else is thrown, the wish is on record and whoever advances the run next carries it out.
   */
  async cancel(runId: string, options: CancelOptions): Promise<Cancelled> {
    if (!(await requestCancel(this.#runtime, runId, options))) return { outcome: 'done', run: await this.run(runId) }
    const isCarriedOut = await this.#carryOutCancel(runId)
    return { outcome: isCarriedOut ? 'cancelled' : 'requested', run: await this.run(runId) }
  }

  /** Says something to the newest run of a thread; what waits is never skipped unasked. Advance the run then. @throws RefusedError */
  async send(
    threadId: string,
    message: MessageInput,
    { whileWaiting = 'reject' }: { readonly whileWaiting?: WhileWaiting } = {},
  ): Promise<Sent> {
    return sendMessage(this.#runtime, await this.#fold(threadId), { message, whileWaiting })
  }

  /**
   * The events of a thread behind `since`, then those that come, until the signal is aborted, the caller stops or this is
   * closed. Text as it arrives is marked `ephemeral` and comes only from runs that this process advances.
   * @throws RefusedError `unknown_session`
   */
  follow(threadId: string, options: FollowOptions = {}): AsyncGenerator<JournalEvent | Ephemeral, void, undefined> {
    const signal = this.#untilClosed(options.signal)
    return followThread(this.#runtime.store, this.#hub, { threadId, ...options, signal })
  }

  /** Every place of a thread that `fork` can begin from, oldest first. @throws RefusedError `unknown_session` */
  async checkpoints(threadId: string): Promise<readonly CheckpointRow[]> {
    return listCheckpoints(await this.journal(threadId))
  }

  /** Whether each open pause can go on under the definitions that are here now, oldest first; nothing is changed (P9). */
  checkPending(options: CheckOptions = {}): AsyncGenerator<PendingCheck, void, undefined> {
    return checkPending(this.#runtime, options)
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
    return viewAt(this.#runtime.store, place)
  }

  async runs(query: RunQuery = {}): Promise<readonly RunRow[]> {
    return this.#runtime.store.runs(query)
  }

  /** As `runs`, each below the run whose agent started it; that one has its place also where it was not asked for. */
  async runTree(query: RunQuery = {}): Promise<readonly RunNode[]> {
    return runTree(this.#runtime.store, query)
  }

  /** Whose agents started these runs: by run id, from the first one down to the run itself. */
  async runPaths(runIds: readonly string[]): Promise<ReadonlyMap<string, RunPath>> {
    return runPaths(this.#runtime.store, runIds)
  }

  /** `null` for an unknown one. */
  async hold(id: string): Promise<Hold | null> {
    return this.#runtime.store.hold(id)
  }

  async holds(query: HoldQuery = {}): Promise<readonly Hold[]> {
    return this.#runtime.store.holds(query)
  }

  /** Deletes finished threads that nothing happened in since, whole; what is on record of them stays. @throws RefusedError */
  async prune(options: PruneOptions): Promise<Pruned> {
    return pruneStore(this.#runtime, { ...options, signal: this.#untilClosed(options.signal) })
  }

  /** The events of a thread so far, oldest first. @throws RefusedError `unknown_session` */
  async journal(threadId: string): Promise<readonly JournalEvent[]> {
    const events = await this.#runtime.store.journal(threadId)
    if (events.length === 0) throw unknownThread(threadId)
    return events
  }

  /** Calls back after anything in the store changed, whichever process did it, until it is disposed of. */
  watch(onChange: () => void): Disposable {
    return this.#runtime.store.watch(onChange)
  }

  /** Ends what follows and what works, stops what is advanced at a safe point and the servers of agents, and closes the store. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort()
    await Promise.allSettled(this.#underway)
    await this.#runtime.agents[Symbol.asyncDispose]?.()
    await this.#runtime.store[Symbol.asyncDispose]()
  }

  #untilClosed(signal: AbortSignal | undefined): AbortSignal {
    return signal ? AbortSignal.any([signal, this.#closed.signal]) : this.#closed.signal
  }

  /** To look at a run that rests takes no lease: it must not get in the way of somebody who decides. */
  async #resting(runId: string, { decisions = [], changes }: AdvanceOptions): Promise<RunView | null> {
    if (decisions.length > 0 || changes) return null
    const row = await this.#runtime.store.run(runId)
    if (row?.status === 'waiting' && (await this.#fireDueOf(runId))) return null
    const rests = row?.status === 'done' || (row?.status === 'waiting' && !row.lease && !row.exported)
    const view = rests ? await this.run(runId) : null
    // Somebody woke it meanwhile.
    return view?.status === 'running' ? null : view
  }

  /** What a deadline ended is gone on with; true where one did. */
  async #fireDueOf(runId: string): Promise<boolean> {
    const open = await this.#runtime.store.holds({ run_id: runId, status: 'open' })
    const happened = await fireDue(this.#runtime, open)
    return happened.some(({ kind }) => kind === 'hold.expired')
  }

  /** False where another process works on the run, or took it over just now: it ends it as soon as it can. */
  async #carryOutCancel(runId: string): Promise<boolean> {
    try {
      return (await this.advance(runId)).status !== 'busy'
    } catch (thrown) {
      if (thrown instanceof LeaseLostError) return false
      throw thrown
    }
  }

  async #refused(said: readonly DecisionInput[], receipts: readonly (Receipt | null)[]): Promise<AdvanceResult> {
    await recordRefusals(this.#runtime, said, receipts)
    return { status: 'refused', receipts: receipts.filter(receipt => receipt !== null) }
  }

  async #resultOf(advanced: Exclude<Advanced, { outcome: 'refused' }>, runId: string): Promise<AdvanceResult> {
    if (advanced.outcome === 'done') return this.run(runId)
    if (advanced.outcome === 'busy') return { status: 'busy', owner: advanced.owner, until: advanced.until }
    return (await this.view(advanced.session.thread)) as RunView
  }

  async #fold(threadId: string): Promise<Thread> {
    return fold(threadId, await this.journal(threadId))
  }

  /** A thread's newest run, as it stands; `null` where none was started. */
  async view(thread: Thread): Promise<RunView | null> {
    return viewNow(this.#runtime.store, thread)
  }
}
