import { isJsonObject, type Json } from '../../text/json.ts'
import type { Verdict } from '../policy.ts'
import { bracketed, meantTool } from '../remarks/foreign-tools.ts'
import { commandEntries, joined, leftOut, listed, type Translated, unequalled, valueAt } from './entries.ts'

type List = readonly [path: readonly string[], verdict: Verdict | null]

/**
 * The settings of Gemini CLI that name tools, today and in older versions. `null`: the setting limits which tools
 * exist.
 */
const LISTS: readonly List[] = [
  [['tools', 'allowed'], 'auto'],
  [['allowedTools'], 'auto'],
  [['tools', 'exclude'], 'never'],
  [['excludeTools'], 'never'],
  [['tools', 'core'], null],
  [['coreTools'], null],
]

/** The tools that a settings file of Gemini CLI permits and excludes. */
export function geminiEntries(settings: Json): Translated {
  const lists = LISTS.flatMap(([path, verdict]) => {
    const { texts, ...odd } = listed(valueAt(settings, path), path.join('.'))
    return [...texts.map(name => entryOf(name, verdict)), odd]
  })
  return joined([...lists, ...serversOf(settings), unequalled(settings, NO_EQUAL)])
}

const NO_EQUAL = {
  'general.defaultApprovalMode': 'no mode here lets everything pass: write it as "tools"',
  'tools.approvalMode': 'no mode here lets everything pass: write it as "tools"',
  'tools.autoAccept': 'it has an equal in "reads": "auto", which you may write',
  autoAccept: 'it has an equal in "reads": "auto", which you may write',
  'tools.sandbox': 'no sandbox is set up by a policy',
  'mcp.allowed': 'only the servers in mcp_servers of config.json are used',
}

/** Servers that are shut out, or whose tools are named one by one. */
function serversOf(settings: Json): readonly Translated[] {
  const excluded = listed(valueAt(settings, ['mcp', 'excluded']), 'mcp.excluded')
  const servers = valueAt(settings, ['mcpServers'])
  const named = isJsonObject(servers) ? Object.entries(servers) : []
  return [
    excluded,
    ...excluded.texts.map(server => ofServer(server, '*', 'never')),
    ...named.flatMap(([server, about]) => {
      const without = listed(valueAt(about, ['excludeTools']), `mcpServers.${server}.excludeTools`)
      const trusted = valueAt(about, ['trust']) === true ? [ofServer(server, '*', 'auto')] : []
      const only = unequalled(about, { includeTools: `it says which tools of ${server} there are` })
      return [...trusted, without, ...without.texts.map(tool => ofServer(server, tool, 'never')), only]
    }),
  ]
}

function ofServer(server: string, name: string, verdict: Verdict): Translated {
  const tool = `${server}__${name}`
  return { entries: [{ written: tool, tool, match: null, verdict }], left_out: [] }
}

function entryOf(written: string, verdict: Verdict | null): Translated {
  if (verdict === null) return leftOut(written, 'it says which tools there are: write that into `tools` of an agent')
  const inBrackets = bracketed(written)
  const name = inBrackets?.name ?? written
  const meant = meantTool(name)
  if (meant?.argument === 'command' && inBrackets) return commandLine(written, inBrackets.within, verdict)
  const tool = meant?.tool ?? (name.includes('__') ? name : null)
  if (tool === null || inBrackets) return leftOut(written, 'no tool here does this')
  return { entries: [{ written, tool, match: null, verdict }], left_out: [] }
}

/** The beginning of a command. A star there is a star, which people take for a pattern. */
function commandLine(written: string, within: string, verdict: Verdict): Translated {
  const beginning = within.replace(/\s*:?\s*\*$/, '')
  if (beginning === '' || beginning.includes('*')) return leftOut(written, 'no rule here says the same')
  if (beginning !== within && verdict === 'auto') return leftOut(written, 'a star there stands for itself alone')
  return { entries: commandEntries(written, beginning, verdict), left_out: [] }
}
