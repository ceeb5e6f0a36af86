/** Tasks as the contract makes them. */

import type { AuditRecord } from '../../../core/audit/audit.ts'
import { plainEvent } from '../../../core/journal/event.ts'
import { TASK_RESTS, type Task, type TaskStatus } from '../../../core/task/task.ts'
import type { NewTask, Requester, TaskMove } from '../../../core/task/task-move.ts'
import type { TaskRegistry } from '../../../ports/store/fleet/task-registry.ts'
import type { Start } from '../../../ports/store/runs.ts'
import type { Store } from '../../../ports/store/store.ts'

export const ANA: Requester = { by: 'ana', surface: 'cli' }
export const BEN: Requester = { by: 'ben', surface: 'mcp' }
export const START = '2030-01-01T00:00:00.000Z'
export const A_SECOND_LATER = '2030-01-01T00:00:01.000Z'

export function aTask(changes: Partial<NewTask> = {}): NewTask {
  return {
    ...{ id: 'task_1', kind: 'command', title: 'Say hello', subject: null, details: {}, workdir: '/project' },
    ...{ timeout_ms: null, argv: ['echo', 'hello'], ...ANA, ...changes },
  }
}

export function aMove(to: TaskStatus, move: Partial<TaskMove> & Pick<TaskMove, 'from'>): TaskMove {
  return { task_id: 'task_1', invocation: 1, to, ...move }
}

/** By the shortest way there. */
export async function aTaskThatIs(
  tasks: TaskRegistry,
  status: TaskStatus,
  changes: Partial<NewTask> = {},
): Promise<Task> {
  const created = await tasks.create(aTask(changes))
  if (status === 'pending') return created
  const change = { supervisor: 'here 1', process: 'here 7' }
  const running = (await tasks.move(aMove('running', { task_id: created.id, from: ['pending'], change }))) as Task
  if (!TASK_RESTS[status]) return running
  return (await tasks.move(aMove(status, { task_id: created.id, from: ['running'] }))) as Task
}

export function aRun(id: string, status: Start['status']): Start {
  const run = { id, agent: 'tester', hold_scope: 'batch' } as const
  const events = [plainEvent({ kind: 'step.started', run_id: id, data: { step: 1 } })]
  return { run, thread_id: `th_of_${id}`, after: 0, events, status, checkpoint_id: null }
}

/** Each task with its history. */
export async function allTasks({ tasks }: Store): Promise<unknown[]> {
  return Promise.all((await tasks.tasks({})).map(async task => [task, await tasks.invocations(task.id)]))
}

export async function recordsOf(store: Store, kind?: AuditRecord['kind']): Promise<AuditRecord[]> {
  return (await store.audit(kind ? { kind } : {})).map(({ record }) => JSON.parse(record) as AuditRecord)
}
