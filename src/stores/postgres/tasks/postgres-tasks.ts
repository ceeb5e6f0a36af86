/**
 * The registry of tasks. Keeps: each method is one transaction; a task changes by one compare-and-set, along
 * `TASK_MAY_BECOME` alone; who asked for what is on record with it (P10); an invocation that was is never rewritten by the
 * next one.
 */
import type { RefusedError } from '../../../core/errors.ts'
import type { HostName } from '../../../core/fleet/fleet-host.ts'
import { applyTaskMove, refuseIllegalMove, taskExists } from '../../../core/task/apply-task-move.ts'
import { takenBy, WAITS_FOR_TURN } from '../../../core/task/start-queue.ts'
import type { Invocation, Task } from '../../../core/task/task.ts'
import type { NewTask, TaskMove } from '../../../core/task/task-move.ts'
import { taskMovedOn } from '../../../core/task/task-moved-on.ts'
import { refuseTakenName, taskName } from '../../../core/task/task-name.ts'
import { recordOfTask, recordsOfMove } from '../../../core/task/task-records.ts'
import { unknownTask } from '../../../core/task/unknown-task.ts'
import type { TaskQuery, TaskRegistry, TaskRemoval, TaskTurn } from '../../../ports/store/fleet/task-registry.ts'
import { sha256 } from '../../sha256.ts'
import { auditEntries } from '../audit/audit-records.ts'
import type { PostgresSite } from '../changes/site.ts'
import type { Query, Transaction } from '../database/pool.ts'
import { nameHost } from '../fleet/postgres-hosts.ts'
import { removeTask } from './prune-tasks.ts'
import {
  findTask,
  findTaskAbout,
  insertInvocation,
  insertTask,
  listInvocations,
  listTasks,
  lockTask,
  nextInQueue,
  tasksNotOver,
  updateInvocation,
  updateTask,
} from './task-table.ts'

export class PostgresTasks implements TaskRegistry {
  readonly #site: PostgresSite

  constructor(site: PostgresSite) {
    this.#site = site
  }

  async create(task: NewTask): Promise<Task> {
    const { pool, changes, host } = this.#site
    const created = await pool.transaction(transaction => createTask(transaction, task, host))
    changes.tellOfTasks()
    return created
  }

  async task(id: string): Promise<Task | null> {
    return findTask(this.#site.pool.query, id)
  }

  async tasks(query: TaskQuery): Promise<Task[]> {
    return listTasks(this.#site.pool.query, query)
  }

  async invocations(taskId: string): Promise<Invocation[]> {
    return listInvocations(this.#site.pool.query, taskId)
  }

  async move(move: TaskMove): Promise<Task | null> {
    const { pool, changes, host } = this.#site
    const moved = await pool.transaction(transaction => moveTask(transaction, move, host))
    if (moved) changes.tellOfTasks()
    return moved
  }

  async takeNext(turn: TaskTurn): Promise<Task | null> {
    const { pool, changes, host } = this.#site
    // Most looks find nothing, and need no lock.
    if ((await nextInQueue(pool.query, { ...turn, host: host.id })) === null) return null
    const taken = await pool.transaction(transaction => takeNextTask(transaction, turn, host))
    if (taken) changes.tellOfTasks()
    return taken
  }

  async remove(taskId: string, removal: TaskRemoval): Promise<boolean> {
    const { pool, changes } = this.#site
    const isRemoved = await pool.transaction(({ query, now }) => removeTask(query, { taskId, removal }, now))
    if (isRemoved) changes.tellOfTasks()
    return isRemoved
  }

  watch(onChange: () => void): Disposable {
    return this.#site.changes.watchTasks(onChange)
  }
}

/** Inside a transaction; `null` if the task has moved on since it was seen. @throws RefusedError `illegal_task_move` */
async function moveTask({ query, now }: Transaction, move: TaskMove, host: HostName): Promise<Task | null> {
  refuseIllegalMove(move)
  await lockTask(query, move.task_id)
  const task = await findTask(query, move.task_id)
  const moved = task && applyTaskMove(task, move, now)
  if (!moved) return null
  const { to, status, newest, cancel_requested_by } = moved
  const subject = move.next?.subject ?? move.about ?? task.subject
  await updateInvocation(query, task.id, moved.invocation)
  if (move.next) await insertInvocation(query, task.id, { ...move.next, n: newest, at: now })
  // One that is started, is of the host that starts it.
  const starter = move.next ? host.id : null
  await updateTask(query, { id: task.id, status, newest, subject, cancel_requested_by, host: starter }, now)
  auditEntries(query, recordsOfMove({ ...task, subject }, { ...move, to }, sha256), now)
  return findTask(query, task.id)
}

/** Inside a transaction. */
async function takeNextTask(transaction: Transaction, asked: TaskTurn, host: HostName): Promise<Task | null> {
  const { by, ...turn } = asked
  const { query } = transaction
  await lockKind(query, turn.kind)
  const next = await nextInQueue(query, { ...turn, host: host.id })
  if (next === null) return null
  const place = {
    task_id: next.id,
    invocation: next.invocation.n,
    from: ['pending'],
    supervisor: WAITS_FOR_TURN,
  } as const
  return moveTask(transaction, { ...place, change: { supervisor: takenBy(by) } }, host)
}

/** Until the transaction ends: turns are taken, and names given, one after the other. */
async function lockKind(query: Query, kind: string): Promise<void> {
  await query(`SELECT pg_advisory_xact_lock(hashtext('@tasks'), hashtext($1))`, [kind])
}

/** Inside a transaction: the task that is to go on with a run. @throws RefusedError `task_exists`, `task_moved_on` */
export async function taskOfRun(transaction: Transaction, task: NewTask | TaskMove, host: HostName): Promise<void> {
  if (!('task_id' in task)) await createTask(transaction, task, host)
  else if ((await moveTask(transaction, task, host)) === null) throw await notAsSeen(transaction.query, task)
}

async function notAsSeen(query: Query, { task_id, invocation }: TaskMove): Promise<RefusedError> {
  const task = await findTask(query, task_id)
  return task ? taskMovedOn(task, invocation) : unknownTask(task_id)
}

/** Inside a transaction. @throws RefusedError `task_exists`, `name_taken` */
async function createTask({ query, now }: Transaction, task: NewTask, host: HostName): Promise<Task> {
  await refuseTaken(query, task)
  const name = taskName(task)
  if (name !== null) {
    await lockKind(query, task.kind)
    refuseTakenName(name, await tasksNotOver(query, task.kind))
  }
  // Another transaction may have made it since.
  if (!(await insertTask(query, { ...task, host: host.id }, now))) await refuseTaken(query, task)
  await insertInvocation(query, task.id, { ...task, n: 1, at: now })
  await nameHost(query, host)
  auditEntries(query, [recordOfTask(task, sha256)], now)
  return (await findTask(query, task.id)) as Task
}

async function refuseTaken(query: Query, task: NewTask): Promise<void> {
  const taken =
    (await findTask(query, task.id)) ?? (task.subject === null ? null : await findTaskAbout(query, task.subject))
  if (taken) throw taskExists(task, taken)
}
