/** The options by which Holdpoint is opened, and their check. */

import { RefusedError } from '../../core/errors.ts'
import { DEFAULT_MESSAGE_LIMITS, type MessageLimits, readMessageLimits } from '../../core/message/limits.ts'
import type { Groups } from '../../core/people/groups.ts'
import type { DecidersOptions, DueOptions } from '../../core/people/people-options.ts'
import type { ApprovalAnswers, Profile } from '../../core/run/profile.ts'
import { type BoxWish, NO_BOX_WISH, readBoxWish } from '../../core/settings/box-wish.ts'
import { readFetchSettings } from '../../core/settings/fetch-settings.ts'
import { type McpServers, readMcpServers } from '../../core/settings/mcp-servers.ts'
import { readPassedVariables } from '../../core/settings/passed-variables.ts'
import { type PriceOptions, type Prices, readPriceOptions } from '../../core/settings/prices.ts'
import { understood } from '../../core/settings/understood.ts'
import { nodeFault, platformFault } from '../../core/supported-platform.ts'
import type { Clock } from '../../ports/clock.ts'
import type { EventSink } from '../../ports/event-sink.ts'
import { PASS_ALL, type Passed } from '../../ports/process/command-environment.ts'
import type { Store } from '../../ports/store/store.ts'
import type { AgentDefinition } from '../agents/define-agent.ts'
import { objectionToPeople, PEOPLE_READERS, type PeopleSettings } from '../project/people-settings.ts'
import { projectRefusals } from '../refusals/project-refusals.ts'

export type { Price, Prices } from '../../core/settings/prices.ts'

/** The options of `openHoldpoint`. An unknown one is refused. */
export interface OpenOptions {
  /**
   * `sqlite:PATH` (default `sqlite:.holdpoint/holdpoint.db`), `postgres://…`, `memory:`, or a store object that passes `storeContract` of
   * `holdpoint/testing`. A store that is opened here is closed here; the caller closes an object, after Holdpoint.
   */
  readonly store?: string | Store
  /** The agents that runs may name. */
  readonly agents?: readonly AgentDefinition[]
  /** The directory of relative paths and of tools. Default: the working directory of the process. */
  readonly directory?: string
  /** The source of keys, addresses and defaults. Default: the environment of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Receives each event: durable ones after they are durable, ephemeral ones as they happen. */
  readonly onEvent?: EventSink
  /** Time, for tests: `handClock` of `holdpoint/testing` is one. It needs all of `now`, `steady` and `sleep`. */
  readonly clock?: Clock
  /** How long people have to decide, if the hold, its tool and its agent set no deadline. Default: without limit. */
  readonly due?: DueOptions
  /** The deciders, if neither the tool nor the agent names any. Default: everybody but the agent itself. */
  readonly deciders?: DecidersOptions
  /** The members of each `@group`. */
  readonly groups?: Groups
  /** How a text that answers an approval is read. Default: `tolerant`. */
  readonly approvalAnswers?: ApprovalAnswers
  /** How much a message or a tool result may bring. Default: 20 parts, 5 MB each, 20 MB together. */
  readonly messageLimits?: Partial<MessageLimits>
  /** What models cost, by name or by a glob over names; the first that matches counts. Runs keep the prices with which they began. */
  readonly prices?: Readonly<Record<string, PriceOptions>>
  /**
   * How long a hook of a plugin may take, or what a tool is asked of a call before it runs: `needsApproval`,
   * `demandsApproval`, `preview`, the check of its arguments. Default: 10.
   */
  readonly codeTimeoutSeconds?: number
  /**
   * The variables that commands of agents inherit beside PATH, HOME and the like: names, `*` for any characters. Default:
   * all variables, but none of Holdpoint's secrets.
   */
  readonly environment?: { readonly pass: readonly string[] }
  /** Hosts that the tool `fetch_url` reaches although they are private, each with or without a port. Default: none. */
  readonly fetchUrl?: { readonly allow: readonly string[] }
  /** Of the boxes of commands that the policy calls `box`, as `box` in the settings of a project. */
  readonly box?: Partial<BoxWish>
  /** MCP servers whose tools agents may use as `server__tool`, in the shape of `mcpServers` in other clients. Default: none. */
  readonly mcpServers?: Readonly<Record<string, McpServerOptions>>
}

/** A server that Holdpoint starts, or one that it reaches by HTTP. `${NAME}` and `${NAME:-default}` are expanded. */
export type McpServerOptions = McpServerTerms &
  (
    | { readonly command: string; readonly args?: readonly string[]; readonly env?: Readonly<Record<string, string>> }
    | { readonly url: string; readonly headers?: Readonly<Record<string, string>> }
  )

/** How far a server is trusted, and how long it may take. */
export interface McpServerTerms {
  /** If true, Holdpoint believes the server when it calls its own tools harmless or repeatable. Default: false. */
  readonly trusted?: boolean
  readonly disabled?: boolean
  /** How long a call may take without a sign of life. Default: 120. */
  readonly timeoutSeconds?: number
}

const OPTIONS: Record<keyof OpenOptions, true> = {
  store: true,
  agents: true,
  directory: true,
  env: true,
  onEvent: true,
  clock: true,
  due: true,
  deciders: true,
  groups: true,
  approvalAnswers: true,
  messageLimits: true,
  prices: true,
  codeTimeoutSeconds: true,
  environment: true,
  fetchUrl: true,
  box: true,
  mcpServers: true,
}

/** @throws RefusedError `unsupported_platform`, or `invalid_options` that names the first option that is not known */
export function checkOpenOptions(options: OpenOptions): void {
  const fault = nodeFault(process.versions.node) ?? platformFault(process.platform)
  if (fault !== null) throw new RefusedError('unsupported_platform', fault)
  const unknown = Object.keys(options).find(key => !Object.hasOwn(OPTIONS, key))
  if (unknown === undefined) return
  throw invalidOptions(`there is no option ${JSON.stringify(unknown)}; known: ${Object.keys(OPTIONS).join(', ')}`)
}

export interface AppOptions extends OpenOptions {
  /** The limits of agents that are started as tasks, but not by a run. Default: there are no such tasks. */
  readonly bounds?: () => Promise<Profile>
  /** How many background agents run at once; more wait for their turn. Default: there is no limit. */
  readonly maxConcurrent?: number | null
  /** If true, a store that is not there is refused instead of made: looking and resuming make none. Default: false. */
  readonly mustExist?: boolean
}

/** A run names its agent, so each name means one. @throws RefusedError `invalid_options` */
export function agentsOf({ agents = [] }: OpenOptions): readonly AgentDefinition[] {
  if (!Array.isArray(agents)) throw invalidOptions('agents is no list; write `agents: [agent]`')
  const odd = agents.findIndex(agent => (agent as AgentDefinition | null)?.kind !== 'agent')
  if (odd >= 0) throw invalidOptions(`agents[${odd}] is no agent; make it with defineAgent`)
  const names = agents.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw invalidOptions(`two of its agents are named ${JSON.stringify(twice)}; rename one`)
  return agents
}

/** @throws RefusedError `invalid_options` */
export function mcpServersOf({ mcpServers: given }: OpenOptions): McpServers {
  return understood(given, readMcpServers, invalidOptions) ?? {}
}

/** @throws RefusedError `invalid_options` */
export function passedOf({ environment: given, fetchUrl, box: wished }: OpenOptions): Passed {
  const hosts = understood(fetchUrl, readFetchSettings, invalidOptions)?.allow ?? []
  const box = understood(wished, readBoxWish, invalidOptions) ?? NO_BOX_WISH
  return { ...PASS_ALL, only: understood(given, readPassedVariables, invalidOptions) ?? null, hosts, box }
}

/** @throws RefusedError `invalid_options` */
export function messageLimitsOf({ messageLimits: given }: OpenOptions): MessageLimits {
  return understood(given, readMessageLimits, invalidOptions) ?? DEFAULT_MESSAGE_LIMITS
}

/** In milliseconds. @throws RefusedError `invalid_options` */
/** A clock without `steady` is refused: another one beside it would tell other times. @throws RefusedError `invalid_options` */
export function clockOf({ clock }: OpenOptions): Clock | undefined {
  if (clock === undefined) return clock
  const missing = CLOCK.filter(name => typeof clock?.[name] !== 'function')
  if (missing.length === 0) return clock
  throw invalidOptions(`clock has no ${missing.map(name => `${name}()`).join(', ')}`)
}

const CLOCK: readonly (keyof Clock)[] = ['now', 'steady', 'sleep']

export function codeTimeoutOf({ codeTimeoutSeconds: given }: OpenOptions): { readonly codeTimeoutMs?: number } {
  if (given === undefined) return {}
  if (typeof given === 'number' && given > 0 && Number.isFinite(given)) return { codeTimeoutMs: given * 1000 }
  throw invalidOptions('codeTimeoutSeconds is no number of seconds above 0')
}

function invalidOptions(problem: string): RefusedError {
  return projectRefusals.invalidOptions(problem)
}

/** The settings of all runs that are started here. @throws RefusedError `invalid_options` */
export function runSettingsOf(options: OpenOptions): {
  readonly people: PeopleSettings
  readonly prices: Prices | null
} {
  const prices = understood(options.prices, readPriceOptions, invalidOptions)
  return { people: peopleSettingsOf(options), prices }
}

function peopleSettingsOf({ due, deciders, groups, approvalAnswers }: OpenOptions): PeopleSettings {
  const given = { due, deciders, groups, approval_answers: approvalAnswers }
  const entries = Object.entries(PEOPLE_READERS).map(([key, read]) => [
    key,
    understood(given[key as keyof typeof given], read, invalidOptions),
  ])
  const settings: PeopleSettings = Object.fromEntries(entries)
  const problem = objectionToPeople(settings)
  if (problem) throw invalidOptions(problem)
  return settings
}
