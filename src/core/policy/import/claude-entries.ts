import { isJsonObject, type Json } from '../../text/json.ts'
import type { Verdict } from '../policy.ts'
import { bracketed, meantTool, serverTool } from '../remarks/foreign-tools.ts'
import { commandEntries, type Entry, joined, leftOut, listed, type Translated, unequalled, valueAt } from './entries.ts'

const VERDICTS: Readonly<Record<string, Verdict>> = { allow: 'auto', ask: 'prompt', deny: 'never' }

/** The `permissions` of a settings file of Claude Code. `home` replaces `~`. */
export function claudeEntries(settings: Json, home: string): Translated {
  const without = unequalled(settings, NO_EQUAL)
  const permissions = valueAt(settings, ['permissions'])
  if (!isJsonObject(permissions)) return without
  const lists = Object.entries(VERDICTS).flatMap(([list, verdict]) => {
    const { texts, ...odd } = listed(permissions[list], list)
    return [...texts.map(line => entryOf(line, verdict, home)), odd]
  })
  const unknown = Object.keys(permissions).filter(key => !KNOWN.includes(key))
  const left = unknown.map(key => leftOut(`permissions.${key}: ${JSON.stringify(permissions[key])}`, 'it is not known'))
  return joined([...lists, modeOf(permissions['defaultMode'] ?? null), ...left, without])
}

/** `disableBypassPermissionsMode` needs no equal: there is no such mode here. */
const KNOWN = ['allow', 'ask', 'deny', 'defaultMode', 'additionalDirectories', 'disableBypassPermissionsMode']

const NO_EQUAL = {
  'permissions.additionalDirectories': 'an agent works below its directory: --workdir names another one',
  'hooks.PreToolUse': 'hooks are programs, and are not read',
  'hooks.PermissionRequest': 'hooks are programs, and are not read',
  sandbox: 'no sandbox is set up by a policy',
}

function modeOf(mode: Json): Translated {
  const written = `defaultMode: ${JSON.stringify(mode)}`
  if (mode === 'acceptEdits') return { entries: wholeEdits(written, 'auto'), left_out: [] }
  return mode === null || mode === 'default' ? joined([]) : leftOut(written, 'no mode here lets everything pass')
}

function entryOf(written: string, verdict: Verdict, home: string): Translated {
  const { name, within = '*' } = bracketed(written) ?? { name: written }
  const ofServer = serverTool(name)
  if (ofServer !== null) return { entries: [{ written, tool: ofServer, match: null, verdict }], left_out: [] }
  const meant = meantTool(name)
  if (meant === null) return leftOut(written, 'no tool here does this')
  if (meant.argument === 'command') return commandLine(written, within, verdict)
  if (meant.tool === 'fetch_url') return domainLine(written, within, verdict)
  if (meant.tool === 'edit_file' || meant.tool === 'write_file')
    return pathLine(EDITS, { written, within, verdict, home })
  return pathLine([meant.tool], { written, within, verdict, home })
}

const EDITS = ['write_file', 'edit_file']

function wholeEdits(written: string, verdict: Verdict): Entry[] {
  return EDITS.map(tool => ({ written, tool, match: null, verdict }))
}

function commandLine(written: string, within: string, verdict: Verdict): Translated {
  if (within === '*' || within === '')
    return { entries: [{ written, tool: 'run_command', match: null, verdict }], left_out: [] }
  const beginning = /^(.*?)\s*:\*$/s.exec(within)?.[1]
  if (beginning !== undefined) return { entries: commandEntries(written, beginning, verdict), left_out: [] }
  return { entries: [{ written, tool: 'run_command', match: { command: within }, verdict }], left_out: [] }
}

/** `WebFetch(domain:example.org)` is about both schemes. What restricts it restricts the names below it, too. */
function domainLine(written: string, within: string, verdict: Verdict): Translated {
  if (within === '*') return { entries: [{ written, tool: 'fetch_url', match: null, verdict }], left_out: [] }
  const host = /^domain:([\w.*-]+)$/.exec(within)?.[1]
  if (host === undefined) return leftOut(written, 'only a domain can be named')
  const hosts = verdict === 'auto' || host.startsWith('*') ? [host] : [host, `*.${host}`]
  const urls = hosts.flatMap(each => [`https://${each}/*`, `http://${each}/*`])
  return { entries: urls.map(url => ({ written, tool: 'fetch_url', match: { url }, verdict })), left_out: [] }
}

interface PathLine {
  readonly written: string
  readonly within: string
  readonly verdict: Verdict
  readonly home: string
}

function pathLine(tools: readonly string[], { written, within, verdict, home }: PathLine): Translated {
  if (within === '*' || within === '**')
    return { entries: tools.map(tool => ({ written, tool, match: null, verdict })), left_out: [] }
  if (/[?{}[\]!]/.test(within)) return leftOut(written, 'only * means something in patterns here')
  // A star there stays within one directory, and here it does not.
  if (verdict === 'auto' && /(?<!\*)\*(?!\*)/.test(within)) return leftOut(written, 'a star here would permit more')
  const paths = pathsOf(within, home).map(path => path.replaceAll('**/', '*').replaceAll(/\*+/g, '*'))
  return {
    entries: tools.flatMap(tool => paths.map(path => ({ written, tool, match: { path }, verdict }))),
    left_out: [],
  }
}

/** A name without a slash is meant at any depth. */
function pathsOf(within: string, home: string): readonly string[] {
  if (within.startsWith('//')) return [within.slice(1)]
  if (within.startsWith('~/')) return [`${home}${within.slice(1)}`]
  const path = within.replace(/^\.?\//, '')
  return within.includes('/') ? [path] : [path, `*/${path}`]
}
