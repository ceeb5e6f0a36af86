import { RefusedError } from '../../core/errors.ts'
import { alreadyDecided } from '../../core/hold/already-decided.ts'
import { answerValue } from '../../core/hold/answer-value.ts'
import type { Decision, DecisionInput } from '../../core/hold/decision.ts'
import { type Hold, isOverride } from '../../core/hold/hold.ts'
import { REFUSES } from '../../core/hold/objection-to-digest.ts'
import { holdRefusals } from '../../core/refusals/hold-refusals.ts'
import { canonicalJson, type Json, type JsonObject } from '../../core/text/json.ts'
import type { RunView } from '../views/run-view.ts'

type DecisionContent = Pick<DecisionInput, 'verdict' | 'arguments' | 'value' | 'reason'>

/** A choice about one call, named by its id or its hold's. */
export type Choice = { readonly id: string; readonly reason: string | null } & (
  | { readonly verdict: 'approve' | 'reject' }
  | { readonly verdict: 'edit'; readonly arguments: JsonObject }
  | { readonly verdict: 'answer'; readonly text: string }
)

/** One verdict for each call that is named, and one for the rest of a pause. */
export interface Choices {
  readonly each: readonly Choice[]
  /** The verdict on all others that need approval; `null`: they are left out. */
  readonly rest: 'approve' | 'reject' | null
  /** The reason for the verdict of `rest`. */
  readonly reason: string | null
  /** P9: what the decider was shown, by the id of a call or its hold. Default: nothing is known of it. */
  readonly digests?: ReadonlyMap<string, string>
}

/** A decision of another process, or of this command before its process died. */
export interface Earlier {
  readonly hold_id: string
  readonly call_id: string | null
  readonly decision: Decision
}

/** The reason for a call that was left out while others of its batch were decided (docs/design/command-line.md#rules). */
const LEFT_OUT = 'not approved: other calls of this batch were decided and this one was left out.'

/**
 * The flags as one decision for each open hold. To repeat an earlier decision is no decision and no conflict. Complete
 * or nothing: @throws RefusedError for an id that is not pending, for one that is decided in two ways, or if nothing is
 * pending.
 */
export function chosenDecisions(
  view: RunView,
  choices: Choices,
  { by, earlier }: { by: { decided_by: string; surface: string }; earlier: readonly Earlier[] },
): DecisionInput[] {
  const pending = new Pending(view, earlier)
  const { reason } = choices
  for (const choice of choices.each) pending.choose(choice)
  if (choices.rest) pending.rest({ verdict: choices.rest, reason })
  const isPartial = choices.rest === null && choices.each.some(({ verdict }) => verdict !== 'answer')
  if (isPartial) pending.rest({ verdict: 'reject', reason: LEFT_OUT })
  pending.bind(choices.digests ?? new Map())
  pending.refuseIdle(choices)
  return [...pending.chosen].map(([hold_id, content]) => ({ hold_id, ...content, ...by }))
}

class Pending {
  readonly chosen = new Map<string, DecisionContent>()
  readonly #holds: readonly Hold[]
  readonly #view: RunView
  readonly #earlier: readonly Earlier[]

  constructor(view: RunView, earlier: readonly Earlier[]) {
    this.#view = view
    this.#holds = view.holds.filter(hold => hold.call_id !== null)
    this.#earlier = earlier.filter(({ call_id }) => call_id !== null)
    if (this.#holds.length + this.#earlier.length === 0) throw nothingPending(view)
  }

  choose(choice: Choice): void {
    const { id, reason } = choice
    if (choice.verdict === 'approve') this.#approve(id, reason)
    else if (choice.verdict === 'answer') this.#answer(id, choice.text, reason)
    else if (choice.verdict === 'edit') this.#choose(id, { verdict: 'edit', arguments: choice.arguments, reason })
    else this.#choose(id, { verdict: 'reject', reason })
  }

  /** A call that needs no approval may be approved along with the others: it runs anyway. */
  #approve(id: string, reason: string | null): void {
    if (!this.#holdOf(id) && this.#isFree(id)) return
    this.#choose(id, { verdict: 'approve', reason })
  }

  #answer(id: string, text: string, reason: string | null): void {
    const hold = this.#holdOf(id)
    const value = hold ? answerValue(text, hold) : valueLike(text, this.#earlierOn(id))
    this.#choose(id, { verdict: 'respond', value, reason })
  }

  #choose(id: string, content: DecisionContent): void {
    const hold = this.#holdOf(id)
    if (hold && this.chosen.has(hold.id)) throw holdRefusals.twice(id)
    if (hold) this.chosen.set(hold.id, content)
    else this.#repeat(id, content)
  }

  /**
   * All that need approval and were not named. A call in doubt is never decided along with others. An override is not
   * approved along with them.
   */
  rest(content: DecisionContent): void {
    for (const hold of this.#holds) {
      const isMeant = hold.kind === 'approval' && !(isOverride(hold) && content.verdict === 'approve')
      if (isMeant && !this.chosen.has(hold.id)) this.chosen.set(hold.id, content)
    }
  }

  /** P9: what is let pass must have the digest that was shown. */
  bind(digests: ReadonlyMap<string, string>): void {
    for (const [id, digest] of digests) {
      const passing = this.#passing(id)
      if (passing && passing.digest !== digest) throw holdRefusals.shownOtherwise(passing.id, passing.digest)
    }
  }

  /** `null` if it is refused, or was edited before: that digest is of the arguments of the edit. */
  #passing(id: string): Pick<Hold, 'id' | 'digest'> | null {
    const hold = this.#holdOf(id)
    if (hold) return REFUSES[this.chosen.get(hold.id)?.verdict ?? 'reject'] ? null : hold
    const before = this.#earlierOn(id)
    if (!before) throw unknownId(id, this.#holds)
    const { verdict, digest } = before.decision
    return verdict === 'approve' ? { id: before.hold_id, digest } : null
  }

  /** If there is no new decision, all choices must repeat earlier ones. */
  refuseIdle({ rest: blanket }: Choices): void {
    if (this.chosen.size > 0) return
    if (this.#holds.length > 0 && blanket !== null) throw holdRefusals.nothingToDecide(this.#holds.map(describe))
    const differs = this.#earlier.find(({ decision }) => blanket !== null && decision.verdict !== blanket)
    if (differs) throw alreadyDecided(differs.hold_id, differs.decision)
  }

  #repeat(id: string, content: DecisionContent): void {
    const before = this.#earlierOn(id)
    if (!before) throw this.#isFree(id) ? holdRefusals.needsNone(id) : unknownId(id, this.#holds)
    if (!isSameDecision(content, before.decision)) throw alreadyDecided(before.hold_id, before.decision)
  }

  #earlierOn(id: string): Earlier | undefined {
    return this.#earlier.find(({ call_id, hold_id }) => call_id === id || hold_id === id)
  }

  #holdOf(id: string): Hold | undefined {
    return this.#holds.find(hold => hold.call_id === id) ?? this.#holds.find(hold => hold.id === id)
  }

  #isFree(id: string): boolean {
    return this.#view.calls.some(call => call.id === id && call.status === 'new')
  }
}

/** The schema of what was answered is gone with its question: a text that was read as JSON then, is read so again. */
function valueLike(text: string, before: Earlier | undefined): Json {
  const wasText = typeof (before?.decision.value ?? '') === 'string'
  return wasText ? text : answerValue(text, { kind: 'client_tool', response_schema: null })
}

/** Reasons may be worded anew. */
function isSameDecision(content: DecisionContent, before: Decision): boolean {
  return (
    content.verdict === before.verdict &&
    canonicalJson(content.arguments ?? null) === canonicalJson(before.arguments) &&
    canonicalJson(content.value ?? null) === canonicalJson(before.value)
  )
}

function nothingPending(view: RunView): RefusedError {
  const waits = view.status === 'waiting'
  return new RefusedError('nothing_pending', 'No call is pending at this checkpoint, so there is nothing to decide.', {
    action: waits ? { do: 'answer_text' } : { do: 'resume', id: view.checkpoint_id },
  })
}

function unknownId(id: string, holds: readonly Hold[]): RefusedError {
  const pending = holds.map(describe).join('; ') || 'none'
  return holdRefusals.unknownId(id, pending, { details: { pending: holds.map(hold => hold.call_id) } })
}

function describe(hold: Hold): string {
  const more = [
    ...(hold.overrides_never ? ['policy says never'] : []),
    ...(hold.refused_before ? [`refused ${hold.refused_before.times} times`] : []),
  ]
  return `${hold.call_id} (${[hold.tool, hold.kind, ...more].join(', ')})`
}
