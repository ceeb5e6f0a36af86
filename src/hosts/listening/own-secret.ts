import { randomBytes } from 'node:crypto'
import { lstatSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf, RefusedError } from '../../core/errors.ts'
import { makeProjectDirectory } from '../project/project.ts'

export interface OwnSecret {
  readonly secret: string
  /** Its origin, for people. */
  readonly place: string
}

/** Where a server finds a secret of its owner. */
export interface SecretPlaces {
  readonly variable: string
  /** In the directory of the project. */
  readonly file: string
}

export const MCP_TOKEN: SecretPlaces = { variable: 'HOLDPOINT_MCP_TOKEN', file: 'mcp-token' }
export const SERVER_TOKEN: SecretPlaces = { variable: 'HOLDPOINT_SERVER_TOKEN', file: 'server-token' }
/** Seals what clients carry from one request to the next, over restarts, and between servers that share it. */
export const SEAL_KEY: SecretPlaces = { variable: 'HOLDPOINT_SEAL_KEY', file: 'seal-key' }

const SECRET_BYTES = 32
const SHORTEST = 16
const OWNER_ONLY = 0o600
const OTHERS = 0o077

/**
 * A secret of the person who starts a server: from the environment, or from a file in the project that no other user can
 * read, and that is made if it is missing. @throws RefusedError `unusable_token`
 */
export function ownSecret(
  places: SecretPlaces,
  directory: string,
  env: Readonly<Record<string, string | undefined>>,
): OwnSecret {
  const { variable } = places
  const given = env[variable]
  if (given) return { secret: checked(given, { place: variable, variable }), place: variable }
  const path = join(makeProjectDirectory(directory), places.file)
  const at = { place: path, variable }
  try {
    // Only one of several processes makes it, and never through a link.
    const secret = randomBytes(SECRET_BYTES).toString('base64url')
    writeFileSync(path, `${secret}\n`, { flag: 'wx', mode: OWNER_ONLY })
    return { secret, place: path }
  } catch (thrown) {
    if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'EEXIST'))
      throw unusable(at, messageOf(thrown))
    return { secret: kept(at), place: path }
  }
}

interface SecretPlace {
  readonly place: string
  readonly variable: string
}

function kept(at: SecretPlace): string {
  const { mode } = lstatSync(at.place)
  if (process.platform !== 'win32' && (mode & OTHERS) !== 0) throw unusable(at, 'others may read it, or it is a link')
  return checked(readFileSync(at.place, 'utf8').trim(), at)
}

function checked(secret: string, at: SecretPlace): string {
  if (secret.length >= SHORTEST && /^[\x21-\x7e]+$/.test(secret)) return secret
  throw unusable(at, `it must be at least ${SHORTEST} visible ASCII characters without spaces`)
}

function unusable({ place, variable }: SecretPlace, problem: string): RefusedError {
  return new RefusedError('unusable_token', `The secret in ${place} cannot be used: ${problem}.`, {
    hint: `Remove ${place} to have another one made, or set ${variable}.`,
  })
}
