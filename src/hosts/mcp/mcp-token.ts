import { randomBytes } from 'node:crypto'
import { lstatSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf, RefusedError } from '../../core/errors.ts'
import { makeProjectDirectory } from '../project/project.ts'

export interface McpToken {
  readonly token: string
  /** Its origin, for people. */
  readonly place: string
}

export const TOKEN_VARIABLE = 'HOLDPOINT_MCP_TOKEN'
const TOKEN_BYTES = 32
const SHORTEST = 16
const OWNER_ONLY = 0o600
const OTHERS = 0o077

/**
 * The token that clients over HTTP must bear: from the environment, or from a file in the project, which is made if it
 * is missing. @throws RefusedError `unusable_token`
 */
export function mcpToken(directory: string, env: Readonly<Record<string, string | undefined>>): McpToken {
  const given = env[TOKEN_VARIABLE]
  if (given) return { token: checked(given, TOKEN_VARIABLE), place: TOKEN_VARIABLE }
  const path = join(makeProjectDirectory(directory), 'mcp-token')
  try {
    // Only one of several processes makes it, and never through a link.
    const token = randomBytes(TOKEN_BYTES).toString('base64url')
    writeFileSync(path, `${token}\n`, { flag: 'wx', mode: OWNER_ONLY })
    return { token, place: path }
  } catch (thrown) {
    if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'EEXIST'))
      throw unusable(path, messageOf(thrown))
    return { token: kept(path), place: path }
  }
}

function kept(path: string): string {
  const { mode } = lstatSync(path)
  if (process.platform !== 'win32' && (mode & OTHERS) !== 0) throw unusable(path, 'others may read it, or it is a link')
  return checked(readFileSync(path, 'utf8').trim(), path)
}

function checked(token: string, place: string): string {
  if (token.length >= SHORTEST && /^[\x21-\x7e]+$/.test(token)) return token
  throw unusable(place, `it must be at least ${SHORTEST} visible ASCII characters without spaces`)
}

function unusable(place: string, problem: string): RefusedError {
  return new RefusedError('unusable_token', `The token in ${place} cannot be used: ${problem}.`, {
    hint: `Remove ${place} to have another one made, or set ${TOKEN_VARIABLE}.`,
  })
}
