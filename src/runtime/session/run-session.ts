/**
 * One process's hold on one run while it advances it: its journal, its agent, its signals and its calls under way.
 * I2  Nothing acts on a staged event before it was flushed: every effect and every inference flushes first (P3, P4).
 *     `SessionJournal` keeps I1 and I3 to I5.
 */
import type { NewHold } from '../../core/hold/hold.ts'
import { basisText, termsText } from '../../core/hold/hold-digests.ts'
import type { CheckpointReason, EventData, EventKind, JournalEvent } from '../../core/journal/event.ts'
import { pendingTools } from '../../core/journal/may-run.ts'
import type { AdvanceContext } from '../../core/journal/next-move.ts'
import type { Run, Thread } from '../../core/journal/thread.ts'
import { plain } from '../../core/plain/plain.ts'
import type { PauseKind } from '../../core/run/profile.ts'
import type { LoadedAgent } from '../../ports/agent/agent-source.ts'
import type { ModelPart } from '../../ports/agent/model-part.ts'
import type { Plugin } from '../../ports/agent/plugin.ts'
import type { Runtime } from '../../ports/runtime.ts'
import type { Lease } from '../../ports/store/runs.ts'
import { withReadResult } from '../context/read-result.ts'
import { wholeThread } from '../folds/load-thread.ts'
import { loadAgent } from '../foreign/load-agent.ts'
import { type Reach, reachOf } from '../foreign/reach-foreign.ts'
import type { KeptLease } from '../lease/keep-lease.ts'
import { policyGate } from '../policy/policy-gate.ts'
import { checkpointId } from '../views/checkpoint-id.ts'
import type { InputProvider } from '../views/input-provider.ts'
import { AskedInput } from './asked-input.ts'
import { describeRedefined } from './describe-redefined.ts'
import { HeardStops } from './heard-stops.ts'
import type { RunSignals } from './run-signals.ts'
import { SessionJournal } from './session-journal.ts'
import { UnderwayCalls } from './underway-calls.ts'
import { WorkTime } from './work-time.ts'

export interface SessionOptions {
  readonly signal: AbortSignal
  /** The pauses of this advance; gating of approvals and questions is the run's own. */
  readonly pauseOn: readonly PauseKind[] | null
  readonly inputProvider: InputProvider | null
  /** True if the run rests while the provider of its model takes no requests. */
  readonly waitForModel: boolean
}

interface Claim {
  readonly lease: Lease
  readonly kept: KeptLease
  readonly signals: RunSignals
}

export class RunSession implements Disposable {
  readonly runtime: Runtime
  /** Aborted when the whole advance is to stop, or its lease is lost. */
  readonly signal: AbortSignal
  /** `null` without an input provider. */
  readonly input: AskedInput | null
  readonly underway: UnderwayCalls = new UnderwayCalls()
  readonly signals: RunSignals
  readonly kept: KeptLease
  readonly time: WorkTime
  readonly waitsForModel: boolean
  /** The bounds of plugins' and tools' code. */
  readonly reach: Reach
  readonly #journal: SessionJournal
  readonly #pauseOn: readonly PauseKind[] | null
  #agent: Promise<LoadedAgent> | null = null

  /** `signals` was there before the journal was read, so that nothing written since is missed. */
  constructor(runtime: Runtime, { lease, kept, signals }: Claim, thread: Thread, options: SessionOptions) {
    this.runtime = runtime
    this.signal = options.signal
    this.waitsForModel = options.waitForModel
    this.input = options.inputProvider && new AskedInput(options.inputProvider)
    this.signals = signals
    this.kept = kept
    this.time = new WorkTime(runtime.clock, this.signals, thread.run?.counters.active_ms ?? 0)
    this.#journal = new SessionJournal(runtime, { lease, signal: options.signal }, thread)
    this.#pauseOn = options.pauseOn
    this.reach = reachOf(runtime, new HeardStops(this))
  }

  get thread(): Thread {
    return this.#journal.thread
  }

  get run(): Run {
    return this.#journal.run
  }

  /** In this process. */
  get isFollowed(): boolean {
    return this.runtime.isFollowed?.(this.thread.id) ?? false
  }

  /** The facts for the next move that are not in the journal. */
  get advanceContext(): AdvanceContext {
    const { tryPattern } = this.runtime
    return { underway: this.underway.ids, active_ms: this.time.activeMs, tryPattern }
  }

  get pausesForInput(): boolean {
    return (this.#pauseOn ?? this.run.profile.pause_on).includes('input')
  }

  pausesFor(kind: Exclude<PauseKind, 'input'>): boolean {
    return this.run.profile.pause_on.includes(kind)
  }

  /** Loaded when first needed, for as long as the profile stays the same. */
  async agent(): Promise<LoadedAgent> {
    const whole = () => wholeThread(this.runtime.store, this.thread)
    return withReadResult(await this.#loaded(), { thread: this.thread, whole })
  }

  #loaded(): Promise<LoadedAgent> {
    this.#agent ??= this.#load(pendingTools(this.run.step?.calls.values()))
    return this.#agent
  }

  /** Plugins can be notified of a run's end without starting the servers of its tools. */
  async plugins(): Promise<readonly Plugin[]> {
    const { agents } = this.runtime
    if (this.#agent || !agents.plugins) return (await this.agent()).plugins
    return [policyGate, ...(await agents.plugins(this.run.profile))]
  }

  /**
   * If a tool that is defined elsewhere has changed, the agent is loaded anew, and the journal has a note. If it cannot
   * be loaded now, it stays as it was. Only between moves, so that no move sees two definitions. What is left out is
   * noted once.
   */
  async refreshAgent(): Promise<void> {
    const before = await this.#loaded()
    for (const { name, error } of before.leftOut ?? [])
      if (!this.run.left_out.has(name)) this.stage('note', { about: 'tools', message: error.message, left_out: name })
    if (before.isCurrent?.() ?? true) return
    try {
      const loaded = await this.#load([...before.tools.keys()])
      this.#agent = Promise.resolve(loaded)
      const message = describeRedefined(before.tools, loaded.tools)
      if (message !== null) this.stage('note', { about: 'tools', message })
    } catch {
      // Calls of what is not there fail by themselves, and say so.
    }
  }

  /** @throws NotPlainError with the path of what a journal cannot hold; then nothing is staged */
  stage<K extends EventKind>(kind: K, data: EventData[K]): void {
    this.#journal.stage(kind, plain(data, kind))
    if (kind === 'run.configured') this.#agent = null
  }

  /** Stages the hold's row and its event: they appear together or not at all. */
  stageHold(
    given: NewHold,
    why: Pick<EventData['hold.opened'], 'because' | 'plugin' | 'arguments' | 'fitted' | 'leads_to' | 'bare_digest'>,
  ): void {
    // Its digests are of what the row says.
    const hold = plain(given, 'hold')
    const { id: hold_id, kind, call_id, digest, resume_mode, due_at, overrides_never, preview } = hold
    const { ids } = this.runtime
    const terms = ids.digest(termsText(hold))
    const basis = basisText(hold)
    const status = call_id === null ? null : 'suspended'
    const shown = {
      ...(overrides_never && { overrides_never }),
      ...(preview && { preview: preview.digest }),
      ...(basis !== null && { basis: ids.digest(basis) }),
    }
    this.stage('hold.opened', { hold_id, kind, call_id, status, digest, resume_mode, terms, due_at, ...shown, ...why })
    this.#journal.stageRow(hold)
  }

  stageCheckpoint(reason: CheckpointReason): void {
    const checkpoint_id = checkpointId(this.thread.id, this.runtime.ids.next('checkpoint'))
    this.stage('checkpoint.named', { checkpoint_id, reason, active_ms: this.time.activeMs })
  }

  /** After a message of a person the run has new time. */
  watchTime(): void {
    const { profile, counters } = this.run
    this.time.watch(profile.stop, counters.used_before.active_ms)
  }

  /** Events staged from here on are written only if no other process has written meanwhile. */
  beginRest(): void {
    this.#journal.beginRest()
  }

  /**
   * Makes all staged events durable, then reports them; false if there were none. Earlier events of other writers are
   * applied too. @throws LeaseLostError, or the store's own error.
   */
  flush(): Promise<boolean> {
    return this.#journal.flush()
  }

  /**
   * Like `flush`, with the rest as well; false if another process wrote meanwhile: then there may be more to do.
   * `release` releases the lease.
   */
  rest(options: { readonly release: boolean }): Promise<boolean> {
    return this.#journal.rest(options)
  }

  /** Gives the lease back, after the staged events if they can still be written. */
  letGo(thrown: unknown): Promise<void> {
    return this.#journal.letGo(thrown)
  }

  /** Resolves to true once others may have written. */
  news(): Promise<true> {
    return this.signals.newsBeyond(this.durableSeq)
  }

  /** Takes in what others wrote meanwhile: decisions, messages, a cancel. Nothing may be staged. @throws LeaseLostError */
  catchUp(): Promise<void> {
    return this.#reading(() => this.#journal.catchUp())
  }

  /** The newest `seq` that was taken in. */
  get durableSeq(): number {
    return this.#journal.durableSeq
  }

  /** The events of other writers after `seq`. They are applied later, so events may be staged. */
  async peek(seq: number): Promise<readonly JournalEvent[]> {
    const events = await this.#reading(() => this.#journal.eventsBehind(seq))
    this.signals.remember(events.at(-1)?.seq ?? seq)
    return events
  }

  /** If the announced events could not be read, they count as news again. */
  async #reading<T>(read: () => Promise<T>): Promise<T> {
    this.signals.forget()
    try {
      return await read()
    } catch (thrown) {
      this.signals.remember(Number.POSITIVE_INFINITY)
      throw thrown
    }
  }

  /** Streams a piece, with its position and time. */
  tell(part: ModelPart): void {
    const { id: thread_id } = this.thread
    this.runtime.tell({ ...part, thread_id, run_id: this.run.id, ephemeral: true, after: this.durableSeq })
  }

  [Symbol.dispose](): void {
    this.signals[Symbol.dispose]()
  }

  /** The run's policy precedes all plugins of an agent. `needs`: see `loadAgent`. */
  async #load(needs: readonly string[]): Promise<LoadedAgent> {
    const { reach, runtime } = this
    const agent = await loadAgent(runtime, this.run.profile, { controls: runtime.controls, reach, needs })
    return { ...agent, plugins: [policyGate, ...agent.plugins] }
  }
}
