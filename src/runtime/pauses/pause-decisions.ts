/**
 * From an answer to a pause, in any form, to one decision for each hold. Keeps: to repeat an earlier decision says
 * nothing new. To contradict one comes too late (P2). An answer that does not fit the pause is refused whole.
 */

import { RefusedError } from '../../core/errors.ts'
import { alreadyDecided } from '../../core/hold/already-decided.ts'
import { answerValue } from '../../core/hold/answer-value.ts'
import type { DecisionInput } from '../../core/hold/decision.ts'
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
 * The answer to a run that is not over. If the run does not wait, it lost its owner, or its holds were decided
 * elsewhere. To repeat that decision then goes on with the run; to contradict it is too late. @throws RefusedError
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
    throw new RefusedError('calls_pending', '--finish accepts a text as final, but here calls are pending.', {
      action: { do: 'decide_calls', id: callsIn(view) },
    })
  }
  return repeats({ view, earlier }, ({ call_id, decision }) => call_id === null && decision.verdict === 'approve')
}

function answers({ by, view, earlier }: AskedPause, text: string): DecisionInput[] {
  const [first, ...others] = view.holds
  if (first && others.length === 0 && (first.kind === 'input' || first.kind === 'question')) {
    return [{ hold_id: first.id, verdict: 'respond', value: answerValue(text, first), ...by }]
  }
  if (first)
    throw new RefusedError('calls_pending', 'A text was given, but here calls are pending that need decisions.', {
      action: { do: 'decide_calls', id: callsIn(view) },
    })
  return repeats(
    { view, earlier },
    ({ decision: { verdict, value } }) => verdict === 'respond' && (value === text || JSON.stringify(value) === text),
  )
}

/** Nothing is open. To repeat the newest answer goes on with the run; another answer comes too late. */
function repeats({ view, earlier }: Pick<AskedPause, 'view' | 'earlier'>, isSame: (answer: Earlier) => boolean): [] {
  const last = earlier.findLast(isAnswer) ?? earlier.at(-1)
  if (!last) {
    throw new RefusedError('nothing_pending', `Nothing is pending at this checkpoint of run ${view.id}.`, {
      action: { do: 'resume', id: view.checkpoint_id },
    })
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
