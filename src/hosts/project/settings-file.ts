import { existsSync } from 'node:fs'
import { messageOf, type RefusedError } from '../../core/errors.ts'
import { DEFAULT_MESSAGE_LIMITS, type MessageLimits, readMessageLimits } from '../../core/message/limits.ts'
import type { People } from '../../core/notice/person.ts'
import { PAUSE_KINDS, type PauseKind } from '../../core/run/profile.ts'
import { CHAT_FAULTS, type ChatSettings, NO_CHAT_SETTINGS } from '../../core/settings/chat-settings.ts'
import { type ContextSettings, readContext } from '../../core/settings/context-settings.ts'
import {
  INTERACTIVE_FAULTS,
  type InteractiveSettings,
  NO_INTERACTIVE_SETTINGS,
} from '../../core/settings/interactive-settings.ts'
import { type McpServers, readMcpServers } from '../../core/settings/mcp-servers.ts'
import { MODEL_SETTINGS, type ModelWishes, readModelSettings } from '../../core/settings/model-settings.ts'
import { readPassedVariables } from '../../core/settings/passed-variables.ts'
import type { NotifySettings } from '../../core/settings/people/notify-settings.ts'
import type { PushSettings } from '../../core/settings/people/push-settings.ts'
import type { SignInSettings } from '../../core/settings/people/sign-in-settings.ts'
import { instructionsFilesFault } from '../../core/settings/project-instructions.ts'
import { NO_TOOL_SETTINGS, readToolSettings, type ToolSettings } from '../../core/settings/tool-settings.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/text/json.ts'
import { readJsonc } from '../process/read-text.ts'
import { projectRefusals } from '../refusals/project-refusals.ts'
import { NO_PEOPLE_SETTINGS, objectionToPeople, PEOPLE_READERS, type PeopleSettings } from './people-settings.ts'
import { type Retention, retentionFault } from './retention.ts'

/** The settings of one file; `null` for each that it leaves out. */
export interface Settings extends ToolSettings, PeopleSettings, InteractiveSettings, ChatSettings {
  readonly model: string | null
  /** How models are asked, if the agent does not say it. */
  readonly model_settings: ModelWishes
  readonly context: ContextSettings
  /** Names of the files that new runs read as instructions of the project; `null` for the usual ones. */
  readonly instructions_files: readonly string[] | null
  readonly store: string | null
  /** A path, or the name of an agent. */
  readonly agent: string | null
  readonly pause_on: readonly PauseKind[] | null
  /** What becomes of a call that policy asks about in a run that asks nobody; `null`: it runs. */
  readonly unasked: 'run' | 'refuse' | null
  /** How much a message or a tool result may bring. */
  readonly message_limits: MessageLimits
  /** The variables that commands inherit in addition to the default ones; `null` for all. */
  readonly environment: readonly string[] | null
  /** Servers whose tools agents may use; `null` if it names none. */
  readonly mcp_servers: McpServers | null
  /** Names of servers that are switched off here. */
  readonly disabled_servers: readonly string[]
  /** How many background agents run at once; `null`: as many as are started. */
  readonly max_concurrent: number | null
  /** False: no command starts the daemon by itself. */
  readonly start_daemon: boolean
  /** How long finished work is kept; `null` for as long as there is room. */
  readonly retention: Retention | null
  /** How people are reached; `null` if it names no person. */
  readonly people: People | null
  /** How notices leave; `null` if none do. */
  readonly notify: NotifySettings | null
  /** How browsers get pushes; `null` for the usual way. */
  readonly push: PushSettings | null
  /** The ways to sign in other than tokens; `null` if there are none. */
  readonly sign_in: SignInSettings | null
}

const NO_SETTINGS: Settings = {
  model: null,
  model_settings: {},
  context: {},
  instructions_files: null,
  message_limits: DEFAULT_MESSAGE_LIMITS,
  store: null,
  agent: null,
  pause_on: null,
  unasked: null,
  environment: null,
  mcp_servers: null,
  disabled_servers: [],
  max_concurrent: null,
  start_daemon: true,
  retention: null,
  people: null,
  notify: null,
  push: null,
  sign_in: null,
  ...NO_TOOL_SETTINGS,
  ...NO_INTERACTIVE_SETTINGS,
  ...NO_CHAT_SETTINGS,
  ...NO_PEOPLE_SETTINGS,
}

/** Words for a file, and the keys that it may have; all if absent. */
export interface SettingsKind {
  readonly what: string
  readonly keys?: readonly string[]
}

/** A missing file has no settings. @throws RefusedError `invalid_config` that names the file and the place. */
export async function readSettingsFile(path: string, kind: SettingsKind): Promise<Settings> {
  if (!existsSync(path)) return NO_SETTINGS
  const place = { path, ...kind }
  const document = (await readJsonc(path, { code: 'invalid_config', what: kind.what })) as Json
  if (!isJsonObject(document)) throw invalidConfig(place, 'it must be an object')
  for (const [key, value] of Object.entries(document)) {
    const problem = objectionToKey(key, kind) ?? CHECKS[key]?.(value)
    if (problem) throw invalidConfig(place, `${key}: ${problem}`)
  }
  const { mcpServers: _, context = {}, message_limits = {}, ...settings } = document
  const signIn = await signInSettingsIn(document, place)
  return {
    ...NO_SETTINGS,
    ...(settings as Partial<Settings>),
    model_settings: settingsIn(place, () => readModelSettings(document)),
    context: settingsIn(place, () => readContext(context)),
    message_limits: settingsIn(place, () => readMessageLimits(message_limits)),
    environment: settingsIn(place, () => passedIn(document)),
    ...settingsIn(place, () => readToolSettings(document)),
    ...peopleSettingsIn(document, place, signIn),
    ...mcpServersIn(document, place),
    ...(await notifySettingsIn(document, place)),
    push: await pushSettingsIn(document, place),
    sign_in: signIn?.settings ?? null,
  }
}

interface SettingsPlace extends SettingsKind {
  readonly path: string
}

function objectionToKey(key: string, { keys = Object.keys(CHECKS) }: SettingsKind): string | null {
  if (keys.includes(key)) return null
  if (Object.hasOwn(CHECKS, key)) return 'only a project may set this; write it into its .holdpoint/config.json'
  return `known keys are ${keys.join(', ')}`
}

function passedIn({ environment }: JsonObject): readonly string[] | null {
  return environment === undefined ? null : readPassedVariables(environment)
}

function peopleSettingsIn(
  document: JsonObject,
  place: SettingsPlace,
  signIn: ReadSignIn | null,
): Partial<PeopleSettings> {
  const entries = Object.entries(PEOPLE_READERS).flatMap(([key, read]) => {
    const value = document[key]
    return value === undefined ? [] : [[key, settingsIn(place, () => read(value))]]
  })
  const { proven_groups = null } = signIn ?? {}
  const settings: Partial<PeopleSettings> = { ...Object.fromEntries(entries), proven_groups }
  const problem = objectionToPeople(settings)
  if (problem) throw invalidConfig(place, problem)
  return settings
}

function settingsIn<T>(place: SettingsPlace, read: () => T): T {
  try {
    return read()
  } catch (thrown) {
    throw invalidConfig(place, messageOf(thrown))
  }
}

/** Other clients spell it `mcpServers`, and people copy what they have. */
function mcpServersIn(
  document: JsonObject,
  place: SettingsPlace,
): Pick<Settings, 'mcp_servers' | 'disabled_servers'> | null {
  const { mcp_servers: ours, mcpServers: theirs } = document
  if (ours !== undefined && theirs !== undefined)
    throw invalidConfig(place, 'it has both mcp_servers and mcpServers, which are the same; keep one')
  const written = ours === undefined ? theirs : ours
  if (written === undefined) return null
  const mcp_servers = settingsIn(place, () => readMcpServers(written))
  const disabled_servers = Object.keys(written as JsonObject).filter(name => !Object.hasOwn(mcp_servers, name))
  return { mcp_servers, disabled_servers }
}

/** Loaded if it is needed: only hosts that send notices read more of it than its validity. */
async function notifySettingsIn(
  { people: writtenPeople, notify: writtenNotify }: JsonObject,
  place: SettingsPlace,
): Promise<Pick<Settings, 'people' | 'notify'>> {
  if (writtenPeople === undefined && writtenNotify === undefined) return { people: null, notify: null }
  const { objectionToNotify, readNotify } = await import('../../core/settings/people/notify-settings.ts')
  const { readPeople } = await import('../../core/settings/people/person-settings.ts')
  const people = writtenPeople === undefined ? null : settingsIn(place, () => readPeople(writtenPeople))
  const notify = writtenNotify === undefined ? null : settingsIn(place, () => readNotify(writtenNotify))
  const problem = objectionToNotify(notify, people)
  if (problem) throw invalidConfig(place, problem)
  return { people, notify }
}

/** Loaded if it is needed: servers alone send pushes. */
async function pushSettingsIn({ push }: JsonObject, place: SettingsPlace): Promise<PushSettings | null> {
  if (push === undefined) return null
  const { readPush } = await import('../../core/settings/people/push-settings.ts')
  return settingsIn(place, () => readPush(push))
}

/** Loaded if it is needed: servers alone read more of it than that it is right. */
async function signInSettingsIn({ sign_in }: JsonObject, place: SettingsPlace): Promise<ReadSignIn | null> {
  if (sign_in === undefined) return null
  const { provenGroupNames, readSignIn } = await import('../../core/settings/people/sign-in-settings.ts')
  const settings = settingsIn(place, () => readSignIn(sign_in))
  const names = provenGroupNames(settings)
  return { settings, proven_groups: names.length > 0 ? names : null }
}

interface ReadSignIn extends Pick<PeopleSettings, 'proven_groups'> {
  readonly settings: SignInSettings
}

type Check = (value: Json) => string | null

// biome-ignore format: a list of words
const READ_LATER = [
  'people', 'notify', 'push', 'sign_in', 'due', 'deciders', 'groups', 'approval_answers',
  'message_limits', 'context', 'environment', 'fetch_url', 'box', 'mcp_servers', 'mcpServers',
]

const CHECKS: Readonly<Record<string, Check>> = {
  $schema: value => (typeof value === 'string' ? null : 'must be text'),
  model: text,
  store: text,
  agent: text,
  pause_on: value =>
    Array.isArray(value) && value.every(kind => (PAUSE_KINDS as readonly Json[]).includes(kind))
      ? null
      : `must be a list of any of ${PAUSE_KINDS.join(', ')}`,
  instructions_files: instructionsFilesFault,
  unasked: value => (value === 'run' || value === 'refuse' ? null : 'must be "run" or "refuse"'),
  ...INTERACTIVE_FAULTS,
  ...CHAT_FAULTS,
  // The reader of each of these reports the fault, once the keys are known.
  ...Object.fromEntries([...Object.values(MODEL_SETTINGS), ...READ_LATER].map(key => [key, () => null])),
  max_concurrent: value => (Number.isSafeInteger(value) && Number(value) >= 1 ? null : 'must be a whole number from 1'),
  start_daemon: value => (typeof value === 'boolean' ? null : 'must be true or false'),
  retention: value => retentionFault(value),
}

function text(value: Json): string | null {
  if (typeof value !== 'string' || value === '') return 'must be text'
  return value.includes('\0') ? 'must be text without NUL characters' : null
}

function invalidConfig({ path, what }: SettingsPlace, problem: string): RefusedError {
  return projectRefusals.invalidConfig(what, path, problem)
}
