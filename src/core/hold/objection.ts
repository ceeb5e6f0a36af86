import { RefusedError } from '../errors.ts'
import { isMembership } from '../people/membership.ts'
import { holdRefusals } from '../refusals/hold-refusals.ts'
import { isJsonObject, isTooDeep, type Json } from '../text/json.ts'
import type { DecisionInput, DecisionVerdict } from './decision.ts'
import type { Hold, HoldKind } from './hold.ts'

const no = null

/** Which verdicts mean something for which hold. */
// biome-ignore format: the table is the documentation
export const MAY_SAY: Record<HoldKind, Record<DecisionVerdict, string | null>> = {
  approval:    { approve: 'runs the call',                 reject: 'refuses it',          edit: 'runs it with other arguments', respond: no,                                cancel: 'cancels it' },
  question:    { approve: no,                              reject: 'declines to answer',  edit: no,                             respond: 'answers',                         cancel: 'cancels it' },
  input:       { approve: 'accepts the text as final',     reject: no,                    edit: no,                             respond: 'says what comes next',            cancel: no },
  client_tool: { approve: no,                              reject: 'refuses the call',    edit: no,                             respond: 'gives its result',                cancel: 'cancels it' },
  in_doubt:    { approve: 'runs the call again',           reject: 'says that it failed', edit: no,                             respond: 'says that it happened: here is the result', cancel: 'cancels it' },
}

type AnsweredHold = Pick<Hold, 'id' | 'kind' | 'choices' | 'refused_before'>

/** Which verdicts mean something for this hold, and what. */
export function maySay({
  kind,
  refused_before,
}: Pick<Hold, 'kind' | 'refused_before'>): Record<DecisionVerdict, string | null> {
  return refused_before?.for_good ? { ...MAY_SAY[kind], approve: no } : MAY_SAY[kind]
}

type Objection = (hold: AnsweredHold, decision: DecisionInput) => RefusedError | null

/**
 * Why this decision cannot be recorded on this hold, or `null`. It does not check whether another decision was first.
 */
export function objectionTo(hold: AnsweredHold, decision: DecisionInput): RefusedError | null {
  for (const objection of OBJECTIONS) {
    const refusal = objection(hold, decision)
    if (refusal) return refusal
  }
  return null
}

const FIELDS: Record<keyof DecisionInput, true> = {
  ...{ hold_id: true, verdict: true, decided_by: true, surface: true, reason: true, arguments: true, value: true },
  ...{
    parts: true,
    digest: true,
    level: true,
    grant: true,
    decision_id: true,
    input_id: true,
    proof: true,
    member_of: true,
    editor: true,
  },
}

const OBJECTIONS: readonly Objection[] = [
  (hold, decision) =>
    Object.hasOwn(MAY_SAY[hold.kind], decision.verdict) && maySay(hold)[decision.verdict] !== null
      ? null
      : meaningless(hold, decision.verdict),
  (hold, decision) => {
    const unknown = Object.keys(decision).find(name => !Object.hasOwn(FIELDS, name))
    return unknown === undefined ? null : holdRefusals.unknownField(hold.id, unknown, Object.keys(FIELDS))
  },
  (hold, { decided_by }) => (isName(decided_by) ? null : invalid(hold, 'does not say who decided: name `decided_by`')),
  (hold, { surface }) => (isName(surface) ? null : invalid(hold, 'does not say on which surface: name `surface`')),
  (hold, { member_of }) =>
    member_of === undefined || isMembership(member_of)
      ? null
      : invalid(hold, 'has a member_of that does not say which groups, and by whose word'),
  (hold, { proof = null }) => (proof === null ? null : holdRefusals.unverifiable(hold.id)),
  (hold, { reason = null, decision_id }) =>
    (reason === null || typeof reason === 'string') && (decision_id === undefined || isName(decision_id))
      ? null
      : invalid(hold, 'has a reason or a decision_id that is no text'),
  (hold, { verdict, arguments: args }) =>
    verdict !== 'edit' && args ? invalid(hold, `brings arguments with ${verdict}; only edit replaces them`) : null,
  (hold, { verdict, arguments: args }) =>
    verdict === 'edit' && !isJsonObject(args ?? null)
      ? invalid(hold, 'has no arguments, so there is nothing to run instead')
      : null,
  (hold, { verdict, value }) =>
    verdict !== 'respond' && (value ?? null) !== null
      ? invalid(hold, `brings a value with ${verdict}; only respond gives one`)
      : null,
  (hold, { verdict, parts }) =>
    verdict !== 'respond' && parts ? invalid(hold, `brings parts with ${verdict}; only respond gives some`) : null,
  (hold, { arguments: args, value }) =>
    isTooDeep(args ?? null) || isTooDeep(value ?? null) ? invalid(hold, 'is nested too deeply') : null,
  (hold, { verdict, value }) =>
    verdict === 'respond' && (value ?? '') === '' ? holdRefusals.emptyAnswer(hold.id) : null,
  (hold, { verdict, value }) =>
    verdict === 'respond' && hold.kind === 'input' && typeof value !== 'string'
      ? invalid(hold, 'must answer with text')
      : null,
  (hold, { verdict, value }) => (verdict === 'respond' ? notAChoice(hold, value ?? null) : null),
]

function isName(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== ''
}

function invalid({ id }: AnsweredHold, problem: string): RefusedError {
  return holdRefusals.invalidDecision(id, problem)
}

function meaningless(hold: AnsweredHold, verdict: DecisionVerdict): RefusedError {
  const { id, kind, refused_before } = hold
  const possible = Object.entries(maySay(hold)).flatMap(([name, meaning]) => (meaning ? [`${name} (${meaning})`] : []))
  const refusal = verdict === 'approve' && refused_before?.for_good ? refused_before.because : null
  return new RefusedError(
    'verdict_not_possible',
    refusal === null
      ? `${id} is a hold of kind ${kind}: ${verdict} means nothing here.`
      : `${id} cannot be approved, as what refused its call would refuse it again: ${refusal}`,
    {
      hint: `Possible: ${possible.join(', ')}.`,
    },
  )
}

function notAChoice(hold: Pick<Hold, 'id' | 'choices'>, value: Json): RefusedError | null {
  if (hold.choices === null || hold.choices.some(choice => choice === value)) return null
  return holdRefusals.notAChoice(
    value,
    hold.id,
    hold.choices.map(choice => JSON.stringify(choice)),
  )
}
