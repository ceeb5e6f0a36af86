/** The only file that names adapters: puts a runtime together. */
import { resolve } from 'node:path'
import { messageOf, RefusedError } from '../../core/errors.ts'
import { DEFAULT_MESSAGE_LIMITS, type MessageLimits, readMessageLimits } from '../../core/message/limits.ts'
import type { Groups } from '../../core/people/groups.ts'
import type { DecidersOptions, DueOptions } from '../../core/people/people-options.ts'
import type { ApprovalAnswers, Profile } from '../../core/run/profile.ts'
import { type McpServers, readMcpServers } from '../../core/settings/mcp-servers.ts'
import { understood } from '../../core/settings/understood.ts'
import type { AiSdkModel, Model } from '../../ports/agent/model.ts'
import type { CheckSchema, Fit } from '../../ports/agent/schema.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Dispatcher } from '../../ports/dispatcher.ts'
import type { EventSink } from '../../ports/event-sink.ts'
import type { ProcessNames } from '../../ports/process/process-names.ts'
import type { TaskManager } from '../../ports/process/task-manager.ts'
import type { Store } from '../../ports/store/store.ts'
import type { ControlDeps } from '../../runtime/agent-tasks/controls/controls.ts'
import type { Holdpoint } from '../../runtime/face/holdpoint.ts'
import { EmbeddedHoldpoint } from '../../runtime/holdpoint.ts'
import { openStore } from '../../stores/open-store.ts'
import type { TaskDeps } from '../../tasks/settled-tasks.ts'
import type { SupervisorNeeds } from '../../tasks/supervisor/supervise.ts'
import { builtInTools } from '../../tools/built-in-tools.ts'
import { AgentRegistry } from '../agents/agent-registry.ts'
import type { AgentDefinition } from '../agents/define-agent.ts'
import { ownProgram } from '../process/own-program.ts'
import { processLiveness } from '../process/process-liveness.ts'
import { systemClock } from '../process/system-clock.ts'
import { systemIds } from '../process/system-ids.ts'
import { keepsOutput, taskDirectory } from '../process/task-directory.ts'
import { PEOPLE_READERS, type PeopleSettings } from '../project/people-settings.ts'
import { DEFAULT_STORE } from '../project/store-url.ts'
import { liveChannel } from './live-channel.ts'
import { Supervision } from './supervision.ts'

export interface OpenOptions {
  /**
   * `sqlite:PATH` (default `sqlite:.holdpoint/holdpoint.db`), `memory:`, or a store object that passes `storeContract` of
   * `holdpoint/testing`. A store that is opened here is closed here; the caller closes an object, after Holdpoint.
   */
  readonly store?: string | Store
  /** The agents that runs may name. */
  readonly agents?: readonly AgentDefinition[]
  /** The directory of relative paths and of tools. Default: the working directory of the process. */
  readonly directory?: string
  /** The source of keys, addresses and defaults. Default: the environment of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Told of each event: durable ones after they are durable, ephemeral ones as they happen. */
  readonly onEvent?: EventSink
  /** Time, for tests. */
  readonly clock?: Clock
  /**
   * How long people have to decide, if neither the hold, its tool nor its agent says it. Default: a day, then cancel.
   */
  readonly due?: DueOptions
  /** The deciders, if neither the tool nor the agent names any. Default: everybody but the agent itself. */
  readonly deciders?: DecidersOptions
  /** The members of each `@group`. */
  readonly groups?: Groups
  /** How a text that answers an approval is read. Default: `tolerant`. */
  readonly approvalAnswers?: ApprovalAnswers
  /** How much a message or a tool result may bring. Default: 20 parts, 5 MB each, 20 MB together. */
  readonly messageLimits?: Partial<MessageLimits>
  /** MCP servers whose tools agents may use as `server__tool`, in the shape of `mcpServers` in other clients. Default: none. */
  readonly mcpServers?: Readonly<Record<string, McpServerOptions>>
}

/** A server that is started, or one that is reached by HTTP. `${NAME}` and `${NAME:-default}` are expanded. */
export type McpServerOptions = McpServerTerms &
  (
    | { readonly command: string; readonly args?: readonly string[]; readonly env?: Readonly<Record<string, string>> }
    | { readonly url: string; readonly headers?: Readonly<Record<string, string>> }
  )

export interface McpServerTerms {
  /**
   * If true, the server is believed about its own tools: which are harmless, and which may be repeated. Default: false.
   */
  readonly trusted?: boolean
  readonly disabled?: boolean
  /** How long a call may take without a sign of life. Default: 120. */
  readonly timeoutSeconds?: number
}

export interface AppOptions extends OpenOptions {
  /** Within what agents are started as tasks that no run starts. Default: none are. */
  readonly bounds?: () => Promise<Profile>
}

/** The parts of a host: the face, and the agents behind it. */
export interface App extends AsyncDisposable {
  readonly holdpoint: Holdpoint
  readonly agents: AgentRegistry
  /** Tasks and agents as tasks. */
  readonly supervision: Supervision
}

/** Opens the store, and with it the runtime. Close it with `await using` or its `Symbol.asyncDispose`. @throws RefusedError or StoreError */
export async function openHoldpoint(options: OpenOptions = {}): Promise<Holdpoint> {
  return (await openApp(options)).holdpoint
}

/** Opens nothing yet: what can be known of agents, tools and models is known before there is a store. */
export function agentRegistry(options: OpenOptions): AgentRegistry {
  const directory = resolve(options.directory ?? '.')
  const env = options.env ?? process.env
  return new AgentRegistry({
    agents: options.agents ?? [],
    openModel: model => openModel(model, { env, directory }),
    builtInTools: onceAsked(() => builtInTools({ environment: env })),
    steeringTools,
    workdir: directory,
    people: peopleSettings(options),
    mcp: { environment: env, directory, servers: mcpServers(options) },
  })
}

/** @throws RefusedError `invalid_options` */
function mcpServers({ mcpServers: given }: OpenOptions): McpServers {
  return understood(given, readMcpServers, invalidOptions) ?? {}
}

function invalidOptions(problem: string): RefusedError {
  return new RefusedError('invalid_options', `Holdpoint cannot be opened: ${problem}.`)
}

/** @throws RefusedError `invalid_options` */
function peopleSettings({ due, deciders, groups, approvalAnswers }: OpenOptions): PeopleSettings {
  const given = { due, deciders, groups, approval_answers: approvalAnswers }
  const entries = Object.entries(PEOPLE_READERS).map(([key, read]) => [
    key,
    understood(given[key as keyof typeof given], read, invalidOptions),
  ])
  return Object.fromEntries(entries)
}

export async function openApp(options: AppOptions, agents: AgentRegistry = agentRegistry(options)): Promise<App> {
  const directory = resolve(options.directory ?? '.')
  const clock = options.clock ?? systemClock
  const names = processLiveness()
  const tell = harmless(options.onEvent ?? (() => {}))
  const messageLimits = understood(options.messageLimits, readMessageLimits, invalidOptions) ?? DEFAULT_MESSAGE_LIMITS
  const { store: given = DEFAULT_STORE } = options
  const store = typeof given === 'string' ? await openStore(given, { clock, directory }) : given
  const openManager = () => taskManager(store, { clock, names, env: options.env ?? process.env })
  const dispatch: Dispatcher = (runId, asker) => supervision.dispatch(runId, asker)
  const holdpoint = new EmbeddedHoldpoint(
    {
      store,
      keepsStoreOpen: store === given,
      agents,
      clock,
      ids: systemIds,
      liveness: names,
      tell,
      ...liveChannel(store, options.env ?? process.env),
      checkSchema,
      messageLimits,
      dispatch,
      sweepTasks: async () => {
        if (keepsOutput(store.url)) await (await openManager()).sweepOutput()
      },
    },
    async () => (await supervision.controlSite()).agentTasks,
  )
  const supervision: Supervision = new Supervision({
    ...{ holdpoint, store, agents, clock, bounds: options.bounds ?? noBounds },
    openManager,
  })
  agents.connect(() => supervision.controlSite())
  return { holdpoint, agents, supervision, [Symbol.asyncDispose]: () => holdpoint[Symbol.asyncDispose]() }
}

interface TaskManagerDeps {
  readonly clock: Clock
  readonly names: ProcessNames
  readonly env: Readonly<Record<string, string | undefined>>
}

async function taskManager(store: Store, { env, ...site }: TaskManagerDeps): Promise<TaskManager> {
  const directory = taskDirectory(store.url)
  const { ProcessTasks } = await import('../../tasks/process-tasks.ts')
  return new ProcessTasks({
    ...(await taskDeps(store, site)),
    ids: systemIds,
    directory,
    supervisor: [process.execPath, ...SUPERVISOR_FLAGS, ownProgram('supervise'), '--store', store.url],
    environment: env,
  })
}

/** The needs that managers and supervisors of tasks share. */
async function taskDeps({ tasks: registry }: Store, site: Pick<TaskDeps, 'clock' | 'names'>): Promise<TaskDeps> {
  const { processFamilies: families } = await import('../../tools/run-command/process-family.ts')
  return { registry, families, ...site }
}

/** It lives as long as its command, so it is to stay small. */
const SUPERVISOR_FLAGS: readonly string[] = ['--max-semi-space-size=1', '--max-old-space-size=64']

export interface SuperviseOptions extends Pick<SupervisorNeeds, 'onWake' | 'onTimeout'> {
  readonly store: string
  readonly taskId: string
  readonly invocation: number
}

/** All that the process of a supervisor does. */
export async function superviseTask({ store: url, taskId, invocation, ...hooks }: SuperviseOptions): Promise<void> {
  await using store = await openStore(url, { clock: systemClock, directory: '/' })
  const { supervise } = await import('../../tasks/supervisor/supervise.ts')
  const site = await taskDeps(store, { clock: systemClock, names: processLiveness() })
  const directory = taskDirectory(store.url)
  await supervise({ ...site, ...hooks, directory, environment: process.env }, taskId, invocation)
}

/** The tools by which agents steer tasks and holds, if they are named. */
async function steeringTools(open: () => Promise<ControlDeps>): Promise<ReadonlyMap<string, Tool>> {
  const { agentControls } = await import('../../runtime/agent-tasks/controls/controls.ts')
  const { controlTool } = await import('../../tools/control-tool.ts')
  return new Map(agentControls(open).map(control => [control.name, controlTool(control)]))
}

async function noBounds(): Promise<Profile> {
  throw new RefusedError('no_bounds', 'Only a run, or `holdpoint mcp`, starts tasks here.')
}

/** A run is harmed by no listener: one that throws is warned of. */
function harmless(listener: EventSink): EventSink {
  return event => {
    try {
      listener(event)
    } catch (thrown) {
      process.emitWarning(thrown instanceof Error ? thrown : messageOf(thrown))
    }
  }
}

/** Checks a value against a JSON Schema, with the one checker that there is. */
export async function checkSchema(...args: Parameters<CheckSchema>): Promise<Fit> {
  return (await import('../../tools/define/json-schema.ts')).validateJson(...args)
}

async function openModel(
  model: string | AiSdkModel,
  site: Parameters<typeof import('../../models/open-model.ts')['openModel']>[1],
): Promise<Model> {
  return (await import('../../models/open-model.ts')).openModel(model, site)
}

function onceAsked(make: () => ReadonlyMap<string, Tool>): () => ReadonlyMap<string, Tool> {
  let made: ReadonlyMap<string, Tool> | null = null
  return () => {
    made ??= make()
    return made
  }
}
