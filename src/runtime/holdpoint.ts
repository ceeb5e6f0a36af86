import { Underway } from '../async/underway.ts'
import type { DueEvent } from '../core/deadlines/next-due.ts'
import type { Receipt } from '../core/deciding/receipt.ts'
import type { DecisionInput } from '../core/hold/decision.ts'
import type { Hold } from '../core/hold/hold.ts'
import type { HoldView } from '../core/hold-view/hold-view.ts'
import type { JournalEvent } from '../core/journal/event.ts'
import { fold } from '../core/journal/fold.ts'
import type { HumanMessage } from '../core/journal/human-thread.ts'
import type { Thread } from '../core/journal/thread.ts'
import type { RunPath } from '../core/run/run-path.ts'
import type { Ephemeral } from '../ports/event-sink.ts'
import type { Principal } from '../ports/identity.ts'
import type { Runtime } from '../ports/runtime.ts'
import type { HoldQuery } from '../ports/store/holds.ts'
import type { RunQuery, RunRow } from '../ports/store/runs.ts'
import { RunAdvancer } from './advance-runs.ts'
import { type Background, backgroundOnDemand, type OpenTasks } from './background.ts'
import type { Holdpoint } from './face/holdpoint.ts'
import { loadThread } from './folds/load-thread.ts'
import { type FollowOptions, followThread } from './following/follow-thread.ts'
import { followersToo } from './following/tell-followers.ts'
import { ThreadFeed } from './following/thread-feed.ts'
import { RuntimeGrants } from './grants/runtime-grants.ts'
import type { Answer } from './holds/answer-hold.ts'
import type { AssignOptions } from './holds/assign-hold.ts'
import type { CheckOptions, PendingCheck } from './holds/check-pending.ts'
import { type DecideOptions, decideHolds } from './holds/decide-holds.ts'
import { DueHolds, type DueRuntime } from './holds/due-holds.ts'
import { objectionsTo } from './holds/ready-decisions.ts'
import { asOfNow, holdAsOfNow } from './lease/as-of-now.ts'
import { watchful } from './lease/lease-watch.ts'
import { releaseLease } from './lease/release-lease.ts'
import { MadeReady } from './made-ready.ts'
import { partsOnDemand, seldomVerbs } from './on-demand.ts'
import { RuntimeAudit } from './threads/audit.ts'
import { type Cancelled, type CancelOptions, requestCancel } from './threads/cancel-run.ts'
import type { Forked } from './threads/fork-thread.ts'
import { knownJournal, knownSeq } from './threads/known-thread.ts'
import type { Pruned, PruneOptions } from './threads/prune-store.ts'
import { type MessageInput, type SendOptions, type Sent, sendMessage } from './threads/send-message.ts'
import { startRequested } from './threads/start-requested.ts'
import type { AdvanceOptions, AdvanceResult, Started, StartOptions, StartWithProfile } from './views/face-options.ts'
import { advanceOptions, givenId, givenIds, holdQuery, runQuery } from './views/given-queries.ts'
import { listCheckpoints } from './views/list-checkpoints.ts'
import { type CheckpointPlace, loadCheckpoint } from './views/load-checkpoint.ts'
import type { RunNode } from './views/run-path.ts'
import { outlineOf, viewAt, viewOf, viewOfThread } from './views/view-run.ts'
import type { Advance, WorkEvent, WorkOptions } from './worker/work-options.ts'

/** The face over a store that this process opened: each verb is a call into the room that does it. */
export class EmbeddedHoldpoint implements Holdpoint {
  readonly #runtime: DueRuntime
  readonly #advancer: RunAdvancer
  readonly #feed: ThreadFeed
  readonly #closed = new AbortController()
  /** A close waits for this work. */
  readonly #underway = new Underway()
  readonly grants: Holdpoint['grants']
  readonly audit: Holdpoint['audit']
  readonly bundles: Holdpoint['bundles']
  readonly tokens: Holdpoint['tokens']
  readonly tasks: Holdpoint['tasks']
  readonly agents: Holdpoint['agents']
  readonly background: Background
  readonly search: Holdpoint['search'] = async query => (await seldomVerbs()).searchThreads(this.#runtime.store, query)
  readonly newestSeq: Holdpoint['newestSeq'] = async threadId => knownSeq(this.#runtime.store, threadId)
  readonly compact: Holdpoint['compact'] = async (threadId, options) =>
    (await seldomVerbs()).requestCompaction(this.#runtime, await this.#present(threadId), options)
  readonly run: Holdpoint['run'] = async id => viewOf(this.#runtime, givenId('run', id), this.#feed)
  readonly runOutline: Holdpoint['runOutline'] = async id => outlineOf(this.#runtime, givenId('run', id), this.#feed)
  readonly viewAt: Holdpoint['viewAt'] = async place => viewAt(this.#runtime, place)
  readonly view: Holdpoint['view'] = async thread => viewOfThread(this.#runtime, thread)
  readonly checkpoints: Holdpoint['checkpoints'] = async threadId => listCheckpoints(await this.journal(threadId))
  readonly nextDue: Holdpoint['nextDue'] = async () => this.#runtime.due.nextTime()
  readonly stopStarted: Holdpoint['stopStarted'] = async (id, by) => {
    const { stopStarted } = await seldomVerbs()
    return this.#underway.track(stopStarted(this.#runtime, id, by))
  }
  readonly waitForStarted: Holdpoint['waitForStarted'] = async (id, options) =>
    (await seldomVerbs()).waitForStarted(this.#runtime, id, { ...options, signal: this.#untilClosed(options?.signal) })
  readonly hold: Holdpoint['hold'] = async id => holdAsOfNow(this.#runtime, givenId('hold', id))
  readonly objections: Holdpoint['objections'] = (inputs, wish) => objectionsTo(this.#runtime, inputs, wish)
  readonly release: Holdpoint['release'] = async (id, by) => releaseLease(this.#runtime, givenId('run', id), by)
  readonly madeReady: MadeReady

  constructor(runtime: Runtime, openTasks: OpenTasks) {
    this.#feed = new ThreadFeed(runtime.store, runtime.clock, runtime.live)
    const feed = { tell: followersToo(runtime, this.#feed), isFollowed: (id: string) => this.#feed.has(id) }
    const watching = watchful({ ...runtime, ...feed })
    this.#runtime = { ...watching, due: new DueHolds(watching), controls: () => this.background.controls() }
    this.madeReady = new MadeReady(runtime.store)
    this.#advancer = new RunAdvancer(this.#runtime)
    this.grants = new RuntimeGrants(this.#runtime)
    this.audit = new RuntimeAudit(this.#runtime, this.#closed.signal)
    const { bundles, tokens } = partsOnDemand(this.#runtime)
    this.bundles = bundles
    this.tokens = tokens
    const record = (inputs: readonly DecisionInput[]) => decideHolds(this.#runtime, inputs, { all: true })
    this.background = backgroundOnDemand(() => openTasks(this, record))
    this.tasks = this.background.tasks
    this.agents = this.background.agents
  }

  get storeUrl(): string {
    return this.#runtime.store.location.display
  }

  async start(request: StartOptions | StartWithProfile): Promise<Started> {
    const started = await startRequested(this.#runtime, request)
    if ('reserve' in request && request.reserve) this.#advancer.reserve(started.id)
    return started
  }

  async advance(runId: string, options: AdvanceOptions = {}): Promise<AdvanceResult> {
    const signal = this.#untilClosed(advanceOptions(options).signal)
    return this.#underway.track(this.#advancer.advance(givenId('run', runId), { ...options, signal }))
  }

  async work(options: WorkOptions = {}): Promise<void> {
    const advance: Advance = ({ id }, options) => this.advance(id, options)
    const stopSignal = this.#untilClosed(options.stopSignal)
    const onEvent = (event: WorkEvent) => {
      // If the store fails, the worker's next look at it fails too, and tells of it.
      if (event.kind === 'hold.expired') this.#underway.track(this.madeReady.byDeadlines([event])).catch(() => {})
      return options.onEvent?.(event)
    }
    const { work } = await seldomVerbs()
    return this.#underway.track(work({ runtime: this.#runtime, advance }, { ...options, stopSignal, onEvent }))
  }

  async cancel(runId: string, options: CancelOptions): Promise<Cancelled> {
    if (!(await requestCancel(this.#runtime, runId, options))) return { outcome: 'done', run: await this.run(runId) }
    const isCarriedOut = await this.#underway.track(this.#advancer.carryOutCancel(runId, this.#closed.signal))
    return { outcome: isCarriedOut ? 'cancelled' : 'requested', run: await this.run(runId) }
  }

  async runs(query: RunQuery = {}): Promise<readonly RunRow[]> {
    return this.#runtime.store.runs(runQuery(query))
  }

  async runTree(query: RunQuery = {}): Promise<readonly RunNode[]> {
    return (await seldomVerbs()).runTree(this.#runtime.store, runQuery(query))
  }

  async runPaths(runIds: readonly string[]): Promise<ReadonlyMap<string, RunPath>> {
    return (await seldomVerbs()).runPaths(this.#runtime.store, givenIds('runPaths', runIds))
  }

  async *checkPending(options: CheckOptions = {}): AsyncGenerator<PendingCheck, void, undefined> {
    yield* (await seldomVerbs()).checkPending(this.#runtime, options)
  }

  async decide(holdId: string, input: Omit<DecisionInput, 'hold_id'>): Promise<Receipt> {
    return (await this.decideMany([{ ...input, hold_id: holdId }]))[0] as Receipt
  }

  async decideMany(inputs: readonly DecisionInput[], options: DecideOptions = {}): Promise<readonly Receipt[]> {
    const receipts = await decideHolds(this.#runtime, inputs, options)
    await this.#underway.track(this.madeReady.byDecisions(receipts))
    return receipts
  }

  async answer(holdId: string, answer: Answer): Promise<Receipt> {
    const { answerHold } = await seldomVerbs()
    const receipt = await answerHold(this.#runtime, givenId('hold', holdId), answer)
    await this.#underway.track(this.madeReady.byDecisions([receipt]))
    return receipt
  }

  async assign(holdId: string, options: AssignOptions): Promise<Hold> {
    const onDue = (due: readonly DueEvent[]) => this.#underway.track(this.madeReady.byDeadlines(due))
    return (await seldomVerbs()).assignHold(this.#runtime, givenId('hold', holdId), options, onDue)
  }

  async holds(query: HoldQuery = {}): Promise<readonly Hold[]> {
    return (await this.#runtime.store.holds(holdQuery(query))).map(hold => asOfNow(this.#runtime, hold))
  }

  async holdInContext(id: string, principal: Principal): Promise<HoldView | null> {
    return (await seldomVerbs()).holdInContext(this.#runtime, givenId('hold', id), principal)
  }

  async expireHolds(): Promise<readonly DueEvent[]> {
    const happened = await this.#runtime.due.fireAndWarn()
    await this.#underway.track(this.madeReady.byDeadlines(happened))
    return happened
  }

  async messages(threadId: string): Promise<readonly HumanMessage[]> {
    return (await seldomVerbs()).humanMessages(this.#runtime, givenId('session', threadId))
  }

  async send(threadId: string, message: MessageInput, options: SendOptions = {}): Promise<Sent> {
    const sent = await sendMessage(this.#runtime, await this.#present(threadId), { message, options })
    await this.#underway.track(this.madeReady.byMessage(sent, message))
    return sent
  }

  follow(threadId: string, options: FollowOptions = {}): AsyncGenerator<JournalEvent | Ephemeral, void, undefined> {
    const signal = this.#untilClosed(options?.signal)
    return followThread(this.#runtime.store, this.#feed, { threadId, ...options, signal })
  }

  async thread(id: string): Promise<Thread> {
    return (await this.#feed.thread(givenId('session', id))) ?? fold(id, await this.journal(id))
  }

  async journal(threadId: string): Promise<readonly JournalEvent[]> {
    return knownJournal(this.#runtime.store, threadId)
  }

  async checkpoint(id: string): Promise<CheckpointPlace> {
    return loadCheckpoint(this.#runtime.store, givenId('checkpoint', id))
  }

  async fork(checkpointId: string): Promise<Forked> {
    return (await seldomVerbs()).forkThread(this.#runtime, givenId('checkpoint', checkpointId))
  }

  async prune(options: PruneOptions): Promise<Pruned> {
    return (await seldomVerbs()).pruneStore(this.#runtime, { ...options, signal: this.#untilClosed(options?.signal) })
  }

  watch(onChange: () => void): Disposable {
    return this.#runtime.store.watch(onChange)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort()
    await this.#underway.ended()
    await this.#runtime.live?.close()
    await this.#runtime.agents[Symbol.asyncDispose]?.()
    if (!this.#runtime.keepsStoreOpen) await this.#runtime.store[Symbol.asyncDispose]()
  }

  /** For verbs that no message of before a summary concerns. */
  async #present(id: string): Promise<Thread> {
    return (await this.#feed.thread(givenId('session', id))) ?? (await loadThread(this.#runtime.store, id)).thread
  }

  #untilClosed(signal: AbortSignal | undefined): AbortSignal {
    return signal ? AbortSignal.any([signal, this.#closed.signal]) : this.#closed.signal
  }
}
