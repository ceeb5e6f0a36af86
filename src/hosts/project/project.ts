import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { messageOf } from '../../core/errors.ts'
import type { Policy } from '../../core/policy/policy.ts'
import { readPolicy } from '../../core/policy/read-policy.ts'
import type { Json } from '../../core/text/json.ts'
import { ignoreWithin, makePrivateDirectory } from '../process/private-directory.ts'
import { readJsonc } from '../process/read-text.ts'
import { projectRefusals } from '../refusals/project-refusals.ts'
import { agentFile } from './agent-files.ts'
import { projectRoot } from './project-root.ts'
import { readSettingsFile, type Settings } from './settings-file.ts'
import { type StartedPrograms, startedPrograms } from './started-programs.ts'
import { completedBy, readUserSettings } from './user-settings.ts'

/** The settings of a directory: `.holdpoint/config.json` of its project, completed by the user's own configuration. */
export interface ProjectConfig extends Settings {
  /** The directory above that has the `.holdpoint/`; `null` if it is the one that was asked about. */
  readonly root: string | null
  /** The programs that the project starts, and must be trusted for; `null` if it starts none. */
  readonly programs: StartedPrograms | null
}

export function projectDirectory(directory: string): string {
  return join(projectRoot(directory), '.holdpoint')
}

/** If `.holdpoint/` is missing, makes it with its own `.gitignore`. @throws RefusedError `unusable_directory` */
export function makeProjectDirectory(directory: string): string {
  return makeProjectIn(projectRoot(directory))
}

/** Does what `makeProjectDirectory` does, also below another project. */
export function makeProjectIn(root: string): string {
  const path = join(root, '.holdpoint')
  try {
    makePrivateDirectory(path)
    ignoreWithin(path, IGNORED)
  } catch (cause) {
    throw projectRefusals.unusableDirectory(path, messageOf(cause), cause)
  }
  return path
}

/** Settings are shared with the project; files of runs are not. */
const IGNORED = '*\n!.gitignore\n!config.json\n!policy.json\n!agents/\n!agents/**\n'

/** @throws RefusedError `invalid_config` that names the file and the place. */
export async function readConfig(
  directory: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<ProjectConfig> {
  const root = projectRoot(directory)
  const path = join(root, '.holdpoint', 'config.json')
  const own = await readSettingsFile(path, { what: 'The project configuration' })
  const located = root === directory ? own : { ...own, ...locatedIn(root, own) }
  const settings = completedBy(await readUserSettings(env), located)
  return { ...settings, root: root === directory ? null : root, programs: startedPrograms(root, own) }
}

/** Paths in the settings are those of the project, wherever below it the command was started. */
function locatedIn(root: string, { store, model }: Settings): Partial<Settings> {
  const file = store?.startsWith('sqlite:') ? store.slice('sqlite:'.length) : ''
  return {
    store: file === '' ? store : `sqlite:${resolve(root, file)}`,
    model: model?.startsWith('script:') ? `script:${resolve(root, model.slice('script:'.length))}` : model,
  }
}

/**
 * The file of the agent that is named by a flag, or else by the configuration; `null` if neither names one.
 * @throws RefusedError `unknown_agent`
 */
export function chosenAgentFile(named: string | null, { directory, env, config }: ConfiguredDirectory): string | null {
  const root = config.root ?? directory
  if (named !== null) return agentFile(named, { base: directory, root, env })
  return config.agent === null ? null : agentFile(config.agent, { base: root, root, env })
}

/** A directory, absolute, with the settings that hold there. */
export interface ConfiguredDirectory {
  readonly directory: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly config: ProjectConfig
}

/** The policy of the project in a directory; `null` if it has none. @throws RefusedError `invalid_policy` */
export async function readProjectPolicy(directory: string): Promise<Policy | null> {
  const path = join(projectDirectory(directory), 'policy.json')
  return existsSync(path) ? readPolicyFile(path) : null
}

/** @throws RefusedError `invalid_policy` that names the place. */
export async function readPolicyFile(path: string): Promise<Policy> {
  return readPolicy((await readJsonc(path, { code: 'invalid_policy', what: 'The policy' })) as Json, path)
}
