/**
 * The registry of tasks. Keeps: each method is one transaction; a task changes by one compare-and-set, along
 * `TASK_MAY_BECOME` alone; who asked for what is on record with it (P10); an invocation that was is never rewritten by the
 * next one.
 */

import type { NewAuditEntry } from '../../../core/audit/audit.ts'
import { RefusedError } from '../../../core/errors.ts'
import {
  type Invocation,
  runAbout,
  TASK_MAY_BECOME,
  TASK_RESTS,
  type Task,
  type TaskStatus,
} from '../../../core/task/task.ts'
import type { NewTask, Requester, TaskMove } from '../../../core/task/task-move.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { TaskQuery, TaskRegistry } from '../../../ports/store/task-registry.ts'
import type { ChangeWatch } from '../database/change-watch.ts'
import type { Database } from '../database/database.ts'
import { auditEntries, sha256 } from '../tables/audit-table.ts'
import {
  findTask,
  findTaskAbout,
  insertInvocation,
  insertTask,
  listInvocations,
  listTasks,
  updateInvocation,
  updateTask,
} from './task-table.ts'

export interface TaskStoreDeps {
  readonly database: Database
  readonly clock: Pick<Clock, 'now'>
  readonly changes: ChangeWatch
}

export class SqliteTasks implements TaskRegistry {
  readonly #site: TaskStoreDeps

  constructor(site: TaskStoreDeps) {
    this.#site = site
  }

  async create(task: NewTask): Promise<Task> {
    const { database, clock, changes } = this.#site
    const created = database.transaction(() => {
      const at = clock.now()
      refuseTaken(database, task)
      insertTask(database, task, at)
      insertInvocation(database, task.id, { ...task, n: 1 }, at)
      auditEntries(database, [asked('task.started', { task, n: 1, asker: task, argv: task.argv })], at)
      return findTask(database, task.id) as Task
    })
    changes.tellOfTasks()
    return created
  }

  async task(id: string): Promise<Task | null> {
    return this.#site.database.read(() => findTask(this.#site.database, id))
  }

  async tasks(query: TaskQuery): Promise<Task[]> {
    return this.#site.database.read(() => listTasks(this.#site.database, query))
  }

  async invocations(taskId: string): Promise<Invocation[]> {
    return this.#site.database.read(() => listInvocations(this.#site.database, taskId))
  }

  async move(move: TaskMove): Promise<Task | null> {
    refuseIllegal(move)
    const moved = this.#site.database.transaction(() => this.#move(move))
    if (moved) this.#site.changes.tellOfTasks()
    return moved
  }

  #move(move: TaskMove): Task | null {
    const { database, clock } = this.#site
    const task = findTask(database, move.task_id)
    if (task === null || !isAsSeen(task, move)) return null
    const at = clock.now()
    const to = destination(move, task)
    const status = to ?? task.status
    const newest = task.invocation.n + (move.next ? 1 : 0)
    updateInvocation(database, task.id, invocationAfter(task.invocation, { ...move, to }, at))
    if (move.next) insertInvocation(database, task.id, { ...move.next, n: newest }, at)
    const wanted = task.cancel_requested_by ?? move.cancel?.by ?? null
    const cancel_requested_by = TASK_RESTS[status] || move.next ? null : wanted
    updateTask(database, { id: task.id, status, newest, cancel_requested_by }, at)
    auditEntries(database, entriesOf(task, { ...move, to }), at)
    return findTask(database, task.id)
  }

  watch(onChange: () => void): Disposable {
    return this.#site.changes.watchTasks(onChange)
  }
}

/** Where a move leads; `null` where the status stays. */
function destination({ to, to_if_cancel_requested, next }: TaskMove, task: Task): TaskStatus | null {
  if (next) return 'pending'
  return (task.cancel_requested_by !== null ? to_if_cancel_requested : null) ?? to ?? null
}

function destinations({ to, to_if_cancel_requested = to, next }: TaskMove): readonly TaskStatus[] {
  return next ? ['pending'] : [to, to_if_cancel_requested].filter(status => status !== undefined)
}

/** A mistake of whoever moves, whatever state the task is in. @throws RefusedError `illegal_task_move` */
function refuseIllegal(move: TaskMove): void {
  for (const to of destinations(move)) {
    const wrong = move.from.find(from => !TASK_MAY_BECOME[from][to])
    if (wrong !== undefined) throw illegal(`one that is ${wrong} cannot become ${to}`)
  }
  if (move.next ? (move.to ?? 'pending') !== 'pending' : move.to === 'pending')
    throw illegal('it is pending with its next invocation, and only then')
  const { to } = move
  if (move.cancel && to !== 'cancelled' && move.from.some(from => TASK_RESTS[to ?? from]))
    throw illegal('one that rests is cancelled at once, or not at all')
}

function illegal(why: string): RefusedError {
  return new RefusedError('illegal_task_move', `A task was to change in a way that it cannot: ${why}.`, {
    hint: 'Nothing was changed. This is a fault of the program that asked for it.',
  })
}

function isAsSeen({ status, invocation }: Task, move: TaskMove): boolean {
  return (
    invocation.n === move.invocation &&
    move.from.includes(status) &&
    (move.supervisor === undefined || move.supervisor === invocation.supervisor)
  )
}

type Moving = Pick<TaskMove, 'next' | 'change'> & { readonly to: TaskStatus | null }

/** A rest that follows a rest ends no process: its time stays. */
function invocationAfter(before: Invocation, { to, next, change }: Moving, at: number): Invocation {
  const time = new Date(at).toISOString()
  const after = { ...before, ...change }
  if (to === null || next) return after
  const started_at = to === 'running' ? time : before.started_at
  return { ...after, status: to, started_at, ended_at: TASK_RESTS[to] ? (before.ended_at ?? time) : null }
}

/** @throws RefusedError `task_exists` */
function refuseTaken(database: Database, { id, subject }: NewTask): void {
  const taken = findTask(database, id) ?? (subject === null ? null : findTaskAbout(database, subject))
  if (!taken) return
  const what = taken.id === id ? '' : ` about ${subject}`
  throw new RefusedError('task_exists', `There is a task${what} already: ${taken.id}.`, {
    hint: 'Nothing was changed.',
    action: { do: 'look_at_task', id: taken.id },
    details: { task_id: taken.id },
  })
}

type Moved = Pick<TaskMove, 'cancel' | 'next' | 'change'> & { readonly to: TaskStatus | null }

function entriesOf(task: Task, { to, cancel, next, change }: Moved): NewAuditEntry[] {
  const n = task.invocation.n
  const resumed = next ? [asked('task.resumed', { task, n: n + 1, asker: next, argv: next.argv })] : []
  // Who says it once more, changes nothing.
  const isNews = task.cancel_requested_by === null || to === 'cancelled'
  const cancelled = cancel && isNews ? [asked('task.cancelled', { task, n, asker: cancel })] : []
  const ended = to !== null && TASK_RESTS[to] ? [endedAs(to, { ...task, ...change, n })] : []
  return [...resumed, ...cancelled, ...ended]
}

/** Its process came to an end, or a later look found what became of the task. */
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

function asked(kind: NewAuditEntry['kind'], { task, n, asker, argv }: TaskRequest): NewAuditEntry {
  const digest = argv ? { argv_digest: `sha256:${sha256(JSON.stringify(argv))}` } : {}
  return {
    ...{ kind, actor: asker.by, surface: asker.surface },
    run_id: runAbout(task.subject),
    data: { task_id: task.id, invocation: n, kind: task.kind, ...digest },
  }
}
