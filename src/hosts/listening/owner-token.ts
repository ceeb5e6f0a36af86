import { randomBytes } from 'node:crypto'
import { lstatSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf, RefusedError } from '../../core/errors.ts'
import { makeProjectDirectory } from '../project/project.ts'

export interface OwnerToken {
  readonly token: string
  /** Its origin, for people. */
  readonly place: string
}

/** Where a server finds the token of its owner. */
export interface TokenPlaces {
  readonly variable: string
  /** In the directory of the project. */
  readonly file: string
}

export const MCP_TOKEN: TokenPlaces = { variable: 'HOLDPOINT_MCP_TOKEN', file: 'mcp-token' }
export const SERVER_TOKEN: TokenPlaces = { variable: 'HOLDPOINT_SERVER_TOKEN', file: 'server-token' }

const TOKEN_BYTES = 32
const SHORTEST = 16
const OWNER_ONLY = 0o600
const OTHERS = 0o077

/**
 * The token of the person who starts a server: from the environment, or from a file in the project that no other user can
 * read, and that is made if it is missing. @throws RefusedError `unusable_token`
 */
export function ownerToken(
  places: TokenPlaces,
  directory: string,
  env: Readonly<Record<string, string | undefined>>,
): OwnerToken {
  const { variable } = places
  const given = env[variable]
  if (given) return { token: checked(given, { place: variable, variable }), place: variable }
  const path = join(makeProjectDirectory(directory), places.file)
  const at = { place: path, variable }
  try {
    // Only one of several processes makes it, and never through a link.
    const token = randomBytes(TOKEN_BYTES).toString('base64url')
    writeFileSync(path, `${token}\n`, { flag: 'wx', mode: OWNER_ONLY })
    return { token, place: path }
  } catch (thrown) {
    if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'EEXIST'))
      throw unusable(at, messageOf(thrown))
    return { token: kept(at), place: path }
  }
}

interface TokenPlace {
  readonly place: string
  readonly variable: string
}

function kept(at: TokenPlace): string {
  const { mode } = lstatSync(at.place)
  if (process.platform !== 'win32' && (mode & OTHERS) !== 0) throw unusable(at, 'others may read it, or it is a link')
  return checked(readFileSync(at.place, 'utf8').trim(), at)
}

function checked(token: string, at: TokenPlace): string {
  if (token.length >= SHORTEST && /^[\x21-\x7e]+$/.test(token)) return token
  throw unusable(at, `it must be at least ${SHORTEST} visible ASCII characters without spaces`)
}

function unusable({ place, variable }: TokenPlace, problem: string): RefusedError {
  return new RefusedError('unusable_token', `The token in ${place} cannot be used: ${problem}.`, {
    hint: `Remove ${place} to have another one made, or set ${variable}.`,
  })
}
