import type { DecisionInput } from '../core/decision.ts'
import { RefusedError } from '../core/errors.ts'
import { fold } from '../core/fold.ts'
import type { Hold } from '../core/hold.ts'
import type { JsonObject } from '../core/json.ts'
import { objectionTo } from '../core/objection.ts'
import type { Profile } from '../core/profile.ts'
import type { ReadyDecision, Receipt } from '../ports/store.ts'
import { rulingOn } from './gate-calls.ts'
import type { Runtime } from './runtime.ts'

export type Checked =
  | { readonly ok: true; readonly decision: ReadyDecision }
  | { readonly ok: false; readonly receipt: Receipt }

/**
 * A decision that may be recorded, or why not. Whether the hold still is open is not asked here: the store's
 * compare-and-set says so, and nothing before it could (P2).
 */
export async function readyDecision(runtime: Runtime, said: DecisionInput): Promise<Checked> {
  const hold = await runtime.store.hold(said.hold_id)
  if (!hold) return refusal(null, unknownHold(said.hold_id))
  const objection = objectionTo(hold, said) ?? (await objectionToEdit(runtime, hold, said))
  return objection ? refusal(hold, objection) : { ok: true, decision: completed(runtime, said) }
}

function completed(runtime: Runtime, said: DecisionInput): ReadyDecision {
  const { hold_id, verdict, decided_by, surface } = said
  return {
    hold_id,
    decision_id: said.decision_id ?? runtime.ids.next('decision'),
    verdict,
    arguments: said.arguments ?? null,
    value: said.value ?? null,
    reason: said.reason ?? null,
    decided_by,
    surface,
    at: new Date(runtime.clock.now()).toISOString(),
  }
}

/** Edited arguments must fit the tool, and `never` stays never. */
async function objectionToEdit(runtime: Runtime, hold: Hold, said: DecisionInput): Promise<RefusedError | null> {
  if (said.verdict !== 'edit' || !said.arguments || hold.status !== 'open') return null
  const profile = await profileOf(runtime, hold.thread_id)
  const { tools } = await runtime.agents.load(profile)
  const tool = tools.get(hold.tool ?? '')
  if (!tool)
    return new RefusedError('unknown_tool', `The tool ${hold.tool} is no longer there, so its call cannot be edited.`)
  const validated = await tool.validate(said.arguments)
  if (!validated.ok) return invalidEdit(hold, validated.issues)
  const ruling = await rulingOn(profile.policy, tool, said.arguments as JsonObject, profile.workdir)
  return ruling.verdict === 'never' ? forbiddenEdit(hold, ruling.rule) : null
}

async function profileOf(runtime: Runtime, threadId: string): Promise<Profile> {
  const { run } = fold(threadId, await runtime.store.journal(threadId))
  if (!run) throw new RefusedError('unknown_run', `No run was ever started on thread ${threadId}.`)
  return run.profile
}

function refusal(hold: Hold | null, error: RefusedError): Checked {
  return { ok: false, receipt: { outcome: 'refused', hold, error } }
}

function invalidEdit(hold: Hold, issues: string): RefusedError {
  return new RefusedError(
    'invalid_arguments',
    `The edited arguments of ${hold.call_id} do not fit ${hold.tool}: ${issues}`,
    {
      hint: 'Nothing was recorded; the hold stays open. Correct the arguments and decide again.',
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

function unknownHold(id: string): RefusedError {
  return new RefusedError('unknown_hold', `There is no hold ${JSON.stringify(id)} in this store.`, {
    hint: '`holdpoint runs` lists what waits here.',
  })
}
