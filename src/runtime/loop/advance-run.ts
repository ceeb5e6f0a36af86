/**
 * The one verb (docs/design/runs.md#one-verb). Keeps P7 (only the lease's owner writes) and P4 (each outcome is durable
 * before it is reported).
 */

import type { ReadyDecision } from '../../core/deciding/receipt.ts'
import { HoldpointError, isModelError, messageOf } from '../../core/errors.ts'
import type { ChangedBy, JournalEvent } from '../../core/journal/event.ts'
import { type Move, nextMove } from '../../core/journal/next-move.ts'
import type { Run } from '../../core/journal/thread.ts'
import { runRefusals } from '../../core/refusals/run-refusals.ts'
import type { ProfileChanges } from '../../core/run/profile.ts'
import { errorTermination, type Termination } from '../../core/run/termination.ts'
import { refuseUnpriced } from '../../core/run/unpriced-models.ts'
import type { Runtime } from '../../ports/runtime.ts'
import type { Claim, Claimed, Lease } from '../../ports/store/runs.ts'
import { type Changer, refuseWidening, unchangedRun } from '../definitions/refuse-widening.ts'
import { recoverRun } from '../doubt/recover-run.ts'
import { loadThread } from '../folds/load-thread.ts'
import { loadAgent } from '../foreign/load-agent.ts'
import { type KeptLease, keepLease, LEASE_MS } from '../lease/keep-lease.ts'
import type { WatchfulRuntime } from '../lease/lease-watch.ts'
import { PluginError } from '../session/phases.ts'
import { RunSession, type SessionOptions } from '../session/run-session.ts'
import { RunSignals } from '../session/run-signals.ts'
import { stopCalls } from './attend-calls.ts'
import { endRun } from './end-run.ts'
import { outageOf } from './outage-of.ts'
import { type StepMove, takeStep } from './take-step.ts'

export interface AdvanceRequest extends SessionOptions {
  /** Recorded with the claim: all of them, or nothing happens at all. */
  readonly decisions: readonly ReadyDecision[]
  /** The explicit changes for the rest of the run, and their author. */
  readonly changes: ProfileChanges | null
  readonly changer: Changer
  /** The newest announced checkpoint that the caller knows of: without decisions, the run must still rest there. */
  readonly lastRest?: string | null | undefined
  /** The run was started by this process, which keeps it for itself until now. */
  readonly isReserved: boolean
}

export type Advanced =
  | Exclude<Claimed, { outcome: 'claimed' }>
  | { readonly outcome: 'advanced'; readonly session: RunSession }

/** `null` for an unknown run. @throws LeaseLostError, or the store's own error; the run stays resumable. */
export async function advanceRun(
  runtime: WatchfulRuntime,
  runId: string,
  request: AdvanceRequest,
): Promise<Advanced | null> {
  if (request.changes) await rehearseChanges(runtime, runId, { ...request, changes: request.changes })
  return runtime.leases.owning(runId, () => claimAndAdvance(runtime, runId, request))
}

async function claimAndAdvance(
  runtime: WatchfulRuntime,
  runId: string,
  request: AdvanceRequest,
): Promise<Advanced | null> {
  const claimed = await claimLease(runtime, {
    run_id: runId,
    owner: runtime.liveness.self,
    ttl_ms: LEASE_MS,
    decisions: request.decisions,
    evict: request.isReserved ? runtime.liveness.self : null,
  })
  if (claimed?.outcome !== 'claimed') return claimed
  using kept = keepLease(runtime, claimed.lease, LEASE_MS, request.signal)
  using session = await openSession(runtime, { lease: claimed.lease, kept }, { ...request, signal: kept.signal })
  try {
    if (request.changes && !session.run.termination)
      await reconfigure(session, { ...request, changes: request.changes })
    session.watchTime()
    if (!(await unlessStopped(session, () => recoverRun(session)))) await work(session)
  } catch (thrown) {
    await letGo(session, thrown)
  }
  return { outcome: 'advanced', session }
}

/** Checks the changes before anything is written, including a decision in the same request. */
async function rehearseChanges(runtime: Runtime, runId: string, wish: ChangeRequest): Promise<void> {
  const row = await runtime.store.run(runId)
  const run = row && (await loadThread(runtime.store, row.thread_id)).thread.run
  if (run?.id === runId && !run.termination) await checkedChanges(runtime, run, wish)
}

type ChangeRequest = Pick<AdvanceRequest, 'changer'> & { readonly changes: ProfileChanges }

/** A run keeps no setting that it cannot run with. @throws RefusedError */
async function checkedChanges(runtime: Runtime, run: Run, { changes, changer }: ChangeRequest): Promise<ChangedBy> {
  const changed = await refuseWidening(runtime, await unchangedRun(runtime, run), changes, changer)
  const profile = { ...run.profile, ...changes }
  refuseUnpriced(profile)
  const agent = await loadAgent(runtime, profile, { controls: runtime.controls })
  await agent.model()
  return changed
}

/** Checked again: another process may have changed settings before this one had the lease. */
async function reconfigure(session: RunSession, wish: ChangeRequest): Promise<void> {
  const changed = await checkedChanges(session.runtime, session.run, wish)
  session.stage('run.configured', { changes: wish.changes, ...changed })
}

/** A lease that may be taken from its owner (`LeaseWatch`) keeps nobody waiting. */
async function claimLease({ store, leases }: WatchfulRuntime, claim: Claim): Promise<Claimed | null> {
  const first = await store.claim(claim)
  if (first?.outcome !== 'busy') return first
  return (await leases.free(claim.run_id)) ? store.claim(claim) : first
}

async function openSession(
  runtime: Runtime,
  { lease, kept }: { readonly lease: Lease; readonly kept: KeptLease },
  options: AdvanceRequest,
): Promise<RunSession> {
  const signals = new RunSignals(runtime.store, lease.thread_id, options.signal)
  try {
    const { thread, events } = await loadThread(runtime.store, lease.thread_id)
    if (thread.run?.id !== lease.run_id) throw runRefusals.notTheNewest(lease.run_id, lease.thread_id)
    if (hasRestedSince(thread.run, options)) throw runRefusals.restedSince(lease.run_id)
    tellDecisions(runtime, events, options.decisions)
    return new RunSession(runtime, { lease, kept, signals }, thread, options)
  } catch (thrown) {
    signals[Symbol.dispose]()
    await runtime.store.release(lease)
    throw thrown
  }
}

/** Decisions that were recorded with the claim found their holds open. */
function hasRestedSince({ announced }: Run, { decisions, lastRest }: AdvanceRequest): boolean {
  return lastRest !== undefined && decisions.length === 0 && (announced?.id ?? null) !== lastRest
}

/** Publishes the decisions that the claim recorded too: followers see the whole journal. */
function tellDecisions({ tell }: Runtime, events: readonly JournalEvent[], decisions: readonly ReadyDecision[]): void {
  const recorded = new Set(decisions.map(({ decision_id }) => decision_id))
  for (const event of events) {
    const isDecision = event.kind === 'hold.decided' || event.kind === 'hold.voted'
    if (isDecision && recorded.has(event.data.decision.decision_id)) tell(event)
  }
}

async function work(session: RunSession): Promise<void> {
  for (;;) {
    const move = nextMove(session.run, session.advanceContext)
    const rests = isStride(move) ? await strideOrStop(session, move) : await rest(session, move)
    if (rests) return
  }
}

function isStride(move: Move): move is StepMove {
  return move.type !== 'wait' && move.type !== 'done'
}

/**
 * Lets go of the lease; false if another process wrote meanwhile, which may be work to do. A checkpoint is named only
 * if there were events since the last one: looking at a waiting run changes nothing.
 */
async function rest(session: RunSession, { type }: Exclude<Move, StepMove>): Promise<boolean> {
  session.beginRest()
  if (type === 'wait' && session.run.announced?.seq !== session.thread.seq) session.stageCheckpoint('pause')
  return session.rest({ release: true })
}

/** False to continue; true once a stopped run has let go. */
async function strideOrStop(session: RunSession, move: StepMove): Promise<boolean> {
  if (session.signals.isStopped && session.signal.aborted) return interrupt(session)
  return unlessStopped(session, () => takeStep(session, move))
}

/** Like `strideOrStop`, because a recovery may wait past the run's own time limit. */
async function unlessStopped(session: RunSession, act: () => Promise<void>): Promise<boolean> {
  try {
    await act()
  } catch (thrown) {
    if (wasStopped(session.signal, thrown)) return interrupt(session)
    if (wasStopped(session.signals.signal, thrown)) await hearWhy(session)
    else return restOrEnd(session, thrown)
  }
  return false
}

/** True once a run whose model may answer later has let go. */
async function restOrEnd(session: RunSession, thrown: unknown): Promise<boolean> {
  const outage = isModelError(thrown) ? outageOf(session, thrown) : null
  if (outage === null) {
    await endRun(session, endOf(thrown))
    return false
  }
  session.beginRest()
  session.stage('model.unavailable', outage)
  // A message that came meanwhile has the model asked at once.
  return session.rest({ release: true })
}

/** Cancelled, or out of time: once that is taken in, the next move is the end. */
async function hearWhy(session: RunSession): Promise<void> {
  await session.flush()
  await session.catchUp()
}

function wasStopped(signal: AbortSignal, thrown: unknown): boolean {
  return signal.aborted && thrown === signal.reason
}

/** Stops at a safe point. No checkpoint is named while a call is in doubt: a fork of it would not know the outcome either. */
async function interrupt(session: RunSession): Promise<boolean> {
  await stopCalls(session, session.signal.reason)
  session.beginRest()
  const isInDoubt = [...(session.run.step?.calls.values() ?? [])].some(({ status }) => status === 'running')
  if (!isInDoubt && session.run.announced?.seq !== session.thread.seq) session.stageCheckpoint('interrupted')
  return session.rest({ release: true })
}

/**
 * Only the failure of a model or a plugin ends the run. After any other failure of this process, the run continues
 * later.
 */
function endOf(thrown: unknown): Termination {
  if (isModelError(thrown)) return errorTermination(thrown)
  if (thrown instanceof PluginError) return errorTermination({ ...thrown, message: thrown.message, retryable: false })
  throw thrown
}

/** Keeps the work so far; the run continues once the fault is repaired. */
async function letGo(session: RunSession, thrown: unknown): Promise<never> {
  try {
    await stopCalls(session, thrown instanceof Error ? thrown : new Error(messageOf(thrown)))
    await session.letGo(thrown)
  } catch (cause) {
    if (cause !== thrown && !(cause instanceof HoldpointError))
      throw new AggregateError([thrown, cause], messageOf(thrown))
  }
  throw thrown
}
