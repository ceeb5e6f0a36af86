/**
 * Turns an answer to a pause, in any form, into one decision for each hold. Keeps P2: a repeat of an earlier decision
 * changes nothing, and a contradiction is too late. An answer that does not fit the pause is refused whole.
 */

import { alreadyDecided } from '../../core/hold/already-decided.ts'
import { answerValue } from '../../core/hold/answer-value.ts'
import type { DecisionInput } from '../../core/hold/decision.ts'
import { holdRefusals } from '../../core/refusals/hold-refusals.ts'
import type { CheckpointPlace } from '../views/load-checkpoint.ts'
import type { RunView } from '../views/run-view.ts'
import { type Choices, chosenDecisions, type Earlier } from './chosen-decisions.ts'

/** An answer to a pause; at most one of the three. */
export interface PauseAnswer {
  readonly choices: Choices | null
  /** Answers a text pause, or the one open question. */
  readonly prompt: string | null
  /** Accepts the text of a text pause as final. */
  readonly finish: boolean
}

export interface AskedPause {
  readonly request: PauseAnswer
  readonly by: Pick<DecisionInput, 'decided_by' | 'surface'>
  readonly view: RunView
  /** Earlier decisions: in this step, or since the checkpoint. */
  readonly earlier: readonly Earlier[]
}

/**
 * The answer to a run that is not over. A run that does not wait lost its owner, or its holds were decided elsewhere. A
 * repeat of that decision then continues the run; a contradiction is too late. @throws RefusedError
 */
export function pauseDecisions(asked: AskedPause): DecisionInput[] {
  const { request, by, view, earlier } = asked
  if (request.choices) return chosenDecisions(view, request.choices, { by, earlier })
  if (request.finish) return finishes(asked)
  return request.prompt === null ? [] : answers(asked, request.prompt)
}

/** The newest decision on each call, oldest first. */
export function earlierDecisions(view: RunView, place: CheckpointPlace | null): Earlier[] {
  const step = view.decided.map(({ id, call_id, decision }) => ({ hold_id: id, call_id, decision }))
  const newest = new Map<string, Earlier>()
  for (const earlier of [...(place ? decidedSince(place) : []), ...step]) {
    const about = earlier.call_id ?? earlier.hold_id
    newest.delete(about)
    newest.set(about, earlier)
  }
  return [...newest.values()]
}

function finishes({ by, view, earlier }: AskedPause): DecisionInput[] {
  const input = view.holds.find(hold => hold.kind === 'input')
  if (input) return [{ hold_id: input.id, verdict: 'approve', ...by }]
  if (view.holds.length > 0) {
    throw holdRefusals.finishWhilePending(callsIn(view))
  }
  return repeats({ view, earlier }, ({ call_id, decision }) => call_id === null && decision.verdict === 'approve')
}

function answers({ by, view, earlier }: AskedPause, text: string): DecisionInput[] {
  const [first, ...others] = view.holds
  if (first && others.length === 0 && (first.kind === 'input' || first.kind === 'question')) {
    return [{ hold_id: first.id, verdict: 'respond', value: answerValue(text, first), ...by }]
  }
  if (first) throw holdRefusals.textWhilePending(callsIn(view))
  return repeats(
    { view, earlier },
    ({ decision: { verdict, value } }) => verdict === 'respond' && (value === text || JSON.stringify(value) === text),
  )
}

/** Nothing is open. A repeat of the newest answer continues the run; another answer is too late. */
function repeats({ view, earlier }: Pick<AskedPause, 'view' | 'earlier'>, isSame: (answer: Earlier) => boolean): [] {
  const last = earlier.findLast(isAnswer) ?? earlier.at(-1)
  if (!last) {
    throw holdRefusals.nothingPendingInRun(view.id, view.checkpoint_id)
  }
  if (isSame(last)) return []
  throw alreadyDecided(last.hold_id, last.decision)
}

/** To a text pause, or to a question. */
function isAnswer({ call_id, decision }: Earlier): boolean {
  return call_id === null || decision.verdict === 'respond'
}

/** The decisions after a checkpoint, by anyone. */
export function decidedSince({ events, seq, run_id }: CheckpointPlace): Earlier[] {
  return events.flatMap(event =>
    event.kind === 'hold.decided' && event.run_id === run_id && event.seq > seq ? [event.data] : [],
  )
}

function callsIn({ holds }: RunView): string {
  return holds.flatMap(({ call_id }) => (call_id === null ? [] : [call_id])).join(', ')
}
