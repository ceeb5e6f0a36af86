import { messageOf } from '../../core/errors.ts'
import { type CallFacts, NO_FACTS, type Ruling, rule } from '../../core/policy/policy.ts'
import type { Profile } from '../../core/run/profile.ts'
import { copyJson, type JsonObject } from '../../core/text/json.ts'
import type { Tool } from '../../ports/agent/tool.ts'

/** The rules, and the directories that they refer to. */
export type Ruled = Pick<Profile, 'policy' | 'workdir' | 'rules_from'>

export interface RulingNow extends Ruling {
  /** The real place that the arguments lead to; `null` if they name none. */
  readonly leads_to: string | null
}

/** The policy's ruling on this call, with all that the tool knows of its arguments. Doubt asks (fails closed). */
export async function rulingOn(ruled: Ruled, tool: Tool, args: JsonObject): Promise<RulingNow> {
  const [facts, needs_approval] = await Promise.all([factsOf(ruled, tool, args), ownWord(tool, args)])
  const same = tool.sameAs === undefined ? {} : { same_as: tool.sameAs }
  const ruling = rule(ruled.policy, { tool: tool.name, ...same, arguments: args, facts, needs_approval })
  return { ...ruling, leads_to: facts.leads_to ?? null }
}

/** For the record of a hold: what is approved is approved for this place. */
export async function placeOf(
  ruled: Ruled,
  tool: Tool | null,
  args: JsonObject | string,
): Promise<{ leads_to?: string }> {
  if (!tool?.inspect || typeof args === 'string') return {}
  const { leads_to } = await factsOf(ruled, tool, args)
  return leads_to === undefined ? {} : { leads_to }
}

async function factsOf({ workdir, rules_from }: Ruled, tool: Tool, args: JsonObject): Promise<CallFacts> {
  try {
    return (await tool.inspect?.(copyJson(args), workdir, rules_from ?? workdir)) ?? NO_FACTS
  } catch (thrown) {
    return { ...NO_FACTS, unclear: `the arguments could not be inspected: ${messageOf(thrown)}` }
  }
}

async function ownWord(tool: Tool, args: JsonObject): Promise<boolean | null> {
  try {
    return await tool.needsApproval(copyJson(args))
  } catch {
    return true
  }
}
