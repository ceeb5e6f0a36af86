import type { NewAuditEntry } from '../audit/audit.ts'
import { runAbout, TASK_RESTS, type Task, type TaskStatus } from './task.ts'
import type { NewTask, Requester, TaskMove } from './task-move.ts'

type Hash = (text: string) => string

/** The record of a new task. */
export function recordOfTask(task: NewTask, hash: Hash): NewAuditEntry {
  return asked('task.started', { task, n: 1, asker: task, argv: task.argv }, hash)
}

type Moved = Pick<TaskMove, 'cancel' | 'next' | 'change'> & { readonly to: TaskStatus | null }

/** The records of a move. `hash` is the sha256 of a text, in hex. */
export function recordsOfMove(task: Task, { to, cancel, next, change }: Moved, hash: Hash): NewAuditEntry[] {
  const n = task.invocation.n
  const resumed = next ? [asked('task.resumed', { task, n: n + 1, asker: next, argv: next.argv }, hash)] : []
  // To request a cancel once more changes nothing.
  const isNews = task.cancel_requested_by === null || to === 'cancelled'
  const cancelled = cancel && isNews ? [asked('task.cancelled', { task, n, asker: cancel }, hash)] : []
  const ended = to !== null && TASK_RESTS[to] ? [endedAs(to, { ...task, ...change, n })] : []
  return [...resumed, ...cancelled, ...ended]
}

/** The record of the end of a process, or of the fate of a task that a later look found. */
function endedAs(
  status: TaskStatus,
  task: Pick<Task, 'id' | 'kind' | 'subject'> & { readonly n: number; readonly exit_code?: number | null },
): NewAuditEntry {
  const { id: task_id, kind, subject, n: invocation, exit_code = null } = task
  return {
    kind: 'task.ended',
    run_id: runAbout(subject),
    data: { task_id, invocation, kind, status, exit_code },
  }
}

interface TaskRequest {
  readonly task: Pick<Task, 'id' | 'kind' | 'subject'>
  readonly n: number
  readonly asker: Requester
  readonly argv?: readonly string[]
}

function asked(kind: NewAuditEntry['kind'], { task, n, asker, argv }: TaskRequest, hash: Hash): NewAuditEntry {
  const digest = argv ? { argv_digest: `sha256:${hash(JSON.stringify(argv))}` } : {}
  return {
    ...{ kind, actor: asker.by, surface: asker.surface },
    run_id: runAbout(task.subject),
    data: { task_id: task.id, invocation: n, kind: task.kind, ...digest },
  }
}
