import { once, onDemand } from '../async/on-demand.ts'
import type { Control } from '../ports/agent/control.ts'
import type { FaceOfTasks, RecordDecisions } from './agent-tasks/agent-task.ts'
import type { AgentTasks } from './agent-tasks/agent-tasks.ts'
import type { ControlDeps } from './agent-tasks/controls/controls.ts'
import type { Agents } from './face/agents.ts'
import type { Tasks } from './face/tasks.ts'

export interface OpenedTasks extends ControlDeps {
  readonly agentTasks: AgentTasks
}

/** A host's way to open the tasks over a face. */
export type OpenTasks = (face: FaceOfTasks, record: RecordDecisions) => Promise<OpenedTasks>

/** The tasks and background agents of a face, opened when they are first used. */
export interface Background {
  readonly opened: () => Promise<OpenedTasks>
  readonly tasks: Tasks
  readonly agents: Agents
  /** The verbs as agents and clients are offered them. */
  readonly controls: () => Promise<readonly Control[]>
}

export function backgroundOnDemand(open: () => Promise<OpenedTasks>): Background {
  const opened = once(open)
  const openFleet = async () => {
    const { taskDeps, agentTasks } = await opened()
    const { Fleet } = await import('./fleet/fleet.ts')
    return new Fleet(taskDeps, agentTasks)
  }
  return {
    opened,
    tasks: onDemand<Tasks>(async () => (await opened()).agentTasks),
    agents: onDemand<Agents>(once(openFleet), ['follow', 'changes']),
    controls: async () => (await import('./agent-tasks/controls/controls.ts')).agentControls(opened),
  }
}
