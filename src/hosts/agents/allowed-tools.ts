/** The tools of an agent within the bounds of a run. The allow-list binds execution, not only what the model is shown. */
import { RefusedError } from '../../core/errors.ts'
import { matchesGlob } from '../../core/policy/glob.ts'
import { toolPrefix } from '../../core/settings/mcp-servers.ts'
import type { Tool } from '../../ports/agent/tool.ts'
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
    if (found.length === 0 && !isOfServer(String(name), servers)) throw unknownTool(String(name), among)
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
    throw new RefusedError('colliding_tools', `The agent would have two tools called ${tool.name}.`, {
      hint: 'Give one of them another name, or leave one out of the list of tools.',
    })
  }
  tools.set(tool.name, tool)
}

function isOfServer(name: string, servers: readonly string[]): boolean {
  return servers.some(server => name.startsWith(toolPrefix(server)))
}

/** @throws RefusedError `unknown_tool` for the first that is missing. */
export function refuseMissing({ tools, missing }: AllowedTools): void {
  const [first] = missing
  if (first !== undefined) throw unknownTool(first, tools)
}

function unknownTool(name: string, among: Tools): RefusedError {
  return new RefusedError('unknown_tool', `There is no tool ${JSON.stringify(name)}.`, {
    hint: `Available: ${[...among.keys()].join(', ')}.`,
  })
}
