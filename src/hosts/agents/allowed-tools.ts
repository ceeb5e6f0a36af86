/** The tools of an agent within the bounds of a run. The allow-list binds execution, not only what the model is shown. */

import { matchesGlob } from '../../core/policy/glob.ts'
import { toolPrefix } from '../../core/settings/mcp-servers.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import { agentFileRefusals } from '../refusals/agent-file-refusals.ts'
import { isGlob } from './agent-servers.ts'

type Tools = ReadonlyMap<string, Tool>

interface Offer {
  readonly builtIn: Tools
  readonly mounted: Tools
  /** The servers whose tools `mounted` has: what they do not offer any more is gone, and no mistake of the agent. */
  readonly servers: readonly string[]
}

export interface AllowedTools {
  readonly tools: Tools
  /** Named, and not there. */
  readonly missing: readonly string[]
}

/** `own` is what the agent names, `allowed` what the run does; `null` for all. @throws RefusedError `unknown_tool` or `colliding_tools` */
export function allowedTools(
  { builtIn, mounted, servers }: Offer,
  own: readonly (Tool | string)[] | null,
  allowed: readonly string[] | null,
): AllowedTools {
  const offered = new Map([...builtIn, ...mounted])
  const ofAgent = own === null ? { tools: offered, missing: [] } : named(own, offered, servers)
  if (allowed === null) return ofAgent
  return named(allowed, ofAgent.tools, servers)
}

function named(names: readonly (Tool | string)[], among: Tools, servers: readonly string[]): AllowedTools {
  const tools = new Map<string, Tool>()
  const missing: string[] = []
  for (const name of names) {
    const found = typeof name === 'string' ? meant(name, among) : [name]
    if (found.length === 0 && !isOfServer(String(name), servers))
      throw agentFileRefusals.unknownTool(String(name), [...among.keys()])
    if (found.length === 0) missing.push(String(name))
    for (const tool of found) keep(tools, tool)
  }
  return { tools, missing }
}

function meant(name: string, among: Tools): Tool[] {
  if (isGlob(name)) return [...among.values()].filter(tool => matchesGlob(name, tool.name))
  const tool = among.get(name)
  return tool ? [tool] : []
}

function keep(tools: Map<string, Tool>, tool: Tool): void {
  const before = tools.get(tool.name)
  if (before && before !== tool) {
    throw agentFileRefusals.collidingTools(tool.name)
  }
  tools.set(tool.name, tool)
}

function isOfServer(name: string, servers: readonly string[]): boolean {
  return servers.some(server => name.startsWith(toolPrefix(server)))
}

/** @throws RefusedError `unknown_tool` for the first that is missing. */
export function refuseMissing({ tools, missing }: AllowedTools): void {
  const [first] = missing
  if (first !== undefined) throw agentFileRefusals.unknownTool(first, [...tools.keys()])
}
