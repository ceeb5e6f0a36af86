import type { Profile } from '../../core/run/profile.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Liveness } from '../../ports/process/liveness.ts'
import type { Store } from '../../ports/store/store.ts'
import type { OpenTasks } from '../../runtime/background.ts'
import type { AgentRegistry } from '../agents/agent-registry.ts'
import { systemIds } from '../process/system-ids.ts'
import type { TaskProcesses } from './task-processes.ts'

export interface OpenTasksDeps {
  readonly store: Store
  readonly agents: AgentRegistry
  readonly clock: Clock
  readonly liveness: Liveness
  readonly taskProcesses: TaskProcesses
  /** Within what agents are started that no run starts. */
  readonly bounds: () => Promise<Profile>
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Agents as tasks over a face. Their modules are loaded when the first task is used. */
export function openTasksWith({
  store,
  agents,
  clock,
  liveness,
  taskProcesses,
  bounds,
  env,
}: OpenTasksDeps): OpenTasks {
  return async (holdpoint, record) => {
    const { AgentTasks } = await import('../../runtime/agent-tasks/agent-tasks.ts')
    const { CONTROL_NAMES } = await import('../../runtime/agent-tasks/controls/controls.ts')
    const { agentProcesses } = await import('./agents/agent-processes.ts')
    const processes = agentProcesses({ agents, location: store.location, bounds, env })
    const tasks = await taskProcesses.manager()
    const deps = { holdpoint, record, store, agents, tasks, processes, ids: systemIds, clock, liveness }
    return { taskDeps: deps, agentTasks: new AgentTasks(deps, CONTROL_NAMES) }
  }
}
