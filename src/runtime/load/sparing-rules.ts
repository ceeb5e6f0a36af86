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

const MOST_RULES = 10
const MOST_OF_A_TOOL = 3
/** A rule that spares one approval is none. */
const LEAST_SPARED = 2

/** The rules that would have spared the most, each for calls that no other of them covers. */
export async function sparingRules(runtime: Runtime, asked: AskedCalls): Promise<readonly SparingRule[]> {
  const found: SparingRule[] = []
  for (const ofTool of asked.all()) found.push(...(await rulesFor(runtime, ofTool)))
  return found.toSorted(byWorth).slice(0, MOST_RULES)
}

/** One that lets a refused call pass comes last, however many others it spares. */
function byWorth(one: SparingRule, other: SparingRule): number {
  return Number(one.rejected.length > 0) - Number(other.rejected.length > 0) || other.spared - one.spared
}

/** How a rule would have fared over these calls. */
export async function replayRule(runtime: Runtime, asked: AskedOfTool, rule: RuleCandidate): Promise<RuleReplay> {
  const scene = await sceneOf(runtime, asked)
  return replayOf(asked.calls, scene ? await coveredBy(scene, asked.calls, rule) : [])
}

interface Scene {
  readonly tool: Tool
  readonly ruled: Profile
}

/** `null` if the agent or its tool is not here: then nothing can be said of what a rule covers. */
async function sceneOf(runtime: Runtime, { thread_id, tool: name }: AskedOfTool): Promise<Scene | null> {
  if (thread_id === null) return null
  try {
    const ruled = await profileOf(runtime, thread_id)
    const tool = (await loadAgent(runtime, ruled)).tools.get(name)
    return tool ? { tool, ruled } : null
  } catch {
    return null
  }
}

interface Covering {
  readonly rule: RuleCandidate
  readonly covered: readonly AskedCall[]
}

async function rulesFor(runtime: Runtime, asked: AskedOfTool): Promise<SparingRule[]> {
  const candidates = ruleCandidates(asked.calls)
  const scene = candidates.length === 0 ? null : await sceneOf(runtime, asked)
  if (scene === null) return []
  const all: Covering[] = []
  for (const rule of candidates) all.push({ rule, covered: await coveredBy(scene, asked.calls, rule) })
  return chosen(all).map(({ rule, covered }) => ({
    agent: asked.agent,
    tool: asked.tool,
    match: rule.match,
    arguments: rule.arguments,
    ...replayOf(asked.calls, covered),
  }))
}

/** The best first; then the best for what that one leaves. Of rules with the same reach, the narrower one. */
function chosen(all: readonly Covering[]): Covering[] {
  const found: Covering[] = []
  const spared = new Set<string>()
  const left = ({ covered }: Covering) =>
    covered.filter(({ hold_id, isApproved }) => isApproved && !spared.has(hold_id)).length
  while (found.length < MOST_OF_A_TOOL) {
    const [best] = all
      .toSorted((a, b) => refusals(a) - refusals(b) || left(b) - left(a) || length(b.rule) - length(a.rule))
      .filter(each => left(each) >= LEAST_SPARED)
    if (!best) break
    found.push(best)
    for (const { hold_id } of best.covered) spared.add(hold_id)
  }
  return found
}

function refusals({ covered }: Covering): number {
  return covered.filter(({ isApproved }) => !isApproved).length
}

function length({ match, arguments: exact }: RuleCandidate): number {
  return JSON.stringify(match ?? exact).length
}

/** As the gate would: what always asks is never covered, and no destructive tool that is not `grantable`. */
async function coveredBy(
  { tool, ruled }: Scene,
  calls: readonly AskedCall[],
  rule: RuleCandidate,
): Promise<readonly AskedCall[]> {
  const grant = { ...rule } as Grant
  const covered: AskedCall[] = []
  for (const call of calls)
    if (
      mayCover(rule, call.arguments) &&
      (await grantAmong(async () => [grant], { tool, args: call.arguments, ruled }))
    )
      covered.push(call)
  return covered
}

function replayOf(calls: readonly AskedCall[], covered: readonly AskedCall[]): RuleReplay {
  const refused = covered.filter(({ isApproved }) => !isApproved)
  return {
    spared: covered.length - refused.length,
    of: calls.length,
    rejected: refused.map(({ hold_id, decided_by, reason }) => ({ hold_id, decided_by, reason })),
  }
}
