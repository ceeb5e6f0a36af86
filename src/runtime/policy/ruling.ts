import { afterwards, orElse } from '../../async/afterwards.ts'
import { messageOf } from '../../core/errors.ts'
import { type CallFacts, leadsAstray, NO_FACTS, type Ruling, rule } from '../../core/policy/policy.ts'
import type { Profile } from '../../core/run/profile.ts'
import { copyJson, type JsonObject } from '../../core/text/json.ts'
import type { Tool } from '../../ports/agent/tool.ts'

/** The rules, and the directories that they refer to. */
export type Ruled = Pick<Profile, 'policy' | 'workdir' | 'rules_from'>

export interface RulingNow extends Ruling {
  /** The real place that the arguments lead to; `null` if they name none. */
  readonly leads_to: string | null
  /** Why the call is not what its arguments say; `null` if no link leads it astray. */
  readonly astray: string | null
}

/** The policy's ruling on this call, with all that the tool knows of its arguments. Doubt asks (fails closed). */
export function rulingOn(ruled: Ruled, tool: Tool, args: JsonObject): RulingNow | Promise<RulingNow> {
  const [facts, own] = [factsOf(ruled, tool, args), ownWord(tool, args)]
  return afterwards(facts, known =>
    afterwards(own, word => ruledOn(ruled, tool, { arguments: args, facts: known, needs_approval: word })),
  )
}

function ruledOn(
  { policy }: Ruled,
  { name, sameAs }: Tool,
  asked: { readonly arguments: JsonObject; readonly facts: CallFacts; readonly needs_approval: boolean | null },
): RulingNow {
  const same = sameAs === undefined ? {} : { same_as: sameAs }
  return {
    ...rule(policy, { tool: name, ...same, ...asked }),
    leads_to: asked.facts.leads_to ?? null,
    astray: leadsAstray(asked.facts),
  }
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

function factsOf({ workdir, rules_from }: Ruled, tool: Tool, args: JsonObject): CallFacts | Promise<CallFacts> {
  const { inspect } = tool
  if (!inspect) return NO_FACTS
  return orElse(
    () => afterwards(inspect.call(tool, copyJson(args), workdir, rules_from ?? workdir), facts => facts ?? NO_FACTS),
    thrown => ({ ...NO_FACTS, unclear: `the arguments could not be inspected: ${messageOf(thrown)}` }),
  )
}

function ownWord(tool: Tool, args: JsonObject): boolean | null | Promise<boolean | null> {
  return orElse(
    () => tool.needsApproval(copyJson(args)),
    () => true,
  )
}
