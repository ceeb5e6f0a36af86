import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider'
import type { JsonObject } from '../../core/text/json.ts'
import type { ProviderRules } from '../provider-rules/provider-rules.ts'
import { schemaFaults } from '../provider-rules/schema-faults.ts'
import { wireToolName } from '../provider-rules/wire-names.ts'
import type { Found, RequestRule, Sent } from './fault.ts'

const LEFT_OUT = { about: 'schema', repair: withoutTools, told: 'is left out of what it is sent' } as const

export const TOOL_RULES = {
  tool_name: {
    ...LEFT_OUT,
    source: `Anthropic: "tools.0.custom.name: String should match pattern"; OpenAI: "Invalid 'tools[0].function.name'"; Google: "Invalid function name"`,
    faults: (sent, rules) =>
      ownTools(sent).flatMap(({ tool, at }) =>
        wireToolName(tool.name, rules) === tool.name ? [] : { tool: at, why: 'it refuses the name' },
      ),
  },
  tool_twice: {
    ...LEFT_OUT,
    source: 'Anthropic: "tools: Tool names must be unique."; Google: "Duplicate function declaration found"',
    faults: ({ tools = [] }) =>
      tools.flatMap(({ name }, at) =>
        tools.findIndex(each => each.name === name) < at ? { tool: at, why: 'another tool has its name' } : [],
      ),
  },
  tool_schema: {
    ...LEFT_OUT,
    source:
      'Anthropic: "tools.0.custom.input_schema: JSON schema is invalid", "Property keys should match pattern"; OpenAI: "Invalid schema for function"; Google: "Unknown name", "property is not defined"',
    faults: (sent, rules) =>
      ownTools(sent).flatMap(({ tool, at }) => {
        const [why] = knownFaults(tool.inputSchema as JsonObject, rules)
        return why === undefined ? [] : { tool: at, why }
      }),
  },
  too_many_tools: {
    ...LEFT_OUT,
    source: `OpenAI: "Invalid 'tools': array too long. Expected an array with maximum length 128"`,
    faults: ({ tools = [] }, { mostTools }) =>
      tools.flatMap((_, at) =>
        mostTools === null || at < mostTools ? [] : { tool: at, why: `it takes ${mostTools} tools in one request` },
      ),
  },
} as const satisfies Readonly<Record<string, RequestRule>>

function ownTools({
  tools = [],
}: Sent): readonly { readonly tool: LanguageModelV4FunctionTool; readonly at: number }[] {
  return tools.flatMap((tool, at) => (tool.type === 'function' ? { tool, at } : []))
}

/** A provider refuses an empty list, and the choice of a tool that it does not have. */
function withoutTools(sent: Sent, found: readonly Found[]): Sent {
  const gone = new Set(found.map(({ tool }) => tool))
  const { tools: given = [], toolChoice, ...others } = sent
  const tools = given.filter((_, at) => !gone.has(at))
  if (tools.length === 0) return others
  const isThere = toolChoice?.type !== 'tool' || tools.some(({ name }) => name === toolChoice.toolName)
  return { ...others, tools, ...(toolChoice && isThere && { toolChoice }) }
}

/** The schemas of an agent are the same objects in every step. */
const KNOWN = new WeakMap<JsonObject, Map<ProviderRules, readonly string[]>>()

function knownFaults(schema: JsonObject, rules: ProviderRules): readonly string[] {
  const known = KNOWN.get(schema) ?? new Map<ProviderRules, readonly string[]>()
  KNOWN.set(schema, known)
  const faults = known.get(rules) ?? schemaFaults(schema, rules.schema)
  known.set(rules, faults)
  return faults
}
