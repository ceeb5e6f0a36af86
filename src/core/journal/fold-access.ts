/** Access to the parts of a thread, for the folds of all kinds. Each @throws Error if the part is missing. */
import { asFitted } from '../plain/fitted.ts'
import { countAnew } from '../run/stop-condition.ts'
import { assertMayBecome, type CallStatus, type FittedArguments, isFinal, type ToolCall } from '../run/tool-call.ts'
import type { Used } from '../run/usage/used.ts'
import { frozen } from '../text/frozen.ts'
import { mayRun } from './may-run.ts'
import type { QueuedMessage } from './message.ts'
import { openHolds, type Run, type Step, type Thread } from './thread.ts'

export function move(thread: Thread, callId: string, status: CallStatus, changes: Partial<ToolCall>): void {
  const call = callOf(thread, callId)
  assertMayBecome(call, status)
  // A final call stays as it is.
  if (!isFinal(call.status)) change(thread, callId, { ...changes, status })
}

export function change(thread: Thread, callId: string, changes: Partial<ToolCall>): void {
  stepOf(runOf(thread)).calls.set(callId, { ...callOf(thread, callId), ...changes })
}

export function callOf(thread: Thread, callId: string): ToolCall {
  const call = stepOf(runOf(thread)).calls.get(callId)
  if (!call) throw new Error(`call ${callId} is not one of the step under way`)
  return call
}

/** Arguments as the schema of their tool made them: the schema is not evaluated on them again. */
export function fitting(
  { final_arguments: before }: ToolCall,
  { arguments: made, fitted }: FittedArguments,
): Partial<ToolCall> {
  if (fitted === undefined) return made ? { final_arguments: frozen(made) } : {}
  return { final_arguments: asFitted(made ? frozen(made) : before), fitted }
}

export function stepOf(run: Run): Step {
  if (!run.step) throw new Error(`run ${run.id} has no step under way`)
  return run.step
}

/** The place of messages (P5). */
export function betweenSteps(thread: Thread): Run {
  const run = runOf(thread)
  if (run.step) throw new Error(`step ${run.step.number} has not ended`)
  return run
}

/** A hold that stays open could still be decided. */
export function atRest(thread: Thread): Run {
  const run = betweenSteps(thread)
  const [open] = openHolds(run)
  if (open) throw new Error(`hold ${open.id} is open`)
  return run
}

export function runOf(thread: Thread): Run {
  if (!thread.run) throw new Error('no run has started')
  return thread.run
}

/** Adds a message that the model is to answer. */
export function hear(thread: Thread, { content, author }: Pick<QueuedMessage, 'content' | 'author'>): Run {
  thread.messages.push({ role: 'user', content, author })
  const run = runOf(thread)
  if (author !== null) run.requesters.add(author)
  run.unsigned = author === null
  run.task ??= { content, author }
  run.concluding = false
  run.unfinished = null
  run.asked_again = null
  return run
}

/** A person gave input after `active_ms` of work: budgets, streaks and forced turns begin anew. */
export function beginInput(run: Run, active_ms: number = run.counters.active_ms): void {
  const used = { ...budgetsOf(run), active_ms }
  run.counters = countAnew(run.counters, used)
  run.forced = 0
}

/** What a run used of its budgets, beside time. */
export function budgetsOf({ steps: rounds, usage }: Run): Omit<Used, 'active_ms'> {
  const { total_tokens, cost_usd, unpriced_tokens } = usage
  return {
    ...{ rounds, total_tokens },
    ...(cost_usd !== undefined && { cost_usd }),
    ...(unpriced_tokens !== undefined && { unpriced_tokens }),
  }
}

/** Undoes a claim: the call is as it was before it, and may run by what let it run. */
export function unclaim(thread: Thread, callId: string, status: CallStatus): void {
  const claimed = callOf(thread, callId)
  if (claimed.status !== 'running') throw new Error(`call ${callId} is ${claimed.status}, so it has no claim`)
  const before = { ...claimed, status, attempt: claimed.attempt - 1 }
  const fits = status === 'running' ? before.attempt > 0 : status !== 'new' || before.attempt === 0
  if (!fits || !mayRun(runOf(thread), before)) throw new Error(`call ${callId} was not ${status} before`)
  change(thread, callId, before)
}
