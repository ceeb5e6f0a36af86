/** Rules replayed over what people were asked, by the same reading of policy that a standing approval gets. */
import type { Grant } from '../../core/hold/grant.ts'
import type { RuleReplay, SparingRule } from '../../core/load/load-report.ts'
import { type AskedCall, mayCover, type RuleCandidate, ruleCandidates } from '../../core/load/rule-candidates.ts'
import type { Profile } from '../../core/run/profile.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import type { Runtime } from '../../ports/runtime.ts'
import { loadAgent } from '../foreign/load-agent.ts'
import { grantAmong } from '../gate/standing-grant.ts'
import { profileOf } from '../views/profile-of.ts'
import type { AskedCalls, AskedOfTool } from './asked-calls.ts'

export const MOST_RULES = 20
const MOST_OF_A_TOOL = 10
/** A rule that spares one approval is none. */
export const LEAST_SPARED = 2

/** The rules that would have spared the most, each for calls that no other of them covers. */
export async function sparingRules(runtime: Runtime, asked: AskedCalls): Promise<readonly SparingRule[]> {
  const rules: SparingRule[] = []
  for (const ofTool of asked.all()) rules.push(...(await rulesFor(runtime, ofTool)))
  return rules.toSorted(byWorth).slice(0, MOST_RULES)
}

/** A rule that lets a refused call pass is last, however many others it spares. */
function byWorth(one: SparingRule, other: SparingRule): number {
  return Number(one.rejected.length > 0) - Number(other.rejected.length > 0) || other.spared - one.spared
}

/** How a rule would have fared over these calls. */
export async function replayRule(runtime: Runtime, asked: AskedOfTool, rule: RuleCandidate): Promise<RuleReplay> {
  const scene = await sceneOf(runtime, asked)
  if (scene === null) return replayOf(asked.calls, [], [])
  return replayOf(asked.calls, await coveredBy(scene, asked.calls, rule), await refusedBy(scene, asked.calls, rule))
}

/** A tool, and the policy of the newest run that asked for it. */
export interface Scene {
  readonly tool: Tool
  readonly ruled: Profile
}

/** `null` if the agent or its tool is not here: then no one can know what a rule covers. */
export async function sceneOf(
  runtime: Runtime,
  { thread_id, tool: name }: Pick<AskedOfTool, 'thread_id' | 'tool'>,
): Promise<Scene | null> {
  if (thread_id === null) return null
  try {
    const ruled = await profileOf(runtime, thread_id)
    const tool = (await loadAgent(runtime, ruled)).tools.get(name)
    return tool ? { tool, ruled } : null
  } catch {
    return null
  }
}

/** A rule, and the calls that it covers. */
export interface Covering {
  readonly rule: RuleCandidate
  readonly covered: readonly AskedCall[]
}

async function rulesFor(runtime: Runtime, asked: AskedOfTool): Promise<SparingRule[]> {
  const rules: SparingRule[] = []
  const scene = await sceneOf(runtime, asked)
  if (scene === null) return rules
  for (const { rule, covered } of await rulesOver(scene, asked.calls)) {
    const refused = await refusedBy(scene, asked.calls, rule)
    const { match, arguments: exact } = rule
    rules.push({
      agent: asked.agent,
      tool: asked.tool,
      match,
      arguments: exact,
      ...replayOf(asked.calls, covered, refused),
    })
  }
  return rules
}

/** The rules that cover the most of these calls, and their coverings. */
export async function rulesOver(scene: Scene, calls: readonly AskedCall[]): Promise<readonly Covering[]> {
  const all: Covering[] = []
  for (const rule of ruleCandidates(calls)) all.push({ rule, covered: await coveredBy(scene, calls, rule) })
  return chosen(all)
}

/** The best first; then the best for what that one leaves. Of rules with the same reach, the narrower one. */
function chosen(all: readonly Covering[]): Covering[] {
  const covering: Covering[] = []
  const spared = new Set<string>()
  const left = ({ covered }: Covering) =>
    covered.filter(({ hold_id, isApproved }) => isApproved && !spared.has(hold_id)).length
  while (covering.length < MOST_OF_A_TOOL) {
    const [best] = all
      .toSorted((a, b) => refusals(a) - refusals(b) || left(b) - left(a) || narrower(a.rule, b.rule))
      .filter(each => left(each) >= LEAST_SPARED)
    if (!best) break
    covering.push(best)
    for (const { hold_id } of best.covered) spared.add(hold_id)
  }
  return covering
}

function refusals({ covered }: Covering): number {
  return covered.filter(({ isApproved }) => !isApproved).length
}

function narrower(one: RuleCandidate, other: RuleCandidate): number {
  return length(one) === length(other) ? 0 : length(other) - length(one)
}

/** Exactly these arguments are the narrowest rule of all. */
function length({ match }: RuleCandidate): number {
  return match === null ? Number.POSITIVE_INFINITY : JSON.stringify(match).length
}

/** Follows the gate: a rule never covers a call that always asks, nor a destructive tool that is not `grantable`. */
export async function coveredBy(
  scene: Scene,
  calls: readonly AskedCall[],
  rule: RuleCandidate,
): Promise<readonly AskedCall[]> {
  const alike = calls.filter(call => mayCover(rule, call.arguments))
  return covering(scene, alike, rule)
}

/** P1: each refused call is read by the policy, also one whose text is not like the rule: `CI=1 npm run deploy`. */
export async function refusedBy(
  scene: Scene,
  calls: readonly AskedCall[],
  rule: RuleCandidate,
): Promise<readonly AskedCall[]> {
  const refused = calls.filter(({ isApproved }) => !isApproved)
  return covering(scene, refused, rule)
}

async function covering(
  { tool, ruled }: Scene,
  calls: readonly AskedCall[],
  rule: RuleCandidate,
): Promise<readonly AskedCall[]> {
  const grant = { ...rule } as Grant
  const covered: AskedCall[] = []
  for (const call of calls)
    if (await grantAmong(async () => [grant], { tool, args: call.arguments, ruled })) covered.push(call)
  return covered
}

function replayOf(
  calls: readonly AskedCall[],
  covered: readonly AskedCall[],
  refused: readonly AskedCall[],
): RuleReplay {
  return {
    spared: covered.filter(({ isApproved }) => isApproved).length,
    of: calls.length,
    rejected: refused.map(({ hold_id, decided_by, reason }) => ({ hold_id, decided_by, reason })),
  }
}
