/** Tools that the provider of a model runs itself: none is offered, and no call of one is permitted, unless a rule names it. */
import type { ProviderCallPart } from '../message/part.ts'
import { providerToolName } from '../message/part-words.ts'
import type { ModelOptions } from '../settings/model-settings.ts'
import { isJsonObject, type Json, type JsonObject } from '../text/json.ts'
import { NO_FACTS, type Policy, type Ruling, rule } from './policy.ts'

/** Before the name of such a tool in a policy: `provider:web_search`, `provider:docs/search` for a tool of a server. */
export const PROVIDER_PREFIX = 'provider:'

/** The name of a call in policies and in records. */
export function ruledName(call: Pick<ProviderCallPart, 'name' | 'server'>): string {
  return `${PROVIDER_PREFIX}${providerToolName(call)}`
}

/** What the policy says of a call that the provider ran, or of a tool that it would run. Only `auto` permits it. */
export function providerRuling(policy: Policy, tool: string, args: JsonObject = {}): Ruling {
  const said = rule(namedIn(policy), { tool, arguments: args, facts: NO_FACTS, needs_approval: null })
  return said.rule === UNNAMED ? { ...said, rule: `no rule names ${tool}` } : said
}

const UNNAMED = 'default: prompt'

/**
 * Nobody is asked before a provider runs its tool, so that rules for all tools permit none of them: `auto` counts in lines
 * that begin with `provider:` alone. What restricts counts in every line.
 */
function namedIn({ tools, rules, default: usual, on_never }: Policy): Policy {
  const counts = (tool: string, verdict: string) => verdict !== 'auto' || tool.startsWith(PROVIDER_PREFIX)
  return {
    default: usual === 'never' ? 'never' : 'prompt',
    tools: Object.fromEntries(Object.entries(tools).filter(([tool, verdict]) => counts(tool, verdict))),
    rules: rules.filter(({ tool, policy }) => counts(tool, policy)),
    on_never,
  }
}

/** The provider, and the provider's name for the tool. */
const PROVIDER_TOOL = /^[a-z][\w-]*\.\w+$/

type Offering = Pick<ModelOptions, 'providerTools' | 'providerOptions'>

export interface Offered<T> {
  /** The options with those tools alone that the policy permits. */
  readonly options: T
  /** By the name in policies: the rule for which a tool is left out. */
  readonly left_out: ReadonlyMap<string, string>
}

/** What a model may be offered of the tools that its provider runs. */
export function permittedOptions<T extends Offering>(policy: Policy, options: T): Offered<T> {
  const left_out = new Map<string, string>()
  const isPermitted = (name: string): boolean => {
    const { verdict, rule: words } = providerRuling(policy, name.replace(/\*$/, 'any tool'))
    if (verdict !== 'auto') left_out.set(name, words.replace(/any tool$/, '*'))
    return verdict === 'auto'
  }
  const { providerTools, providerOptions } = options
  const servers = serversIn(providerOptions)
  const tools = Object.entries(providerTools ?? {}).filter(([id, args]) => {
    if (PROVIDER_TOOL.test(id)) return isPermitted(offeredName(id, args))
    left_out.set(`${PROVIDER_PREFIX}${id}`, 'its id names no provider, as openai.web_search does')
    return false
  })
  const kept = servers.filter(server => isPermitted(ofServer(server['name'])))
  if (left_out.size === 0) return { options, left_out }
  return {
    left_out,
    options: {
      ...options,
      ...(providerTools && { providerTools: Object.fromEntries(tools) }),
      ...(servers.length > kept.length && { providerOptions: withServers(providerOptions, kept) }),
    },
  }
}

/** `openai.web_search` and `anthropic.web_search_20250305` are both `provider:web_search`. */
function offeredName(id: string, args: JsonObject): string {
  return id.endsWith('.mcp') ? ofServer(args['serverLabel']) : `${PROVIDER_PREFIX}${providerToolOf(id)}`
}

/** The name of a provider's tool in a request and in the calls of it. */
export function providerToolOf(id: string): string {
  return id.slice(id.indexOf('.') + 1).replace(/_\d{8}$/, '')
}

/** The tools of a server are not known before it is asked: a rule has to cover any of them. */
function ofServer(name: Json | undefined): string {
  return `${PROVIDER_PREFIX}${typeof name === 'string' ? name : ''}/*`
}

/** Where Anthropic is given MCP servers to which it connects itself. */
function serversIn(options: Offering['providerOptions']): readonly JsonObject[] {
  const { mcpServers = null } = options?.['anthropic'] ?? {}
  return Array.isArray(mcpServers) ? mcpServers.filter(isJsonObject) : []
}

function withServers(
  options: Offering['providerOptions'],
  servers: readonly JsonObject[],
): Offering['providerOptions'] {
  const { mcpServers: _, ...others } = options?.['anthropic'] ?? {}
  return { ...options, anthropic: { ...others, ...(servers.length > 0 && { mcpServers: servers }) } }
}
