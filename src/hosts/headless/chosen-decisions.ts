import type { DecisionInput } from '../../core/decision.ts'
import { RefusedError } from '../../core/errors.ts'
import type { Hold } from '../../core/hold.ts'
import type { ToolCall } from '../../core/tool-call.ts'
import type { RunView } from '../../runtime/run-view.ts'
import type { Choices } from './run-request.ts'

type Said = Pick<DecisionInput, 'verdict' | 'arguments' | 'value' | 'reason'>

/** Left out where others of the batch were decided: refused, and told so (DESIGN §8.1). */
const LEFT_OUT = 'not approved: other calls of this batch were decided and this one was left out.'

/**
 * What the flags say, as a decision for each hold. Complete or nothing: @throws RefusedError for an id that is not
 * pending, one decided twice, or where nothing is pending.
 */
export function chosenDecisions(
  view: RunView,
  choices: Choices,
  by: { decided_by: string; surface: string },
): DecisionInput[] {
  const pending = new Pending(view)
  for (const id of choices.approve) pending.approve(id, choices.reason)
  for (const id of choices.reject) pending.say(id, { verdict: 'reject', reason: choices.reason })
  for (const edit of choices.edits)
    pending.say(edit.id, { verdict: 'edit', arguments: edit.arguments, reason: choices.reason })
  for (const { id, text } of choices.answers)
    pending.say(id, { verdict: 'respond', value: text, reason: choices.reason })
  if (choices.approveAll) pending.rest({ verdict: 'approve', reason: choices.reason })
  if (choices.rejectAll) pending.rest({ verdict: 'reject', reason: choices.reason })
  const onlyAnswers =
    choices.approve.length + choices.reject.length + choices.edits.length === 0 && pending.said.size > 0
  if (!onlyAnswers) pending.rest({ verdict: 'reject', reason: LEFT_OUT })
  if (pending.said.size === 0) throw nothingToDecide(view)
  return [...pending.said].map(([hold_id, said]) => ({ hold_id, ...said, ...by }))
}

class Pending {
  readonly said = new Map<string, Said>()
  readonly #holds: readonly Hold[]
  readonly #calls: readonly ToolCall[]

  constructor({ holds, calls }: RunView) {
    this.#holds = holds.filter(hold => hold.call_id !== null)
    this.#calls = calls
    if (this.#holds.length === 0) throw nothingPending()
  }

  /** A call that needs no approval may be approved along with the others: it runs anyway. */
  approve(id: string, reason: string | null): void {
    if (!this.#holdOf(id) && this.#isFree(id)) return
    this.say(id, { verdict: 'approve', reason })
  }

  say(id: string, said: Said): void {
    const hold = this.#holdOf(id)
    if (!hold) throw this.#isFree(id) ? needsNone(id) : unknownId(id, this.#holds)
    if (this.said.has(hold.id)) throw twice(id)
    this.said.set(hold.id, said)
  }

  /** All that need approval and were not named. What is in doubt is never decided along with others. */
  rest(said: Said): void {
    for (const hold of this.#holds) {
      if (hold.kind === 'approval' && !this.said.has(hold.id)) this.said.set(hold.id, said)
    }
  }

  #holdOf(id: string): Hold | undefined {
    return this.#holds.find(hold => hold.call_id === id) ?? this.#holds.find(hold => hold.id === id)
  }

  #isFree(id: string): boolean {
    return this.#calls.some(call => call.id === id && call.status === 'new')
  }
}

function nothingPending(): RefusedError {
  return new RefusedError('nothing_pending', 'No call is pending at this checkpoint, so there is nothing to decide.', {
    hint: 'Answer with a text (`-c ID "…"`), or accept the answer with --finish.',
  })
}

function nothingToDecide({ holds }: RunView): RefusedError {
  return new RefusedError('nothing_to_decide', 'None of the pending calls can be decided all at once.', {
    hint: `Name each one: ${holds.map(describe).join('; ')}.`,
  })
}

function unknownId(id: string, holds: readonly Hold[]): RefusedError {
  return new RefusedError(
    'unknown_id',
    `${JSON.stringify(id)} is not pending at this checkpoint. Pending: ${holds.map(describe).join('; ')}.`,
    {
      hint: 'Name one of those ids.',
      details: { pending: holds.map(hold => hold.call_id) },
    },
  )
}

function needsNone(id: string): RefusedError {
  return new RefusedError(
    'needs_no_approval',
    `${id} needs no approval: it runs with its batch and cannot be decided.`,
    {
      hint: 'To keep a tool from running by itself, set its policy to prompt or never.',
    },
  )
}

function twice(id: string): RefusedError {
  return new RefusedError('decided_both_ways', `The hold of ${id} was decided twice at once.`, {
    hint: 'Decide each call once.',
  })
}

function describe(hold: Hold): string {
  return `${hold.call_id} (${hold.tool}, ${hold.kind})`
}
