import { dirname, join, resolve } from 'node:path'
import { MODEL_SETTINGS } from '../../core/settings/model-settings.ts'
import { isAgentName } from './agent-files.ts'
import { readSettingsFile, type Settings } from './settings-file.ts'
import { userDirectory } from './user-directory.ts'

/**
 * The keys of a user's own configuration. Deciders, deadlines and what commands inherit belong to a project: they must
 * not depend on the user who starts a run.
 */
export const USER_KEYS: readonly string[] = [
  '$schema',
  'model',
  ...Object.values(MODEL_SETTINGS),
  'context',
  'instructions_files',
  'agent',
  'pause_on',
  'bell',
  'prices',
  'mcp_servers',
  'mcpServers',
]

export function userConfigFile(env: Readonly<Record<string, string | undefined>>): string {
  return join(userDirectory(env), 'config.json')
}

/**
 * The settings of this user for every project. They need no trust. @throws RefusedError `invalid_config` that names
 * the file.
 */
export async function readUserSettings(env: Readonly<Record<string, string | undefined>>): Promise<Settings> {
  const path = userConfigFile(env)
  const settings = await readSettingsFile(path, { what: 'Your own configuration', keys: USER_KEYS })
  const { agent, model } = settings
  const beside = (file: string) => resolve(dirname(path), file)
  return {
    ...settings,
    agent: agent === null || isAgentName(agent) ? agent : beside(agent),
    model: model?.startsWith('script:') ? `script:${beside(model.slice('script:'.length))}` : model,
  }
}

/** The settings of a project, completed by those of the user. A setting of the project has priority. */
export function completedBy(user: Settings, project: Settings): Settings {
  const { mcp_servers, disabled_servers } = project
  const servers = Object.entries(user.mcp_servers ?? {}).filter(([name]) => !disabled_servers.includes(name))
  return {
    ...project,
    model: project.model ?? user.model,
    model_settings: { ...user.model_settings, ...project.model_settings },
    context: { ...user.context, ...project.context },
    instructions_files: project.instructions_files ?? user.instructions_files,
    agent: project.agent ?? user.agent,
    pause_on: project.pause_on ?? user.pause_on,
    bell: project.bell ?? user.bell,
    prices: { ...project.prices, ...user.prices },
    mcp_servers: servers.length === 0 ? mcp_servers : { ...Object.fromEntries(servers), ...mcp_servers },
  }
}
