/**
 * The programs that a project starts by its configuration are trusted once by a person.
 * T1  All of their settings are digested, so any change of them asks anew. The files that they name are not.
 * T2  The record is in the user's own configuration directory, because a project may not vouch for itself.
 */

import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf } from '../../core/errors.ts'
import { canonicalJson, type JsonObject } from '../../core/text/json.ts'
import { makePrivateDirectory } from '../process/private-directory.ts'
import { projectRefusals } from '../refusals/project-refusals.ts'
import { isAgentName, isModule } from './agent-files.ts'
import { type ConfiguredDirectory, chosenAgentFile, type ProjectConfig } from './project.ts'
import { projectRoot } from './project-root.ts'
import { programLines, type StartedPrograms } from './started-programs.ts'
import { userDirectory } from './user-directory.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** @throws RefusedError `project_not_trusted`; nothing of the project was started. */
export async function refuseUntrusted(
  directory: string,
  { programs: started }: Pick<ProjectConfig, 'programs'>,
  env: Environment,
): Promise<void> {
  if (started === null) return
  const root = projectRoot(directory)
  const known = await knownDigest(root, env)
  if (known === (await digestOf(started))) return
  const since = known === null ? 'has parts that you have not trusted yet' : 'changed since you trusted it'
  throw projectRefusals.projectNotTrusted(root, since, programLines(started))
}

/**
 * The file of `chosenAgentFile`, to be loaded at once: a path on the command line is the word of its user, and needs
 * no trust. @throws RefusedError `project_not_trusted`
 */
export async function trustedAgentFile(named: string | null, deps: ConfiguredDirectory): Promise<string | null> {
  const file = chosenAgentFile(named, deps)
  const isOwnPath = named !== null && !isAgentName(named)
  if (file !== null && isModule(file) && !isOwnPath) await refuseUntrusted(deps.directory, deps.config, deps.env)
  return file
}

/** Records that this user trusts what the project starts now. @throws RefusedError `unusable_directory` */
export async function recordTrust(below: string, started: StartedPrograms, env: Environment): Promise<void> {
  const directory = projectRoot(below)
  const { folder, file } = await recordPlace(directory, env)
  const record = { directory: realpathSync(directory), digest: await digestOf(started), at: new Date().toISOString() }
  try {
    makePrivateDirectory(folder)
    writeFileSync(file, `${JSON.stringify(record)}\n`, { mode: 0o600 })
  } catch (cause) {
    throw projectRefusals.trustNotKept(folder, messageOf(cause), cause)
  }
}

export async function isTrusted(directory: string, started: StartedPrograms, env: Environment): Promise<boolean> {
  return (await knownDigest(projectRoot(directory), env)) === (await digestOf(started))
}

async function knownDigest(directory: string, env: Environment): Promise<string | null> {
  const { file } = await recordPlace(directory, env)
  if (!existsSync(file)) return null
  try {
    const record = JSON.parse(readFileSync(file, 'utf8')) as { directory?: unknown; digest?: unknown }
    return record.directory === realpathSync(directory) && typeof record.digest === 'string' ? record.digest : null
  } catch {
    // A broken record is none.
    return null
  }
}

async function recordPlace(directory: string, env: Environment): Promise<{ folder: string; file: string }> {
  const folder = join(userDirectory(env), 'trusted')
  return { folder, file: join(folder, `${(await sha256(realpathSync(directory))).slice(0, 32)}.json`) }
}

async function digestOf(started: StartedPrograms): Promise<string> {
  return `sha256:${await sha256(canonicalJson(started as unknown as JsonObject))}`
}

/** Loaded when it is needed: most projects start nothing. */
async function sha256(text: string): Promise<string> {
  return (await import('node:crypto')).createHash('sha256').update(text).digest('hex')
}
