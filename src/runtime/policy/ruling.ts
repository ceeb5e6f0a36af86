import { afterwards, orElse } from '../../async/afterwards.ts'
import { messageOf } from '../../core/errors.ts'
import { copyArguments } from '../../core/plain/fitted.ts'
import {
  type CallFacts,
  leadsAstray,
  NO_FACTS,
  type PolicyQuestion,
  type Ruling,
  rule,
} from '../../core/policy/policy.ts'
import type { Profile } from '../../core/run/profile.ts'
import type { JsonObject } from '../../core/text/json.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import { isStop, LateAnswerError } from '../foreign/reach-foreign.ts'

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
  asked: { readonly arguments: JsonObject; readonly facts: CallFacts; readonly needs_approval: OwnWord },
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
    () => afterwards(tool.needsApproval(copyArguments(args)), said => wordIn(said, asked)),
    thrown => ({ because: thrown instanceof LateAnswerError ? faultOf(thrown) : `${asked}: ${faultOf(thrown)}` }),
  )
}

/** Doubt asks: a tool that forgets to answer allows nothing. */
function wordIn(said: unknown, asked: string): OwnWord {
  if (typeof said === 'boolean' || said === null) return said
  return { because: `${asked} said neither true nor false` }
}

/** @throws what was thrown, if the run is to stop: that is no fault of the tool */
function faultOf(thrown: unknown): string {
  if (isStop(thrown)) throw thrown
  return messageOf(thrown)
}
