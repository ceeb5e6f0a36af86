import { messageOf } from '../core/errors.ts'
import type { JsonObject } from '../core/json.ts'
import { type CallFacts, NO_FACTS, type Policy, type Ruling, rule } from '../core/policy.ts'
import type { Tool } from '../ports/tool.ts'

/** What policy says of this call, with all that the tool knows of its arguments. Doubt asks (fails closed). */
export async function rulingOn(policy: Policy, tool: Tool, args: JsonObject, workdir: string): Promise<Ruling> {
  const [facts, needs_approval] = await Promise.all([factsOf(tool, args, workdir), ownWord(tool, args)])
  const same = tool.sameAs === undefined ? {} : { same_as: tool.sameAs }
  return rule(policy, { tool: tool.name, ...same, arguments: args, facts, needs_approval })
}

async function factsOf(tool: Tool, args: JsonObject, workdir: string): Promise<CallFacts> {
  try {
    return (await tool.inspect?.(structuredClone(args), workdir)) ?? NO_FACTS
  } catch (thrown) {
    return { ...NO_FACTS, unclear: `the arguments could not be inspected: ${messageOf(thrown)}` }
  }
}

async function ownWord(tool: Tool, args: JsonObject): Promise<boolean | null> {
  try {
    return await tool.needsApproval(structuredClone(args))
  } catch {
    return true
  }
}
