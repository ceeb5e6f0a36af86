import { hash, randomBytes } from 'node:crypto'
import { existsSync, lstatSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { messageOf, type RefusedError } from '../../core/errors.ts'
import { makePrivateDirectory } from '../process/private-directory.ts'
import { makeProjectDirectory, projectDirectory } from '../project/project.ts'
import { projectRoot } from '../project/project-root.ts'
import { userStateDirectory } from '../project/user-directory.ts'
import { serverRefusals } from '../refusals/server-refusals.ts'

type Environment = Readonly<Record<string, string | undefined>>

export interface OwnSecret {
  readonly secret: string
  /** The origin of the secret, for people. */
  readonly place: string
}

/** The places in which a server finds a secret of its owner. */
export interface SecretPlaces {
  readonly variable: string
  readonly file: string
  /** Whether it is kept below `.holdpoint/`, or with the state of the user: agents work below the project. */
  readonly keptBy: 'project' | 'user'
}

export const MCP_TOKEN: SecretPlaces = { variable: 'HOLDPOINT_MCP_TOKEN', file: 'mcp-token', keptBy: 'user' }
export const SERVER_TOKEN: SecretPlaces = {
  variable: 'HOLDPOINT_SERVER_TOKEN',
  file: 'server-token',
  keptBy: 'user',
}
/** Seals what clients carry from one request to the next, over restarts and between servers, and records (`SealKey`). */
export const SEAL_KEY: SecretPlaces = { variable: 'HOLDPOINT_SEAL_KEY', file: 'seal-key', keptBy: 'project' }

const SECRET_BYTES = 32
const SHORTEST = 16
/** Length of the digest that names a project. */
const ID_DIGITS = 16
const OWNER_ONLY = 0o600
const OTHERS = 0o077

/**
 * A secret of the person who starts a server: from the environment, or from a file that no other user can read, and
 * that is made if it is missing. @throws RefusedError `unusable_token`
 */
export function ownSecret(places: SecretPlaces, directory: string, env: Environment): OwnSecret {
  const { variable } = places
  const given = givenSecret(places, env)
  if (given !== null) return { secret: given, place: variable }
  if (places.keptBy === 'project') makeProjectDirectory(directory)
  const path = secretFile(places, directory, env)
  const at = { place: path, variable }
  const leftover = leftoverSecret(places, directory)
  const secret = leftover && keptUnlessGone({ ...at, place: leftover })
  const made = secret ?? randomBytes(SECRET_BYTES).toString('base64url')
  const isNew = write(made, at)
  if (leftover !== null) rmSync(leftover, { force: true })
  return { secret: isNew ? made : kept(at), place: path }
}

/** Another process may move it at the same moment. */
function keptUnlessGone(at: SecretPlace): string | null {
  try {
    return kept(at)
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return null
    throw thrown
  }
}

/** The file with the secret for the project around a directory. It need not exist. */
export function secretFile(places: Pick<SecretPlaces, 'file' | 'keptBy'>, directory: string, env: Environment): string {
  if (places.keptBy === 'project') return join(projectDirectory(directory), places.file)
  const project = hash('sha256', realpathSync(projectRoot(directory)), 'hex').slice(0, ID_DIGITS)
  return join(userStateDirectory(env), 'secrets', project, places.file)
}

/** The file below the project in which older versions kept a secret of the user; `null` if there is none. */
export function leftoverSecret({ file, keptBy }: SecretPlaces, directory: string): string | null {
  const path = join(projectDirectory(directory), file)
  return keptBy === 'user' && existsSync(path) ? path : null
}

/** False if it is there already. Only one of several processes makes it, and never through a link. */
function write(secret: string, at: SecretPlace): boolean {
  try {
    makePrivateDirectory(dirname(at.place))
    writeFileSync(at.place, `${secret}\n`, { flag: 'wx', mode: OWNER_ONLY })
    return true
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'EEXIST') return false
    throw serverRefusals.unusableToken(at.place, messageOf(thrown), at.variable)
  }
}

/** The secret in the environment; `null` if there is none. @throws RefusedError `unusable_token` */
export function givenSecret({ variable }: Pick<SecretPlaces, 'variable'>, env: Environment): string | null {
  const given = env[variable]
  return given ? checked(given, { place: variable, variable }) : null
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
  return serverRefusals.unusable(place, problem, variable)
}
