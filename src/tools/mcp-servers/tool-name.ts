import { createHash } from 'node:crypto'
import { toolPrefix } from '../../core/settings/mcp-servers.ts'

/** The limit of model providers, in characters. */
const LONGEST = 64
const MARK_LENGTH = 6

/**
 * `server__tool`. A name that models would not take is made to fit, and marked with the start of its hash: it depends on
 * nothing but itself, so that no rule for it ever comes to mean another tool.
 */
export function toolName(server: string, tool: string): string {
  const wanted = `${toolPrefix(server)}${tool}`
  if (/^[a-zA-Z0-9_-]+$/.test(tool) && wanted.length <= LONGEST) return wanted
  const mark = createHash('sha256').update(tool).digest('hex').slice(0, MARK_LENGTH)
  const fitting = wanted.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, LONGEST - MARK_LENGTH - 1)
  return `${fitting}_${mark}`
}
