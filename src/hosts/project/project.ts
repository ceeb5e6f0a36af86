import { existsSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { messageOf, RefusedError } from '../../core/errors.ts'
import { DEFAULT_MESSAGE_LIMITS, type MessageLimits, readMessageLimits } from '../../core/message/limits.ts'
import type { Policy } from '../../core/policy/policy.ts'
import { readPolicy } from '../../core/policy/read-policy.ts'
import { PAUSE_KINDS, type PauseKind } from '../../core/run/profile.ts'
import { type McpServers, readMcpServers } from '../../core/settings/mcp-servers.ts'
import { MODEL_SETTINGS, type ModelWishes, readModelSettings } from '../../core/settings/model-settings.ts'
import { readPassedVariables } from '../../core/settings/passed-variables.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/text/json.ts'
import { makePrivateDirectory } from '../process/private-directory.ts'
import { readJsonc } from '../process/read-text.ts'
import { NO_PEOPLE_SETTINGS, objectionToPeople, PEOPLE_READERS, type PeopleSettings } from './people-settings.ts'
import { projectRoot } from './project-root.ts'
import { type Retention, retentionFault } from './retention.ts'

/** Settings of the project in a directory: `.holdpoint/config.json`, if there is one. */
export interface ProjectConfig extends PeopleSettings {
  readonly model: string | null
  /** How models are asked, if the agent does not say it. */
  readonly model_settings: ModelWishes
  readonly store: string | null
  readonly agent: string | null
  readonly pause_on: readonly PauseKind[] | null
  /** How much a message or a tool result may bring. */
  readonly message_limits: MessageLimits
  /** The variables that commands inherit beside the usual ones; `null` for all. */
  readonly environment: readonly string[] | null
  /** Servers whose tools agents may use; `null` if it names none. */
  readonly mcp_servers: McpServers | null
  /** How long finished work is kept; `null` for as long as there is room. */
  readonly retention: Retention | null
  /** The directory above that has the `.holdpoint/`; `null` if it is the one that was asked about. */
  readonly root: string | null
}

const NO_CONFIG: ProjectConfig = {
  model: null,
  model_settings: {},
  message_limits: DEFAULT_MESSAGE_LIMITS,
  store: null,
  agent: null,
  pause_on: null,
  environment: null,
  mcp_servers: null,
  retention: null,
  root: null,
  ...NO_PEOPLE_SETTINGS,
}

export function projectDirectory(directory: string): string {
  return join(projectRoot(directory), '.holdpoint')
}

/** If `.holdpoint/` is missing, makes it with its own `.gitignore`. @throws RefusedError `unusable_directory` */
export function makeProjectDirectory(directory: string): string {
  const path = projectDirectory(directory)
  const ignore = join(path, '.gitignore')
  try {
    makePrivateDirectory(path)
    if (!existsSync(ignore)) writeFileSync(ignore, IGNORED, { mode: 0o600 })
  } catch (cause) {
    throw new RefusedError('unusable_directory', `Runs cannot be kept in ${path}: ${messageOf(cause)}.`, {
      hint: 'Make it a directory that may be written, change into another one, or name a store elsewhere with --store.',
      cause,
    })
  }
  return path
}

/** Settings are shared with the project; what runs leave behind is not. */
const IGNORED = '*\n!.gitignore\n!config.json\n!policy.json\n'

/** @throws RefusedError `invalid_config` that names the place. */
export async function readConfig(directory: string): Promise<ProjectConfig> {
  const root = projectRoot(directory)
  const config = await readSettings(root)
  return root === directory ? config : { ...config, ...locatedIn(root, config) }
}

/** Paths in the settings are those of the project, wherever below it the command was started. `agent` stays as trusted. */
function locatedIn(root: string, { store, model }: ProjectConfig): Partial<ProjectConfig> {
  const file = store?.startsWith('sqlite:') ? store.slice('sqlite:'.length) : ''
  return {
    root,
    store: file === '' ? store : `sqlite:${resolve(root, file)}`,
    model: model?.startsWith('script:') ? `script:${resolve(root, model.slice('script:'.length))}` : model,
  }
}

async function readSettings(directory: string): Promise<ProjectConfig> {
  const path = join(directory, '.holdpoint', 'config.json')
  if (!existsSync(path)) return NO_CONFIG
  const document = (await readJsonc(path, { code: 'invalid_config', what: 'The project configuration' })) as Json
  if (!isJsonObject(document)) throw invalidConfig(path, 'it must be an object')
  for (const [key, value] of Object.entries(document)) {
    const problem = Object.hasOwn(CHECKS, key)
      ? CHECKS[key]?.(value)
      : `known keys are ${Object.keys(CHECKS).join(', ')}`
    if (problem) throw invalidConfig(path, `${key}: ${problem}`)
  }
  const { mcpServers: _, ...settings } = document
  return {
    ...NO_CONFIG,
    ...(settings as Partial<ProjectConfig>),
    model_settings: settingsIn(path, () => readModelSettings(document)),
    message_limits: settingsIn(path, () => readMessageLimits(document['message_limits'] ?? {})),
    environment: settingsIn(path, () => passedIn(document)),
    ...peopleSettingsIn(document, path),
    mcp_servers: mcpServersIn(document, path),
  }
}

function passedIn({ environment }: JsonObject): readonly string[] | null {
  return environment === undefined ? null : readPassedVariables(environment)
}

function peopleSettingsIn(document: JsonObject, path: string): Partial<PeopleSettings> {
  const entries = Object.entries(PEOPLE_READERS).flatMap(([key, read]) => {
    const value = document[key]
    if (value === undefined) return []
    try {
      return [[key, read(value)]]
    } catch (thrown) {
      throw invalidConfig(path, messageOf(thrown))
    }
  })
  const settings: Partial<PeopleSettings> = Object.fromEntries(entries)
  const problem = objectionToPeople(settings)
  if (problem) throw invalidConfig(path, problem)
  return settings
}

function settingsIn<T>(path: string, read: () => T): T {
  try {
    return read()
  } catch (thrown) {
    throw invalidConfig(path, messageOf(thrown))
  }
}

/** Other clients spell it `mcpServers`, and people copy what they have. */
function mcpServersIn(document: JsonObject, path: string): McpServers | null {
  const { mcp_servers: ours, mcpServers: theirs } = document
  if (ours !== undefined && theirs !== undefined)
    throw invalidConfig(path, 'it has both mcp_servers and mcpServers, which are the same; keep one')
  const written = ours ?? theirs
  if (written === undefined) return null
  try {
    return readMcpServers(written)
  } catch (thrown) {
    throw invalidConfig(path, messageOf(thrown))
  }
}

type Check = (value: Json) => string | null

const CHECKS: Readonly<Record<string, Check>> = {
  $schema: () => null,
  model: text,
  store: text,
  agent: text,
  pause_on: value =>
    Array.isArray(value) && value.every(kind => (PAUSE_KINDS as readonly Json[]).includes(kind))
      ? null
      : `must be a list of any of ${PAUSE_KINDS.join(', ')}`,
  // The reader of each of these says what is wrong, once the keys are known.
  ...Object.fromEntries(Object.values(MODEL_SETTINGS).map(key => [key, () => null])),
  retention: value => retentionFault(value),
  due: () => null,
  deciders: () => null,
  groups: () => null,
  approval_answers: () => null,
  message_limits: () => null,
  environment: () => null,
  mcp_servers: () => null,
  mcpServers: () => null,
}

function text(value: Json): string | null {
  if (typeof value !== 'string' || value === '') return 'must be text'
  return value.includes('\0') ? 'must be text without NUL characters' : null
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

function invalidConfig(path: string, problem: string): RefusedError {
  return new RefusedError('invalid_config', `The project configuration ${path} cannot be used: ${problem}.`, {
    hint: 'Correct the file; nothing was run.',
  })
}
