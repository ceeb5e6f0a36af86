/** Puts a runtime together out of adapters. No other room of the program names adapters. */

import { resolve } from 'node:path'
import { orElse } from '../../async/afterwards.ts'
import { messageOf, RefusedError } from '../../core/errors.ts'
import type { Profile } from '../../core/run/profile.ts'
import type { OpenControls } from '../../ports/agent/control.ts'
import type { AiSdkModel, Model } from '../../ports/agent/model.ts'
import type { CheckSchema } from '../../ports/agent/schema.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import type { EventSink } from '../../ports/event-sink.ts'
import { commandEnvironment, type Passed } from '../../ports/process/command-environment.ts'
import type { RunRow } from '../../ports/store/runs.ts'
import type { Store, StoreCapabilities } from '../../ports/store/store.ts'
import type { Holdpoint } from '../../runtime/face/holdpoint.ts'
import { EmbeddedHoldpoint } from '../../runtime/holdpoint.ts'
import { openStore } from '../../stores/open-store.ts'
import { builtInTools } from '../../tools/built-in-tools.ts'
import { validateJson } from '../../tools/define/json-schema.ts'
import { AgentRegistry } from '../agents/agent-registry.ts'
import { agentAround } from '../process/agent-around.ts'
import { recordCall, recordedCommand } from '../process/calls/call-record.ts'
import { noteCommand } from '../process/command-notes.ts'
import { processLiveness, thisHost } from '../process/process-liveness.ts'
import { systemClock } from '../process/system-clock.ts'
import { systemIds } from '../process/system-ids.ts'
import { DEFAULT_STORE } from '../project/store-url.ts'
import { liveChannel } from './live-channel.ts'
import {
  type AppOptions,
  agentsOf,
  checkOpenOptions,
  clockOf,
  codeTimeoutOf,
  mcpServersOf,
  messageLimitsOf,
  type OpenOptions,
  passedOf,
  peopleSettingsOf,
} from './open-options.ts'
import { openTasksWith } from './open-tasks.ts'
import { Supervision } from './supervision.ts'
import { TaskProcesses } from './task-processes.ts'

/** The parts of a host: the face, and the agents behind it. */
export interface App extends AsyncDisposable {
  readonly holdpoint: Holdpoint
  readonly agents: AgentRegistry
  readonly supervision: Supervision
  readonly taskProcesses: TaskProcesses
  readonly capabilities: StoreCapabilities
  /** For figures, logs and traces. */
  readonly store: ObservedStore
  /** By run id: the text that began each of these runs. */
  readonly runInputs: (rows: readonly RunRow[]) => Promise<ReadonlyMap<string, string>>
  /** By thread id: the text that began each of these threads. */
  readonly threadInputs: (threadIds: readonly string[]) => Promise<ReadonlyMap<string, string>>
}

/** The parts of a store that hosts use beside the verbs of the face: to watch it, and to sign people in. */
export type ObservedStore = Pick<
  Store,
  | 'feed'
  | 'watchFeed'
  | 'cursor'
  | 'figures'
  | 'grantFault'
  | 'journal'
  | 'hold'
  | 'holds'
  | 'run'
  | 'runs'
  | 'auditHead'
  | 'access'
  | 'sessions'
  | 'links'
  | 'record'
  | 'notices'
  | 'tasks'
  | 'presences'
  | 'newest'
  | 'findInput'
  | 'daemons'
  | 'hosts'
  | 'nextDue'
  | 'location'
  | 'moved'
>

/**
 * Opens the store, and with it the runtime. Close it with `await using` or its `Symbol.asyncDispose`. In a process that
 * runs within an agent, all its verbs sign as that agent (docs/security.md). @throws RefusedError or StoreError
 */
export async function openHoldpoint(options: OpenOptions = {}): Promise<Holdpoint> {
  checkOpenOptions(options)
  const { holdpoint } = await openApp(options)
  const agent = agentAround(options.env ?? process.env)
  return agent === null ? holdpoint : (await import('./agents/sign-as-agent.ts')).signAsAgent(holdpoint, agent)
}

/** Opens nothing: agents, tools and models can be checked before there is a store. */
export function agentRegistry(options: OpenOptions): AgentRegistry {
  const directory = resolve(options.directory ?? '.')
  const env = options.env ?? process.env
  return new AgentRegistry({
    agents: agentsOf(options),
    openModel: model => openModel(model, { env, directory }),
    builtInTools: oncePer(pass =>
      builtInTools({ environment: commandEnvironment(env, pass), noteCommand, recordCall }),
    ),
    steeringTools,
    workdir: directory,
    people: peopleSettingsOf(options),
    mcp: { environment: env, directory, servers: mcpServersOf(options), pass: passedOf(options) },
  })
}

export async function openApp(options: AppOptions, agents: AgentRegistry = agentRegistry(options)): Promise<App> {
  const directory = resolve(options.directory ?? '.')
  const clock = clockOf(options) ?? systemClock
  const names = processLiveness()
  const tell = harmless(options.onEvent ?? (() => {}))
  const messageLimits = messageLimitsOf(options)
  const { store: given = DEFAULT_STORE, mustExist = false } = options
  const store =
    typeof given === 'string' ? await openStore(given, { clock, directory, mustExist, host: thisHost }) : given
  const env = options.env ?? process.env
  const taskProcesses = new TaskProcesses(store, { clock, names, env, maxConcurrent: options.maxConcurrent ?? null })
  const bounds = options.bounds ?? noBounds
  const holdpoint = new EmbeddedHoldpoint(
    {
      store,
      keepsStoreOpen: store === given,
      agents,
      clock,
      ids: systemIds,
      liveness: { ...names, commandOf: recordedCommand },
      tell,
      ...liveChannel(store, env),
      checkSchema,
      messageLimits,
      ...codeTimeoutOf(options),
      sweepTasks: () => taskProcesses.sweepOutput(),
    },
    openTasksWith({ store, agents, clock, liveness: names, taskProcesses, bounds, env }),
  )
  const supervision = new Supervision({ holdpoint, store })
  return {
    holdpoint,
    agents,
    supervision,
    taskProcesses,
    capabilities: store.capabilities,
    store,
    runInputs: async rows => (await import('../../runtime/views/run-inputs.ts')).runInputs(store, rows),
    threadInputs: async ids => (await import('../../runtime/views/run-inputs.ts')).threadInputs(store, ids),
    [Symbol.asyncDispose]: () => holdpoint[Symbol.asyncDispose](),
  }
}

/** The tools by which agents steer tasks and holds, if they are named. Without controls there is no store yet. */
async function steeringTools(controls: OpenControls | null): Promise<ReadonlyMap<string, Tool>> {
  const { agentControls } = await import('../../runtime/agent-tasks/controls/controls.ts')
  const { controlTool } = await import('../../tools/control-tool.ts')
  const all = controls ? await controls() : agentControls(noStore)
  return new Map(all.map(control => [control.name, controlTool(control)]))
}

async function noStore(): Promise<never> {
  throw new RefusedError('no_store', 'No store is open yet, so there are no tasks to steer.')
}

async function noBounds(): Promise<Profile> {
  throw new RefusedError('no_bounds', 'Only a run, or `holdpoint mcp`, starts tasks here.')
}

/** A listener that throws causes a warning, and does no harm to the run. */
function harmless(listener: EventSink): EventSink {
  const warn = (thrown: unknown) => process.emitWarning(thrown instanceof Error ? thrown : messageOf(thrown))
  return event => void orElse<unknown>(() => listener(event), warn)
}

/** The one check of a value against a JSON Schema. */
export const checkSchema: CheckSchema = validateJson

async function openModel(
  model: string | AiSdkModel,
  site: Parameters<typeof import('../../models/open-model.ts')['openModel']>[1],
): Promise<Model> {
  return (await import('../../models/open-model.ts')).openModel(model, site)
}

function oncePer(make: (pass: Passed) => ReadonlyMap<string, Tool>): (pass: Passed) => ReadonlyMap<string, Tool> {
  const made = new Map<string, ReadonlyMap<string, Tool>>()
  return pass => {
    const key = JSON.stringify(pass)
    const tools = made.get(key) ?? make(pass)
    made.set(key, tools)
    return tools
  }
}
