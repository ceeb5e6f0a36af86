/** Makes a suggested rule a grant for the project, under the same checks as a grant given with an approval. */

import type { RefusedError } from '../../core/errors.ts'
import { A_NAME, A_TIME, AN_OBJECT, checkFields, checkValue, orNothing, type Rules } from '../../core/given-fields.ts'
import type { DecisionInput } from '../../core/hold/decision.ts'
import type { Grant, NewGrant } from '../../core/hold/grant.ts'
import { objectionToDecider } from '../../core/hold/may-decide.ts'
import type { AskedCall } from '../../core/load/rule-candidates.ts'
import type { RuleGrant } from '../../core/load/suggestion.ts'
import { isAgentActor } from '../../core/people/agent-actor.ts'
import { holdRefusals } from '../../core/refusals/hold-refusals.ts'
import { isoTime } from '../../core/text/iso-time.ts'
import { canonicalJson } from '../../core/text/json.ts'
import type { Runtime } from '../../ports/runtime.ts'
import { forToolNow } from '../gate/standing-grant.ts'
import { readyGrant } from '../holds/ready-grant.ts'
import { requestersNow } from '../holds/requesters-now.ts'
import { decidedApprovals } from '../load/read-load.ts'
import { coveredBy, refusedBy, type Scene, sceneOf } from '../load/sparing-rules.ts'
import { ApprovalHistory, type ToolHistory } from './approval-history.ts'

/** The person who switches a rule on. */
export type Giver = Pick<DecisionInput, 'surface' | 'member_of'> & { readonly by: string }

const RULE: Rules<RuleGrant> = {
  ...{ agent: A_NAME, tool: A_NAME, match: AN_OBJECT, name: A_NAME, expires_at: orNothing(A_TIME) },
}

/** P1: only what people approved, and never refused. @throws RefusedError `invalid_grant`, `not_a_decider`, … */
export async function giveRule(runtime: Runtime, given: RuleGrant, giver: Giver): Promise<Grant> {
  const rule = checkFields('grants.add', given, RULE)
  for (const field of ['agent', 'tool'] as const) checkValue(`\`${field}\` of grants.add`, rule[field], A_NAME)
  checkValue('`match` of grants.add', rule.match, AN_OBJECT)
  if (isAgentActor(giver.by)) throw notGiven(`${giver.by} is an agent, and agents grant nothing.`)
  const existing = grantLike(rule, await grantsInForce(runtime))
  if (existing) throw notGiven(`${existing.granted_by} always allows it already: ${existing.name} (${existing.id}).`)
  const history = await historyOf(runtime, rule)
  const scene = history && (await sceneOf(runtime, history))
  const evidence = scene ? await evidenceFor(scene, history, rule) : null
  if (!scene || !evidence)
    throw notGiven(`no person ever approved a call of ${rule.tool} by ${rule.agent} that it covers.`)
  return runtime.store.give(await grantBy(runtime, { evidence, scene, rule }, giver))
}

async function historyOf(runtime: Runtime, { agent, tool }: RuleGrant): Promise<ToolHistory | null> {
  const history = new ApprovalHistory(Number.NEGATIVE_INFINITY)
  for await (const hold of decidedApprovals(runtime, { agent, tool })) history.take(hold)
  return history.all()[0] ?? null
}

/** The newest approval that the rule would have spared. @throws RefusedError if it covers what a person refused. */
async function evidenceFor(
  scene: Scene,
  { approved, against }: ToolHistory,
  { match }: RuleGrant,
): Promise<AskedCall | null> {
  const rule = { match, arguments: null }
  const [refused] = await refusedBy(scene, against, rule)
  if (refused)
    throw notGiven(
      `it covers ${JSON.stringify(refused.arguments)} (${refused.hold_id}), which ${refused.decided_by} did not approve as it was asked, or not alone.`,
    )
  const [newest = null] = await coveredBy(scene, approved, rule)
  return newest
}

export interface GivenRule {
  readonly evidence: Pick<AskedCall, 'hold_id'>
  readonly scene: Scene
  readonly rule: RuleGrant
}

/** The grant, if this person may give it. Nothing is written. @throws RefusedError */
export async function grantBy(runtime: Runtime, { evidence, scene, rule }: GivenRule, giver: Giver): Promise<NewGrant> {
  const { match, name = Object.values(match).join(' '), expires_at = null } = rule
  const { by: decided_by, surface, member_of } = giver
  const hold = await runtime.store.hold(evidence.hold_id)
  if (!hold) throw notGiven('the approval that spoke for it is gone.')
  const decision = {
    hold_id: hold.id,
    verdict: 'approve' as const,
    decided_by,
    surface,
    ...(member_of && { member_of }),
  }
  const requesters = await requestersNow(runtime.store, hold, decided_by)
  const objection = objectionToDecider({ ...hold, requesters }, decision)
  if (objection) throw holdRefusals.notTheirs(objection.message)
  const grant = await readyGrant(runtime, hold, { ...decision, grant: { name, scope: 'project', match, expires_at } })
  const asRow = { ...grant, revoked_at: null, revoked_by: null, uses: 0 }
  if (forToolNow([asRow], scene.tool, runtime.ids).length > 0) return grant
  throw notGiven(`${rule.tool} takes other arguments by now than when the newest of its calls was approved.`)
}

/** An existing project grant for the same calls. */
export function grantLike({ agent, tool, match }: RuleGrant, grants: readonly Grant[]): Grant | undefined {
  return grants.find(
    grant =>
      grant.scope === 'project' &&
      grant.agent === agent &&
      grant.tool === tool &&
      grant.match !== null &&
      canonicalJson({ ...grant.match }) === canonicalJson({ ...match }),
  )
}

export async function grantsInForce({ store }: Runtime): Promise<readonly Grant[]> {
  return store.grants({ valid_at: isoTime(await store.now()) })
}

function notGiven(why: string): RefusedError {
  return holdRefusals.notGiven(why)
}
