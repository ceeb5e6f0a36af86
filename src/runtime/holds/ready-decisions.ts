import { applyDecision } from '../../core/deciding/apply-decision.ts'
import type { ReadyDecision, Receipt } from '../../core/deciding/receipt.ts'
import { runsBeside, unreadableHold } from '../../core/deciding/undecidable.ts'
import { RefusedError } from '../../core/errors.ts'
import type { DecisionInput } from '../../core/hold/decision.ts'
import type { Hold } from '../../core/hold/hold.ts'
import { objectionToDecider } from '../../core/hold/may-decide.ts'
import { objectionTo } from '../../core/hold/objection.ts'
import { objectionToDigest } from '../../core/hold/objection-to-digest.ts'
import { saidBefore } from '../../core/hold/said-before.ts'
import { unknownHold } from '../../core/hold/unknown-hold.ts'
import type { Content } from '../../core/message/part.ts'
import { contentText } from '../../core/message/part-words.ts'
import { faultsText, readExactly } from '../../core/plain/exact-json.ts'
import { issueList } from '../../core/plain/issue-list.ts'
import { type JsonObject, oddInJson } from '../../core/text/json.ts'
import type { Runtime } from '../../ports/runtime.ts'
import { digestNow, shownDigest } from '../definitions/call-digest.ts'
import { type ChangeWish, objectionToChanges } from '../definitions/refuse-widening.ts'
import { loadAgent } from '../foreign/load-agent.ts'
import { fitOfEdit, fittedBy } from '../gate/fit-arguments.ts'
import { asOfNow } from '../lease/as-of-now.ts'
import { rulingOn } from '../policy/ruling.ts'
import { inputContent } from '../views/message-content.ts'
import { newestRun } from '../views/profile-of.ts'
import { fireDue } from './expire-holds.ts'
import { readyGrant } from './ready-grant.ts'
import { requestersNow } from './requesters-now.ts'

export type Checked =
  | { readonly ok: true; readonly decision: ReadyDecision }
  | { readonly ok: false; readonly receipt: Receipt }

/**
 * A decision that may be recorded, or the refusal. Whether the hold is still open is not checked here: only the store's
 * compare-and-set can tell (P2). No input of a caller makes it throw.
 */
export async function readyDecision(runtime: Runtime, given: DecisionInput): Promise<Checked> {
  if (typeof given?.hold_id !== 'string') return refusal(null, noDecision())
  const hold = await holdNow(runtime, given.hold_id)
  if (!hold) return refusal(null, unknownHold(given.hold_id))
  const odd = oddIn(given)
  if (odd !== null) return refusal(hold, notJson(hold, odd))
  const said = asWritten(runtime, given)
  if (said === null) return refusal(hold, notJson(hold))
  if (said instanceof RefusedError) return refusal(hold, said)
  const checked = await judged(runtime, hold, said)
  return checked.ok ? checked : ((await recordedBefore(runtime, said)) ?? checked)
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
 * The same decision, if it is on record already: a repeat is no refusal, even if the decision would be refused now. It
 * may have been recorded while it was checked here.
 */
async function recordedBefore(runtime: Runtime, said: DecisionInput): Promise<Checked | null> {
  const hold = said.decision_id === undefined ? null : await runtime.store.hold(said.hold_id)
  if (!hold || !saidBefore(hold, said)) return null
  return { ok: true, decision: completed(runtime, said, { digest: null, grant: null }) }
}

type Released = Pick<ReadyDecision, 'digest' | 'fitted'> & Partial<Pick<ReadyDecision, 'arguments'>>

async function judged(runtime: Runtime, hold: Hold, said: DecisionInput): Promise<Checked> {
  try {
    const refused = await refusedOutright(runtime, hold, said)
    if (refused) return refused
    const released: Released =
      said.verdict === 'edit'
        ? await releasedEdit(runtime, hold, said.arguments ?? {})
        : { digest: releasedDigest(runtime, hold, said) }
    const filled = { ...said, ...released }
    const grant = said.grant ? await readyGrant(runtime, hold, { ...filled, grant: said.grant }) : null
    return { ok: true, decision: completed(runtime, filled, { ...released, grant }) }
  } catch (thrown) {
    if (thrown instanceof RefusedError) return refusal(hold, thrown)
    throw thrown
  }
}

async function refusedOutright(runtime: Runtime, hold: Hold, said: DecisionInput): Promise<Checked | null> {
  const unfit =
    unreadableHold(hold) ?? objectionTo(hold, said) ?? objectionToDigest(hold, said, shownDigest(runtime.ids, hold))
  if (unfit) return refusal(hold, unfit)
  const requesters = await requestersNow(runtime.store, hold, said.decided_by)
  const unasked = objectionToDecider({ ...hold, requesters }, said)
  if (unasked) return hold.status === 'open' ? refusal(hold, unasked) : tooLate(runtime, hold, said)
  const objection = runsBeside(asOfNow(runtime, hold), said) ?? (await objectionToAnswer(runtime, hold, said))
  return objection && refusal(hold, objection)
}

/** No person can decide a closed hold, so who may decide it does not matter: the caller learns how it ended. */
async function tooLate(runtime: Runtime, hold: Hold, said: DecisionInput): Promise<Checked> {
  const decision = completed(runtime, said, { digest: null, grant: null })
  const context = { now: await runtime.store.now(), isRunOver: true, exported: null }
  return { ok: false, receipt: applyDecision(hold, decision, context).receipt }
}

/** As the store will give it back, so that the approved text is the written text; `null` if it cannot be written. */
function asWritten(runtime: Runtime, given: DecisionInput): DecisionInput | RefusedError | null {
  try {
    const { parts, ...said }: DecisionInput = JSON.parse(JSON.stringify(given))
    return parts ? { ...said, ...answerIn(inputContent(runtime, parts)) } : said
  } catch (thrown) {
    return thrown instanceof RefusedError ? thrown : null
  }
}

/** Content as a decision holds it. */
export function answerIn(content: Content): Pick<DecisionInput, 'value' | 'parts'> {
  return typeof content === 'string' ? { value: content } : { value: contentText(content), parts: content }
}

/** The hold as it stands now: events that are due on it happen before a person says more. */
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
  said: DecisionInput,
  released: Pick<ReadyDecision, 'digest' | 'fitted' | 'grant'>,
): ReadyDecision {
  const { hold_id, verdict, decided_by, surface } = said
  return {
    hold_id,
    decision_id: said.decision_id ?? runtime.ids.next('decision'),
    verdict,
    arguments: said.arguments ?? null,
    value: said.value ?? null,
    ...(said.parts && { parts: said.parts }),
    ...(said.input_id !== undefined && { input_id: said.input_id }),
    reason: said.reason ?? null,
    decided_by,
    ...(said.member_of && { member_of: said.member_of }),
    surface,
    at: new Date(runtime.clock.now()).toISOString(),
    ...released,
  }
}

async function objectionToAnswer(runtime: Runtime, hold: Hold, said: DecisionInput): Promise<RefusedError | null> {
  if (said.verdict !== 'respond' || hold.response_schema === null) return null
  const fit = await runtime.checkSchema(hold.response_schema, said.value ?? null, 'answer')
  return fit.ok ? null : invalidAnswer(hold, inexact(said.value) ?? fit.issues)
}

/** JSON that stayed text, because no value says what it says: the place says more than that it is a text. */
function inexact(value: DecisionInput['value']): string | null {
  try {
    const { faults } = readExactly(typeof value === 'string' ? value : '')
    return faults.length === 0 ? null : faultsText(faults, 'answer')
  } catch {
    return null
  }
}

/**
 * Edited arguments must fit the tool, and `never` stays never. With what the schema fills in. @throws RefusedError if they
 * do not.
 */
async function releasedEdit(
  runtime: Runtime,
  hold: Hold,
  edited: JsonObject,
): Promise<{ digest: string; arguments: JsonObject; fitted?: string }> {
  const run = await newestRun(runtime, hold.thread_id)
  const { profile } = run
  const { tools } = await loadAgent(runtime, profile)
  const tool = tools.get(hold.tool ?? '')
  if (!tool)
    throw new RefusedError('unknown_tool', `The tool ${hold.tool} is no longer there, so its call cannot be edited.`)
  const written = run.step?.calls.get(hold.call_id ?? '')?.arguments ?? null
  const fit = await fitOfEdit(tool, edited, { shown: hold.arguments, written })
  if (!fit.ok) throw invalidEdit(hold, fit.issues)
  const { value: args, asWritten = false } = fit
  const ruling = await rulingOn(profile, tool, args)
  if (ruling.verdict === 'never') throw forbiddenEdit(hold, ruling.rule)
  const digest = digestNow(runtime.ids, { arguments: args, tool })
  return { digest, arguments: args, ...(!asWritten && { fitted: fittedBy(runtime.ids, tool) }) }
}

function refusal(hold: Hold | null, error: RefusedError): Checked {
  return { ok: false, receipt: { outcome: 'refused', hold, error } }
}

function noDecision(): RefusedError {
  return new RefusedError(
    'invalid_decision',
    'The decision does not say which hold it is about. Nothing was recorded.',
    {
      hint: 'Give the id of the hold as a text, then the verdict, who decides (`decided_by`), and where (`surface`).',
    },
  )
}

function notJson({ id }: Hold, odd: string | null = null): RefusedError {
  const where = odd === null ? '' : `: ${odd}`
  return new RefusedError('invalid_decision', `The decision on ${id} is no JSON${where}. Nothing was recorded.`)
}

/** JSON would call NaN `null`, and another call would run than the one that the approver wrote. */
function oddIn({ arguments: args = null, value = null }: DecisionInput): string | null {
  return oddInJson(args, 'arguments') ?? oddInJson(value, 'value')
}

function invalidAnswer(hold: Hold, issues: string): RefusedError {
  return new RefusedError(
    'invalid_answer',
    `The answer to ${hold.call_id ?? hold.id} does not fit what was asked: ${issues}`,
    {
      hint: 'Nothing was recorded; the question stays open. Correct the answer and give it again.',
      details: { errors: issueList(issues, 'answer') },
    },
  )
}

function invalidEdit(hold: Hold, issues: string): RefusedError {
  return new RefusedError(
    'invalid_arguments',
    `The edited arguments of ${hold.call_id} do not fit ${hold.tool}: ${issues}`,
    {
      hint: 'Nothing was recorded; the hold stays open. Correct the arguments and decide again.',
      details: { errors: issueList(issues, 'arguments') },
    },
  )
}

function forbiddenEdit(hold: Hold, rule: string): RefusedError {
  return new RefusedError(
    'forbidden_edit',
    `Policy says never to ${hold.tool} with the edited arguments of ${hold.call_id} (${rule}).`,
    {
      hint: 'Nothing was recorded; the hold stays open. An edit cannot lift `never`.',
    },
  )
}
