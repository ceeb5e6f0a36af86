/** Puts a runtime together out of adapters. No other room of the program names adapters. */

import { resolve } from 'node:path'
import { orElse } from '../../async/afterwards.ts'
import type { StuckRun } from '../../core/advancing/stuck-run.ts'
import { messageOf } from '../../core/errors.ts'
import type { Profile } from '../../core/run/profile.ts'
import type { RunOutcome } from '../../core/timeline/run-outcome.ts'
import { unreadBy } from '../../models/unread-by.ts'
import type { OpenControls } from '../../ports/agent/control.ts'
import type { AiSdkModel, Model } from '../../ports/agent/model.ts'
import type { CheckSchema } from '../../ports/agent/schema.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import type { EventSink } from '../../ports/event-sink.ts'
import type { Liveness } from '../../ports/process/liveness.ts'
import type { RunRow } from '../../ports/store/runs.ts'
import type { Store, StoreCapabilities } from '../../ports/store/store.ts'
import type { Holdpoint } from '../../runtime/face/holdpoint.ts'
import { EmbeddedHoldpoint } from '../../runtime/holdpoint.ts'
import { countStuck, stuckRuns } from '../../runtime/lease/stuck-runs.ts'
import { openStore, type StoreDeps } from '../../stores/open-store.ts'
import { validateJson } from '../../tools/define/json-schema.ts'
import { tryWithin } from '../../tools/define/schemas/try-within.ts'
import { AgentRegistry } from '../agents/agent-registry.ts'
import { sealKeyIn } from '../listening/seal-key-in.ts'
import { recordedCommand } from '../process/calls/call-record.ts'
import { agentAround, standingHere } from '../process/lineage/agent-around.ts'
import { placeHere } from '../process/lineage/namespaces.ts'
import { comparePlace } from '../process/lineage/place.ts'
import { processLiveness, thisHost } from '../process/process-liveness.ts'
import { systemClock } from '../process/system-clock.ts'
import { systemIds } from '../process/system-ids.ts'
import { where } from '../process/where.ts'
import { DEFAULT_STORE } from '../project/store-url.ts'
import { projectRefusals } from '../refusals/project-refusals.ts'
import { BoxPlace } from './box-here.ts'
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
  runSettingsOf,
} from './open-options.ts'
import { openTasksWith } from './open-tasks.ts'
import { ownTools } from './own-tools.ts'
import { Supervision } from './supervision.ts'
import { TaskProcesses } from './task-processes.ts'

/** The parts of a host: the runtime, and the agents that it runs. */
export interface App extends AsyncDisposable {
  readonly holdpoint: Holdpoint
  readonly agents: AgentRegistry
  readonly supervision: Supervision
  readonly taskProcesses: TaskProcesses
  readonly capabilities: StoreCapabilities
  /** The store, for figures, logs and traces. */
  readonly store: ObservedStore
  /** By run id: the text that began each of these runs. */
  readonly runInputs: (rows: readonly RunRow[]) => Promise<ReadonlyMap<string, string>>
  /** By run id: how the last program of a finished run failed. */
  readonly runOutcomes: (rows: readonly RunRow[]) => Promise<ReadonlyMap<string, RunOutcome>>
  /** By run id: those that go on by no waiting. */
  readonly stuckRuns: (rows: readonly RunRow[]) => Promise<ReadonlyMap<string, StuckRun>>
  /** How many of the oldest ready runs are stuck. */
  readonly countStuck: () => Promise<number>
  /** By thread id: the text that began each of these threads. */
  readonly threadInputs: (threadIds: readonly string[]) => Promise<ReadonlyMap<string, string>>
}

/** The parts of a store that hosts use directly: to watch it, and to sign people in. */
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
  | 'leasedRuns'
  | 'auditHead'
  | 'access'
  | 'sessions'
  | 'links'
  | 'subscriptions'
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

/** The face for a program, which may run within an agent. @throws RefusedError or StoreError */
export async function openForProgram(options: OpenOptions): Promise<Holdpoint> {
  checkOpenOptions(options)
  const { holdpoint } = await openApp(options)
  const agent = agentAround(options.env ?? process.env)
  return agent === null ? holdpoint : (await import('./agents/sign-as-agent.ts')).signAsAgent(holdpoint, agent)
}

/** Opens nothing: agents, tools and models can be checked before there is a store. */
export function agentRegistry(options: OpenOptions): AgentRegistry {
  const directory = resolve(options.directory ?? '.')
  const env = options.env ?? process.env
  const boxes = new BoxPlace({ ...options, env })
  const agents = new AgentRegistry({
    agents: agentsOf(options),
    openModel: model => openModel(model, { env, directory }),
    builtInTools: ownTools(env, boxes),
    steeringTools,
    workdir: directory,
    ...runSettingsOf(options),
    mcp: { environment: env, directory, servers: mcpServersOf(options), pass: passedOf(options) },
  })
  boxesOf.set(agents, boxes)
  return agents
}

/** Of the agents of a registry. */
const boxesOf = new WeakMap<AgentRegistry, BoxPlace>()

/** The code is loaded when a person stops a command. */
async function stopCommand(call: string): Promise<void> {
  return (await import('./stop-command.ts')).stopCommand(call)
}

export async function openApp(options: AppOptions, agents: AgentRegistry = agentRegistry(options)): Promise<App> {
  const directory = resolve(options.directory ?? '.')
  const env = options.env ?? process.env
  const clock = clockOf(options) ?? systemClock
  const names = processLiveness()
  const { store: given = DEFAULT_STORE, mustExist = false } = options
  boxesOf.get(agents)?.standBeside({ ...options, env })
  const store = typeof given === 'string' ? await openOwnStore(given, { clock, directory, mustExist, env }) : given
  const taskProcesses = new TaskProcesses(store, { clock, names, env, maxConcurrent: options.maxConcurrent ?? null })
  const holdpoint = new EmbeddedHoldpoint(
    {
      store,
      keepsStoreOpen: store === given,
      agents,
      clock,
      ids: systemIds,
      liveness: { ...names, commandOf: recordedCommand, stopCommand },
      tell: harmless(options.onEvent ?? (() => {})),
      where,
      ...liveChannel(store, env),
      checkSchema,
      tryPattern: tryWithin,
      unread: (model, part, among = []) => unreadBy(model, part, { env, among }),
      readInstructions: async (...asked) =>
        (await import('../agents/profile/instructions-files.ts')).readInstructions(...asked),
      messageLimits: messageLimitsOf(options),
      ...codeTimeoutOf(options),
      sweepTasks: () => taskProcesses.sweepOutput(),
    },
    openTasksWith({ store, agents, clock, liveness: names, taskProcesses, bounds: options.bounds ?? noBounds, env }),
  )
  const supervision = new Supervision({ holdpoint, store })
  if (store.capabilities.isShared) await comparePlace(store, env)
  const { unseen } = standingHere(env)
  return {
    holdpoint: unseen === null ? holdpoint : await decidingNothing(holdpoint, unseen),
    agents,
    supervision,
    taskProcesses,
    capabilities: store.capabilities,
    store,
    ...rowLookups(store, names),
    [Symbol.asyncDispose]: () => holdpoint[Symbol.asyncDispose](),
  }
}

type RowLookups = Pick<App, 'runOutcomes' | 'runInputs' | 'threadInputs' | 'stuckRuns' | 'countStuck'>

/** What lists tell beside the rows. */
function rowLookups(store: Store, liveness: Liveness): RowLookups {
  return {
    runOutcomes: async rows => (await import('../../runtime/views/run-outcomes.ts')).runOutcomes(store, rows),
    runInputs: async rows => (await import('../../runtime/views/run-inputs.ts')).runInputs(store, rows),
    threadInputs: async ids => (await import('../../runtime/views/run-inputs.ts')).threadInputs(store, ids),
    stuckRuns: rows => stuckRuns({ store, liveness }, rows),
    countStuck: () => countStuck({ store, liveness }),
  }
}

/** The store, by the rights that the environment of this process has. */
function openOwnStore(
  url: string,
  { env, ...deps }: Pick<StoreDeps, 'clock' | 'directory' | 'mustExist'> & { readonly env: NodeJS.ProcessEnv },
): Promise<Store> {
  const place = () => (agentAround(env) === null ? placeHere() : null)
  return openStore(url, { ...deps, host: thisHost, place, sealKey: sealKeyIn(env) })
}

async function decidingNothing(holdpoint: Holdpoint, why: string): Promise<Holdpoint> {
  return (await import('./agents/deciding-nothing.ts')).decidingNothing(holdpoint, why)
}

/** The tools by which agents steer tasks and holds, if they are named. Without controls there is no store yet. */
async function steeringTools(controls: OpenControls | null): Promise<ReadonlyMap<string, Tool>> {
  const { agentControls } = await import('../../runtime/agent-tasks/controls/controls.ts')
  const { controlTool } = await import('../../tools/control-tool.ts')
  const all = controls ? await controls() : agentControls(noStore)
  return new Map(all.map(control => [control.name, controlTool(control)]))
}

async function noStore(): Promise<never> {
  throw projectRefusals.noTasksYet()
}

async function noBounds(): Promise<Profile> {
  throw projectRefusals.noBounds()
}

/** A listener that throws causes a warning, and does no harm to the run. */
function harmless(listener: EventSink): EventSink {
  const warn = (thrown: unknown) => process.emitWarning(thrown instanceof Error ? thrown : messageOf(thrown))
  return event => void orElse<unknown>(() => listener(event), warn)
}

/** The one check of a value against a JSON Schema. */
export const checkSchema: CheckSchema = validateJson

type ModelDeps = Parameters<typeof import('../../models/open-model.ts')['openModel']>[1]

async function openModel(model: string | AiSdkModel, deps: ModelDeps): Promise<Model> {
  return (await import('../../models/open-model.ts')).openModel(model, deps)
}
