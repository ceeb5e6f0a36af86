import type { Release } from '../hold/release.ts'
import type { TryPattern } from '../pattern/try-pattern.ts'
import { type Discarded, isDiscarded, notRunText, type Unfinished } from '../run/outcome/unfinished-answer.ts'
import { type Standing, stopFor, stopForGood, timeoutFor } from '../run/stop-condition.ts'
import type { Termination } from '../run/termination.ts'
import { isFinal, type ToolCall } from '../run/tool-call.ts'
import { usedSince } from '../run/usage/used.ts'
import { budgetsOf } from './fold-access.ts'
import { isInterrupted, isSuperseded, mayRun, releaseOfCall } from './may-run.ts'
import { openHolds, type Run } from './thread.ts'

/**
 * The next need of a run. It follows from its state alone, so a live run and a replayed one go the same way (P4, P8).
 */
export type Move =
  | { readonly type: 'done' }
  | { readonly type: 'wait' }
  | { readonly type: 'infer' }
  | { readonly type: 'gate'; readonly calls: readonly ToolCall[] }
  | { readonly type: 'settle'; readonly call: ToolCall; readonly release: Finish }
  | { readonly type: 'start'; readonly calls: readonly ToolCall[] }
  | { readonly type: 'attend' }
  | { readonly type: 'end_step' }
  | { readonly type: 'cut_step' }
  | { readonly type: 'ask_again'; readonly because: Unfinished }
  | { readonly type: 'conclude'; readonly accepted: boolean }
  | { readonly type: 'end'; readonly termination: Termination }

/** The facts that the advancing process knows in addition to the journal. */
export interface AdvanceContext {
  /** Ids of the calls that it is running. */
  readonly underway: ReadonlySet<string>
  /** Milliseconds that the run was worked on, up to now. */
  readonly active_ms: number
  readonly tryPattern?: TryPattern | undefined
}

export function nextMove(run: Run, context: AdvanceContext): Move {
  if (run.termination) return { type: 'done' }
  const end = run.ending ?? cancelled(run)
  if (end) return { type: 'end', termination: end }
  const late = outOfTime(run, context)
  const isForGood = () => stopForGood(run.profile.stop, standingOf(run, context)) !== null
  if (late) return run.queue.length > 0 && !isForGood() ? { type: 'cut_step' } : { type: 'end', termination: late }
  if (run.step && isInterrupted(run)) return { type: 'cut_step' }
  return run.step ? moveInStep(run, [...run.step.calls.values()], context) : moveBetweenSteps(run, context)
}

function moveBetweenSteps(run: Run, context: AdvanceContext): Move {
  if (openHolds(run).length > 0) return { type: 'wait' }
  const facts = standingOf(run, context)
  // A message begins the count anew: no limit that was reached before it keeps it from its answer.
  if (run.queue.length > 0) return endOr(stopForGood(run.profile.stop, facts), { type: 'infer' })
  const stop = stopFor(run.profile.stop, facts)
  if (stop) return { type: 'end', termination: stop }
  if (!run.concluding) return { type: 'infer' }
  // A limit that spoils no end keeps the model from one more answer.
  const because = stopFor(run.profile.stop, { ...facts, natural_end: false }) ? null : asksAgainBecause(run)
  return because ? { type: 'ask_again', because } : { type: 'conclude', accepted: isAccepted(run) }
}

/** A model may pause as often as it likes, and what does not count is asked for once more. */
function asksAgainBecause({ unfinished, asked_again, holds }: Run): Unfinished | null {
  if (unfinished === 'pause_turn') return unfinished
  return asked_again === null && holds.size === 0 ? unfinished : null
}

function endOr(termination: Termination | null, move: Move): Move {
  return termination ? { type: 'end', termination } : move
}

function moveInStep(run: Run, calls: readonly ToolCall[], { underway }: AdvanceContext): Move {
  const move = (isSuperseded(run) ? giveUpOne(run, calls, underway) : null) ?? gateOrGoOn(run, calls, underway)
  if (move) return move
  if (underway.size > 0) return { type: 'attend' }
  return calls.every(call => isFinal(call.status)) ? { type: 'end_step' } : { type: 'wait' }
}

function gateOrGoOn(run: Run, calls: readonly ToolCall[], underway: ReadonlySet<string>): Move | null {
  const ungated = calls.filter(call => call.status === 'new' && !call.allowed)
  const [first] = ungated
  if (first && isDiscarded(run.unfinished)) return { type: 'settle', call: first, release: notRun(run.unfinished) }
  if (first) return { type: 'gate', calls: ungated }
  // A call that was cut off had begun already.
  if (!isBatchHeld(run)) return settleOne(run, calls) ?? startSome(run, calls, underway)
  const cutOff = calls.filter(({ status }) => status === 'running')
  return startSome(run, cutOff, underway)
}

/** True while no call of a batch may begin, because one of its holds is open. */
export function isBatchHeld(run: Run): boolean {
  return run.profile.hold_scope === 'batch' && openHolds(run).length > 0
}

/** Gives up a call that a new message replaces. Decisions that were made already still reach the model. */
function giveUpOne(run: Run, calls: readonly ToolCall[], underway: ReadonlySet<string>): Move | null {
  const decided = settleOne(run, calls)
  if (decided) return decided
  const call = calls.find(({ id, status }) => !isFinal(status) && !underway.has(id))
  return call ? { type: 'settle', call, release: superseded(call) } : null
}

function superseded({ attempt }: ToolCall): Finish {
  const message =
    attempt === 0
      ? 'a new message came before this call ran.'
      : 'a new message came before this call was over; it had started, so it may have had its effect.'
  return { act: 'finish', status: 'cancelled', output: null, error: { code: 'TOOL_CALL_CANCELLED', message } }
}

function notRun(because: Discarded): Finish {
  const error = { code: 'TOOL_CALL_CANCELLED', message: notRunText(because) }
  return { act: 'finish', status: 'cancelled', output: null, error }
}

function settleOne(run: Run, calls: readonly ToolCall[]): Move | null {
  for (const call of calls) {
    const release = releaseOfCall(run, call)
    if (release?.act === 'finish') return { type: 'settle', call, release: withBeginning(release, call) }
  }
  return null
}

/** A model that sees only a cancel would call again: a call that had started may have had its effect (P3). */
function withBeginning(release: Finish, { attempt }: ToolCall): Finish {
  const { error } = release
  if (attempt === 0 || error === null || !NOT_RUN.includes(error.code)) return release
  const had = 'It had started before, so it may have had its effect.'
  return { ...release, error: { ...error, message: `${error.message.replace(/[^.!?]$/, '$&.')} ${had}` } }
}

const NOT_RUN: readonly string[] = ['TOOL_CALL_CANCELLED', 'TOOL_CALL_REJECTED']

type Finish = Extract<Release, { act: 'finish' }>

function startSome(run: Run, calls: readonly ToolCall[], underway: ReadonlySet<string>): Move | null {
  const room = run.profile.max_concurrent_calls - underway.size
  const ready = calls.filter(call => !underway.has(call.id) && mayRun(run, call)).slice(0, Math.max(room, 0))
  return ready.length > 0 ? { type: 'start', calls: ready } : null
}

function cancelled({ cancel }: Run): Termination | null {
  return cancel && { type: 'cancelled', by: cancel.by, reason: cancel.reason }
}

/** Cuts work in a step short; between steps the conditions are read in their order. */
function outOfTime(run: Run, { active_ms }: AdvanceContext): Termination | null {
  const calls = [...(run.step?.calls.values() ?? [])]
  return calls.every(({ status }) => isFinal(status))
    ? null
    : timeoutFor(run.profile.stop, active_ms, run.counters.used_before.active_ms)
}

function standingOf(run: Run, { active_ms, tryPattern }: AdvanceContext): Standing {
  const { used_before, ...streaks } = run.counters
  const in_all = { ...budgetsOf(run), active_ms }
  return {
    ...streaks,
    ...usedSince(used_before, in_all),
    text: isDiscarded(run.unfinished) ? null : (run.ended_step?.text ?? null),
    ran: run.ended_step?.ran ?? [],
    called: run.ended_step?.called ?? [],
    in_all,
    natural_end: run.concluding && run.unfinished !== 'pause_turn',
    tryPattern,
  }
}

function isAccepted(run: Run): boolean {
  return [...run.holds.values()].some(hold => hold.kind === 'input' && hold.decision?.verdict === 'approve')
}
