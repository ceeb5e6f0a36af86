import { nearestWord } from '../../text/edit-distance.ts'
import { matchesGlob } from '../glob.ts'
import { PROVIDER_PREFIX } from '../provider-tools.ts'
import { bracketed, meantTool, serverTool, withoutColon } from './foreign-tools.ts'
import { DOES_NOTHING, type KnownTool, type KnownTools, type PolicyLine, type PolicyRemark } from './remark.ts'

/** The tools that a line is about. */
export function toolsOf({ tool }: PolicyLine, { tools }: KnownTools): readonly KnownTool[] {
  return tools.filter(({ name }) => matchesGlob(tool, name))
}

/** True if the line may be about tools of a server that was not asked. */
export function mayBeOfServer({ tool }: PolicyLine, { prefixes }: KnownTools): boolean {
  const [head = ''] = tool.split('*', 1)
  const isGlob = tool.includes('*')
  return prefixes.some(prefix => head.startsWith(prefix) || (isGlob && prefix.startsWith(head)))
}

/** A line that is about no tool, with the one that was meant. */
export function unknownTool(line: PolicyLine, known: KnownTools): PolicyRemark | null {
  if (toolsOf(line, known).length > 0 || mayBeOfServer(line, known) || line.tool.startsWith(PROVIDER_PREFIX))
    return null
  const foreign = foreignName(line)
  if (foreign !== null) return remark(line, { code: 'foreign_syntax', hint: foreign })
  const names = known.tools.map(({ name }) => name)
  const near = nearestWord(line.tool.replaceAll('*', ''), names)
  if (near === null && !known.isComplete) return null
  const hint = near === null ? whatThereIs(line, names) : `Did you mean ${near}?`
  return remark(line, { code: 'unknown_tool', hint })
}

const MOST_NAMED = 6

/** A name with `__` is that of a server's tool. */
function whatThereIs({ tool }: PolicyLine, names: readonly string[]): string {
  const [server] = tool.split('__', 1)
  if (server && server !== tool && !server.includes('*'))
    return `No server ${JSON.stringify(server)} is configured: write it among "mcp_servers" in .holdpoint/config.json.`
  if (tool.startsWith('mcp_')) return 'The tools of a server begin with its name: github__*.'
  const others = names.length - MOST_NAMED
  return `The tools here: ${names.slice(0, MOST_NAMED).join(', ')}${others > 0 ? `, and ${others} more` : ''}.`
}

function remark(
  { place, tool, verdict }: PolicyLine,
  { code, hint }: Pick<PolicyRemark, 'code' | 'hint'>,
): PolicyRemark {
  const named = tool.includes('*') ? 'covers no tool' : `is no tool`
  const whose = code === 'foreign_syntax' ? ' here, but the way of another product' : ' here'
  return { code, place, message: `${JSON.stringify(tool)} ${named}${whose}, so ${DOES_NOTHING[verdict]}.`, hint }
}

/** The line to write for a tool of another product; `null` if it is none. */
function foreignName({ tool, match, verdict }: PolicyLine): string | null {
  const inBrackets = bracketed(tool)
  const meant = meantTool(inBrackets?.name ?? tool)
  const ofServer = serverTool(tool)
  if (ofServer !== null) return `Write ${JSON.stringify(ofServer)}: a tool of a server is server__tool.`
  if (meant === null)
    return inBrackets === null ? null : 'Write the name alone as "tool", and its arguments as "match".'
  if (inBrackets === null || meant.argument === null || match !== null)
    return `Write ${JSON.stringify(meant.tool)}, the tool that does the same here.`
  const rule = { tool: meant.tool, match: { [meant.argument]: withoutColon(inBrackets.within) }, policy: verdict }
  return `Write it among "rules": ${JSON.stringify(rule)}`
}
