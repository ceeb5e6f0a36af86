/**
 * One process's hold on one run while it advances it.
 * I1  Events are staged in memory and take effect in the store only by `flush`, all of them in one transaction.
 * I2  Nothing acts on a staged event before it was flushed: every effect and every inference flushes first (P3, P4).
 * I3  Nobody is told of an event before it is durable (P4).
 * I4  After a failed flush the session is dead: its state is dropped, the journal is the truth.
 */
import { HoldpointError } from '../core/errors.ts'
import type { CheckpointReason, JournalEvent, NewEvent } from '../core/event.ts'
import { apply, fold } from '../core/fold.ts'
import type { NewHold } from '../core/hold.ts'
import type { PauseKind } from '../core/profile.ts'
import { type Run, type RunStatus, runStatus, type Thread } from '../core/thread.ts'
import type { LoadedAgent } from '../ports/agent-source.ts'
import type { Ephemeral } from '../ports/event-sink.ts'
import type { Commit, Lease } from '../ports/store.ts'
import { checkpointId } from './checkpoint-id.ts'
import type { Runtime } from './runtime.ts'

export interface SessionOptions {
  readonly signal: AbortSignal
  /** What this advance pauses for; gating of approvals and questions is the run's own. */
  readonly pauseOn: readonly PauseKind[] | null
}

type Staged = { [K in NewEvent['kind']]: Extract<NewEvent, { kind: K }> }[NewEvent['kind']]

export class RunSession {
  readonly runtime: Runtime
  readonly signal: AbortSignal
  readonly #lease: Lease
  readonly #pauseOn: readonly PauseKind[] | null
  #thread: Thread
  #durableSeq: number
  #storedStatus: RunStatus
  #events: NewEvent[] = []
  #opens: NewHold[] = []
  #agent: Promise<LoadedAgent> | null = null
  #dead = false

  constructor(runtime: Runtime, lease: Lease, thread: Thread, options: SessionOptions & { storedStatus: RunStatus }) {
    this.runtime = runtime
    this.signal = options.signal
    this.#lease = lease
    this.#pauseOn = options.pauseOn
    this.#thread = thread
    this.#durableSeq = thread.seq
    this.#storedStatus = options.storedStatus
  }

  get thread(): Thread {
    return this.#thread
  }

  get run(): Run {
    if (!this.#thread.run) throw new EmptyThreadError(this.#thread.id)
    return this.#thread.run
  }

  get pausesForInput(): boolean {
    return (this.#pauseOn ?? this.run.profile.pause_on).includes('input')
  }

  pausesFor(kind: Exclude<PauseKind, 'input'>): boolean {
    return this.run.profile.pause_on.includes(kind)
  }

  /** Loaded when first needed, for as long as the profile stays the same. */
  agent(): Promise<LoadedAgent> {
    this.#agent ??= this.runtime.agents.load(this.run.profile)
    return this.#agent
  }

  stage<K extends NewEvent['kind']>(kind: K, data: Extract<NewEvent, { kind: K }>['data']): void {
    const event = { kind, run_id: this.run.id, data } as Staged
    const at = new Date(this.runtime.clock.now()).toISOString()
    apply(this.#thread, { ...event, seq: this.#thread.seq + 1, at, thread_id: this.#thread.id } as JournalEvent)
    this.#events.push(event)
    if (kind === 'run.configured') this.#agent = null
  }

  /** Stages the hold's row and its event together: they appear together or not at all. */
  stageHold(hold: NewHold, because: string): void {
    const { id: hold_id, kind, call_id, digest } = hold
    this.stage('hold.opened', {
      hold_id,
      kind,
      call_id,
      status: call_id === null ? null : 'suspended',
      digest,
      because,
    })
    this.#opens.push(hold)
  }

  stageCheckpoint(reason: CheckpointReason): void {
    this.stage('checkpoint.named', {
      checkpoint_id: checkpointId(this.#thread.id, this.runtime.ids.next('checkpoint')),
      reason,
    })
  }

  /**
   * Makes all that was staged durable, then tells. With `release` the lease is given back, unless others wrote meanwhile:
   * then there may be more to do, and it resolves to false. @throws LeaseLostError, or the store's own error.
   */
  async flush({ release = false }: { release?: boolean } = {}): Promise<boolean> {
    if (this.#events.length === 0 && !release) return false
    if (this.#dead) return this.release()
    this.#dead = true
    const commit: Commit = { events: this.#events, opens: this.#opens, release, ...this.#rowChanges() }
    const { events, released } = await this.runtime.store.append(this.#lease, this.#durableSeq, commit)
    const missed = events.length - this.#events.length
    this.#events = []
    this.#opens = []
    this.#durableSeq += events.length
    this.#dead = false
    if (missed > 0) await this.#refold()
    this.#storedStatus = missed > 0 ? 'running' : runStatus(this.run)
    for (const event of events) this.runtime.tell(event)
    return released
  }

  /** Nothing staged is lost by it: what was not flushed never happened. */
  async release(): Promise<true> {
    await this.runtime.store.release(this.#lease)
    return true
  }

  tell(event: Ephemeral): void {
    this.runtime.tell(event)
  }

  #rowChanges(): Pick<Commit, 'run'> {
    const status = runStatus(this.run)
    const checkpoint_id = this.#events.findLast(isAnnouncedCheckpoint)?.data.checkpoint_id
    const ended = this.run.termination?.type
    if (status === this.#storedStatus && checkpoint_id === undefined) return {}
    return {
      run: {
        status,
        ...(checkpoint_id === undefined ? {} : { checkpoint_id }),
        ...(ended === undefined ? {} : { ended }),
      },
    }
  }

  /** Others wrote between: what was staged took its place behind theirs, so the state is folded anew from the journal. */
  async #refold(): Promise<void> {
    this.#thread = fold(this.#thread.id, await this.runtime.store.journal(this.#thread.id))
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
