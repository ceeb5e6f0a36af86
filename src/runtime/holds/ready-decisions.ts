import { applyDecision } from '../../core/deciding/apply-decision.ts'
import type { ReadyDecision, Receipt } from '../../core/deciding/receipt.ts'
import { runsBeside, unreadableHold } from '../../core/deciding/undecidable.ts'
import { unknownHold } from '../../core/deciding/unknown-hold.ts'
import { RefusedError } from '../../core/errors.ts'
import type { DecisionInput } from '../../core/hold/decision.ts'
import type { Hold } from '../../core/hold/hold.ts'
import { objectionToDecider } from '../../core/hold/may-decide.ts'
import { objectionTo } from '../../core/hold/objection.ts'
import { objectionToDigest } from '../../core/hold/objection-to-digest.ts'
import { saidBefore } from '../../core/hold/said-before.ts'
import type { Content } from '../../core/message/part.ts'
import { contentText } from '../../core/message/part-words.ts'
import { faultsText, readExactly } from '../../core/plain/exact-json.ts'
import { issueList } from '../../core/plain/issue-list.ts'
import { holdRefusals } from '../../core/refusals/hold-refusals.ts'
import { oddInJson } from '../../core/text/json.ts'
import { wellFormed } from '../../core/text/kept-text.ts'
import type { Runtime } from '../../ports/runtime.ts'
import { shownDigest } from '../definitions/call-digest.ts'
import { type ChangeWish, objectionToChanges } from '../definitions/refuse-widening.ts'
import { asOfNow } from '../lease/as-of-now.ts'
import { inputContent } from '../views/message-content.ts'
import { fireDue } from './expire-holds.ts'
import { readyGrant } from './ready-grant.ts'
import { releasedEdit } from './released-edit.ts'
import { requestersNow } from './requesters-now.ts'

export type Checked =
  | { readonly ok: true; readonly decision: ReadyDecision }
  | { readonly ok: false; readonly receipt: Receipt }

/**
 * A decision that may be recorded, or the refusal. Whether the hold is still open is not checked here: only the store's
 * compare-and-set can tell (P2). No input of a caller makes it throw.
 */
export async function readyDecision(runtime: Runtime, given: DecisionInput): Promise<Checked> {
  if (typeof given?.hold_id !== 'string') return refusal(null, holdRefusals.noDecision())
  const hold = await holdNow(runtime, given.hold_id)
  if (!hold) return refusal(null, unknownHold(given.hold_id))
  const odd = oddIn(given)
  if (odd !== null) return refusal(hold, notJson(hold, odd))
  const written = asWritten(runtime, given)
  if (written === null) return refusal(hold, notJson(hold))
  if (written instanceof RefusedError) return refusal(hold, written)
  const checked = await judged(runtime, hold, written)
  return checked.ok ? checked : ((await recordedBefore(runtime, written)) ?? checked)
}

/** The refusals that a caller would get for these decisions and changes now. Only a refused wish is recorded. */
export async function objectionsTo(
  runtime: Runtime,
  inputs: readonly DecisionInput[],
  wish: ChangeWish | null = null,
): Promise<RefusedError[]> {
  const checked = await Promise.all(inputs.map(each => readyDecision(runtime, each)))
  const objection = wish && (await objectionToChanges(runtime, wish))
  const refused = checked.flatMap(each => (each.ok || each.receipt.outcome !== 'refused' ? [] : [each.receipt.error]))
  return objection ? [...refused, objection] : refused
}

/**
 * The same decision, if it was recorded before: a repeat is no refusal, even if it would be refused now. It may have
 * been recorded during this very check.
 */
async function recordedBefore(runtime: Runtime, input: DecisionInput): Promise<Checked | null> {
  const hold = input.decision_id === undefined ? null : await runtime.store.hold(input.hold_id)
  if (!hold || !saidBefore(hold, input)) return null
  return { ok: true, decision: completed(runtime, input, { digest: null, grant: null }) }
}

type Released = Pick<ReadyDecision, 'digest' | 'fitted'> & Partial<Pick<ReadyDecision, 'arguments'>>

async function judged(runtime: Runtime, hold: Hold, input: DecisionInput): Promise<Checked> {
  try {
    const refused = await refusedOutright(runtime, hold, input)
    if (refused) return refused
    const released: Released =
      input.verdict === 'edit'
        ? await releasedEdit(runtime, hold, input)
        : { digest: releasedDigest(runtime, hold, input) }
    const filled = { ...input, ...released }
    const grant = input.grant ? await readyGrant(runtime, hold, { ...filled, grant: input.grant }) : null
    return { ok: true, decision: completed(runtime, filled, { ...released, grant }) }
  } catch (thrown) {
    if (thrown instanceof RefusedError) return refusal(hold, thrown)
    throw thrown
  }
}

async function refusedOutright(runtime: Runtime, hold: Hold, input: DecisionInput): Promise<Checked | null> {
  const unfit =
    unreadableHold(hold) ?? objectionTo(hold, input) ?? objectionToDigest(hold, input, shownDigest(runtime.ids, hold))
  if (unfit) return refusal(hold, unfit)
  const requesters = await requestersNow(runtime.store, hold, input.decided_by)
  const unasked = objectionToDecider({ ...hold, requesters }, input)
  if (unasked) return hold.status === 'open' ? refusal(hold, unasked) : tooLate(runtime, hold, input)
  const objection = runsBeside(asOfNow(runtime, hold), input) ?? (await objectionToAnswer(runtime, hold, input))
  return objection && refusal(hold, objection)
}

/** No person can decide a closed hold, so who may decide it does not matter: the caller learns how it ended. */
async function tooLate(runtime: Runtime, hold: Hold, input: DecisionInput): Promise<Checked> {
  const decision = completed(runtime, input, { digest: null, grant: null })
  const context = { now: await runtime.store.now(), isRunOver: true, exported: null }
  return { ok: false, receipt: applyDecision(hold, decision, context).receipt }
}

/**
 * The decision as the store would return it, so that the approved text is the stored text; `null` if it cannot be
 * stored.
 */
function asWritten(runtime: Runtime, given: DecisionInput): DecisionInput | RefusedError | null {
  try {
    const { parts, ...input }: DecisionInput = wellFormed(JSON.parse(JSON.stringify(given)))
    return parts ? { ...input, ...answerIn(inputContent(runtime, parts)) } : input
  } catch (thrown) {
    return thrown instanceof RefusedError ? thrown : null
  }
}

/** Content as a decision holds it. */
export function answerIn(content: Content): Pick<DecisionInput, 'value' | 'parts'> {
  return typeof content === 'string' ? { value: content } : { value: contentText(content), parts: content }
}

/** The current hold: its due events happen before a person decides. */
export async function holdNow(runtime: Runtime, id: string): Promise<Hold | null> {
  const hold = await runtime.store.hold(id)
  const isDue =
    hold?.status === 'open' && hold.due_at !== null && Date.parse(hold.due_at) <= (await runtime.store.now())
  if (!isDue) return hold
  await fireDue(runtime, [hold])
  return runtime.store.hold(id)
}

function releasedDigest({ ids }: Runtime, hold: Hold, { verdict }: DecisionInput): string | null {
  const runsOnAnswer = verdict === 'respond' && hold.resume_mode !== 'use_decision_as_tool_result'
  return verdict === 'approve' || runsOnAnswer ? shownDigest(ids, hold) : null
}

function completed(
  runtime: Runtime,
  input: DecisionInput,
  released: Pick<ReadyDecision, 'digest' | 'fitted' | 'grant'>,
): ReadyDecision {
  const { hold_id, verdict, decided_by, surface } = input
  return {
    hold_id,
    decision_id: input.decision_id ?? runtime.ids.next('decision'),
    verdict,
    arguments: input.arguments ?? null,
    value: input.value ?? null,
    ...(input.parts && { parts: input.parts }),
    ...(input.input_id !== undefined && { input_id: input.input_id }),
    reason: input.reason ?? null,
    decided_by,
    ...(input.member_of && { member_of: input.member_of }),
    surface,
    at: new Date(runtime.clock.now()).toISOString(),
    ...released,
  }
}

async function objectionToAnswer(runtime: Runtime, hold: Hold, input: DecisionInput): Promise<RefusedError | null> {
  if (input.verdict !== 'respond' || hold.response_schema === null) return null
  const fit = await runtime.checkSchema(hold.response_schema, input.value ?? null, 'answer')
  return fit.ok ? null : invalidAnswer(hold, inexact(input.value) ?? fit.issues)
}

/** JSON that stayed text because no value can represent it: the fault is more precise than "it is a text". */
function inexact(value: DecisionInput['value']): string | null {
  try {
    const { faults } = readExactly(typeof value === 'string' ? value : '')
    return faults.length === 0 ? null : faultsText(faults, 'answer')
  } catch {
    return null
  }
}

function refusal(hold: Hold | null, error: RefusedError): Checked {
  return { ok: false, receipt: { outcome: 'refused', hold, error } }
}

function notJson({ id }: Hold, odd: string | null = null): RefusedError {
  const where = odd === null ? '' : `: ${odd}`
  return holdRefusals.decisionIsNoJson(id, where)
}

/** JSON would call NaN `null`, and another call would run than the one that the approver wrote. */
function oddIn({ arguments: args = null, value = null }: DecisionInput): string | null {
  return oddInJson(args, 'arguments') ?? oddInJson(value, 'value')
}

function invalidAnswer(hold: Hold, issues: string): RefusedError {
  return holdRefusals.invalidAnswer(hold.call_id ?? hold.id, issues, {
    details: { errors: issueList(issues, 'answer') },
  })
}
