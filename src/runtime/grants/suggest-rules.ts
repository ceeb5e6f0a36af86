/** Rules from decisions on record, each with what speaks for it. Nothing is allowed by a suggestion. */
import { RefusedError } from '../../core/errors.ts'
import { A_TIME, checkFields, type Rules } from '../../core/given-fields.ts'
import type { Grant } from '../../core/hold/grant.ts'
import type { AskedCall, RuleCandidate } from '../../core/load/rule-candidates.ts'
import type { SparedApproval, SuggestedRule, SuggestionQuery, Suggestions } from '../../core/load/suggestion.ts'
import { DAY_SECONDS } from '../../core/people/due.ts'
import { canonicalJson } from '../../core/text/json.ts'
import type { Runtime } from '../../ports/runtime.ts'
import { decidedApprovals } from '../load/read-load.ts'
import {
  coveredBy,
  LEAST_SPARED,
  MOST_RULES,
  refusedBy,
  rulesOver,
  type Scene,
  sceneOf,
} from '../load/sparing-rules.ts'
import { ApprovalHistory, type ToolHistory } from './approval-history.ts'
import { grantBy, grantLike, grantsInForce } from './give-rule.ts'

const USUAL_DAYS = 90
const MOST_SHOWN = 5

const QUERY: Rules<SuggestionQuery> = { since: A_TIME }

/** @throws RefusedError `invalid_arguments` */
export async function suggestRules(runtime: Runtime, given: SuggestionQuery): Promise<Suggestions> {
  const { since } = checkFields('grants.suggest', given, QUERY)
  const until = runtime.clock.now()
  const from = since === undefined ? until - USUAL_DAYS * DAY_SECONDS * 1000 : Date.parse(since)
  const history = new ApprovalHistory(from)
  for await (const hold of decidedApprovals(runtime)) history.take(hold)
  const grants = await grantsInForce(runtime)
  const rules: SuggestedRule[] = []
  for (const ofTool of history.all()) rules.push(...(await suggestionsFor(runtime, ofTool, grants)))
  return {
    since: new Date(from).toISOString(),
    until: new Date(until).toISOString(),
    suggestions: rules.toSorted((one, other) => other.spared - one.spared).slice(0, MOST_RULES),
  }
}

async function suggestionsFor(
  runtime: Runtime,
  history: ToolHistory,
  grants: readonly Grant[],
): Promise<SuggestedRule[]> {
  const scene = history.approved.length < LEAST_SPARED ? null : await sceneOf(runtime, history)
  if (scene === null) return []
  const rules: SuggestedRule[] = []
  for (const { rule } of await rulesOver(scene, [...history.approved, ...history.against])) {
    const match = rule.match ?? exactly(rule)
    const isNew = match !== null && !grantLike({ ...history, match }, grants)
    const suggested = isNew ? await suggestion(runtime, { history, scene, match }) : null
    if (suggested) rules.push(suggested)
  }
  return rules
}

interface Candidate {
  readonly history: ToolHistory
  readonly scene: Scene
  readonly match: Readonly<Record<string, string>>
}

/** P1: `null` for a rule that covers what a person ever refused, and for one that nobody could switch on. */
async function suggestion(runtime: Runtime, { history, scene, match }: Candidate): Promise<SuggestedRule | null> {
  const { agent, tool, approved, against, asked, asked_ever } = history
  const rule = { match, arguments: null }
  if ((await refusedBy(scene, against, rule)).length > 0) return null
  const covered = await coveredBy(scene, approved, rule)
  const [evidence] = covered
  if (covered.length < LEAST_SPARED || !evidence) return null
  const giver = { by: evidence.decided_by, surface: 'suggestion' }
  if (!(await isGivable(() => grantBy(runtime, { evidence, scene, rule: { agent, tool, match } }, giver)))) return null
  return {
    agent,
    rule: { tool, match, policy: 'auto' },
    spared: covered.length,
    of: asked,
    replayed_over: asked_ever,
    approved_by: [...new Set(covered.map(({ decided_by }) => decided_by))].toSorted(),
    lets_pass: differing(covered).slice(0, MOST_SHOWN).map(asSpared),
  }
}

async function isGivable(give: () => Promise<unknown>): Promise<boolean> {
  try {
    await give()
    return true
  } catch (thrown) {
    if (thrown instanceof RefusedError) return false
    throw thrown
  }
}

function differing(calls: readonly AskedCall[]): AskedCall[] {
  const byText = new Map<string, AskedCall>()
  for (const call of calls) {
    const key = canonicalJson(call.arguments)
    if (!byText.has(key)) byText.set(key, call)
  }
  return [...byText.values()]
}

function asSpared({ hold_id, arguments: args, decided_by, decided_at }: AskedCall): SparedApproval {
  return { hold_id, arguments: args, decided_by, decided_at }
}

/** `null` if a pattern would say more than these arguments, or cannot say them. */
function exactly({ arguments: exact }: RuleCandidate): Readonly<Record<string, string>> | null {
  const entries = Object.entries(exact ?? {})
  const isPlain = entries.length > 0 && entries.every(([, value]) => typeof value === 'string' && !value.includes('*'))
  return isPlain ? Object.fromEntries(entries.map(([name, value]) => [name, String(value)])) : null
}
