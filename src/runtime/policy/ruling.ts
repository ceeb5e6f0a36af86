import { afterwards, orElse } from '../../async/afterwards.ts'
import { mayBox } from '../../core/effect/boxed-rules.ts'
import { messageOf } from '../../core/errors.ts'
import { copyArguments } from '../../core/plain/fitted.ts'
import { leadsAstray } from '../../core/policy/leads-astray.ts'
import { type ExplainedPart, explainParts } from '../../core/policy/permit-parts.ts'
import { type CallFacts, NO_FACTS, type PolicyQuestion, type Ruling, rule } from '../../core/policy/policy.ts'
import type { Profile } from '../../core/run/profile.ts'
import type { JsonObject } from '../../core/text/json.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import { isStop, LateAnswerError } from '../foreign/reach-foreign.ts'

/** The rules, and the directories that they refer to. */
export type Ruled = Pick<Profile, 'policy' | 'workdir' | 'rules_from'>

export interface RulingNow extends Ruling {
  /** The real place that the arguments lead to; `null` if they name none. */
  readonly leads_to: string | null
  /** What the call deletes, or where it leads beyond this machine, a phrase each. */
  readonly reaches: readonly string[]
  /** Why the call is not what its arguments say; `null` if no link leads it astray. */
  readonly astray: string | null
}

/** The policy's ruling on this call, with all that the tool knows of its arguments. Doubt asks (fails closed). */
export function rulingOn(ruled: Ruled, tool: Tool, args: JsonObject): RulingNow | Promise<RulingNow> {
  const [facts, own] = [withBox(ruled, tool, factsOf(ruled, tool, args)), ownWord(tool, args)]
  return afterwards(facts, known =>
    afterwards(own, word => ruledOn(ruled, tool, { arguments: args, facts: known, needs_approval: word })),
  )
}

function ruledOn(
  { policy }: Ruled,
  { name, sameAs }: Tool,
  asked: { readonly arguments: JsonObject; readonly facts: CallFacts; readonly needs_approval: OwnWord },
): RulingNow {
  const same = sameAs === undefined ? {} : { same_as: sameAs }
  return {
    ...rule(policy, { tool: name, ...same, ...asked }),
    leads_to: asked.facts.leads_to ?? null,
    reaches: reachesIn(asked.facts),
    astray: leadsAstray(asked.facts),
  }
}

/** Only a policy that speaks of boxes has the machine tried for one. */
function withBox({ policy }: Ruled, tool: Tool, facts: CallFacts | Promise<CallFacts>): CallFacts | Promise<CallFacts> {
  if (!tool.noBox || !mayBox(policy)) return facts
  const why = tool.noBox()
  return afterwards(facts, async known => ({ ...known, no_box: await why }))
}

/** The reason for each command of the line in the arguments; empty if the arguments hold no separable commands. */
export async function partsOf(ruled: Ruled, tool: Tool, args: JsonObject): Promise<readonly ExplainedPart[]> {
  const facts = await factsOf(ruled, tool, args)
  return explainParts(ruled.policy, { tool: tool.name, facts })
}

/** The place for the record of a hold, which an approval binds, and what the call reaches. */
export async function placeOf(
  ruled: Ruled,
  tool: Tool | null,
  args: JsonObject | string,
): Promise<{ readonly leads_to?: string; readonly reaches: readonly string[] }> {
  if (!tool?.inspect || typeof args === 'string') return { reaches: [] }
  const facts = await factsOf(ruled, tool, args)
  return { ...(facts.leads_to !== undefined && { leads_to: facts.leads_to }), reaches: reachesIn(facts) }
}

/** Each phrase goes on from "It". What cannot be read may reach anything. */
function reachesIn({ reaches = [], unclear, protected: kept }: CallFacts): readonly string[] {
  return [
    ...reaches,
    ...(kept === null ? [] : [`may reach what decides about it: ${kept}`]),
    ...(unclear === null ? [] : [`does what nobody can tell: ${unclear}`]),
  ]
}

function factsOf({ workdir, rules_from }: Ruled, tool: Tool, args: JsonObject): CallFacts | Promise<CallFacts> {
  const { inspect } = tool
  if (!inspect) return NO_FACTS
  return orElse<CallFacts>(
    () =>
      afterwards(inspect.call(tool, copyArguments(args), workdir, rules_from ?? workdir), facts => facts ?? NO_FACTS),
    thrown => ({ ...NO_FACTS, unclear: `the arguments could not be inspected: ${faultOf(thrown)}` }),
  )
}

type OwnWord = PolicyQuestion['needs_approval']

function ownWord(tool: Tool, args: JsonObject): OwnWord | Promise<OwnWord> {
  const asked = `needsApproval of ${tool.name}`
  return orElse<OwnWord>(
    () => afterwards(tool.needsApproval(copyArguments(args)), answer => ownWordIn(answer, asked)),
    thrown => ({ because: thrown instanceof LateAnswerError ? faultOf(thrown) : `${asked}: ${faultOf(thrown)}` }),
  )
}

/** Doubt asks: a tool that forgets to answer allows nothing. */
function ownWordIn(answer: unknown, asked: string): OwnWord {
  if (typeof answer === 'boolean' || answer === null) return answer
  return { because: `${asked} said neither true nor false` }
}

/** @throws what was thrown, if the run is to stop: that is no fault of the tool */
function faultOf(thrown: unknown): string {
  if (isStop(thrown)) throw thrown
  return messageOf(thrown)
}
