/**
 * The registry of tasks. Keeps: each method is one transaction; a task changes by one compare-and-set, along
 * `TASK_MAY_BECOME` alone; who asked for what is on record with it (P10); an invocation that was is never rewritten by the
 * next one.
 */

import type { RefusedError } from '../../../core/errors.ts'
import { applyTaskMove, refuseIllegalMove, taskExists } from '../../../core/task/apply-task-move.ts'
import { takenBy, WAITS_FOR_TURN } from '../../../core/task/start-queue.ts'
import type { Invocation, Task } from '../../../core/task/task.ts'
import type { NewTask, TaskMove } from '../../../core/task/task-move.ts'
import { taskMovedOn } from '../../../core/task/task-moved-on.ts'
import { refuseTakenName, taskName } from '../../../core/task/task-name.ts'
import { recordOfTask, recordsOfMove } from '../../../core/task/task-records.ts'
import { unknownTask } from '../../../core/task/unknown-task.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { TaskQuery, TaskRegistry, TaskRemoval, TaskTurn } from '../../../ports/store/fleet/task-registry.ts'
import type { ChangeWatch } from '../../change-watch.ts'
import { sha256 } from '../../sha256.ts'
import type { Database } from '../database/database.ts'
import { auditEntries } from '../tables/audit-table.ts'
import { removeTask } from './prune-tasks.ts'
import {
  findTask,
  findTaskAbout,
  insertInvocation,
  insertTask,
  listInvocations,
  listTasks,
  nextInQueue,
  tasksNotOver,
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
    const created = await database.transaction(() => createTask(database, task, clock.now()))
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
    const { database, clock, changes } = this.#site
    const moved = await database.transaction(() => moveTask(database, move, clock.now()))
    if (moved) changes.tellOfTasks()
    return moved
  }

  async takeNext(turn: TaskTurn): Promise<Task | null> {
    const { database, clock, changes } = this.#site
    // Most looks find nothing, and other writers need not wait for them.
    if ((await database.read(() => nextInQueue(database, turn))) === null) return null
    const taken = await database.transaction(() => takeNextTask(database, turn, clock.now()))
    if (taken) changes.tellOfTasks()
    return taken
  }

  async remove(taskId: string, removal: TaskRemoval): Promise<boolean> {
    const { database, clock, changes } = this.#site
    const isRemoved = await database.transaction(() => removeTask(database, { taskId, removal }, clock.now()))
    if (isRemoved) changes.tellOfTasks()
    return isRemoved
  }

  watch(onChange: () => void): Disposable {
    return this.#site.changes.watchTasks(onChange)
  }
}

/** Inside a transaction; `null` if the task has moved on since it was seen. @throws RefusedError `illegal_task_move` */
function moveTask(database: Database, move: TaskMove, at: number): Task | null {
  refuseIllegalMove(move)
  const task = findTask(database, move.task_id)
  const moved = task && applyTaskMove(task, move, at)
  if (!moved) return null
  const { to, status, newest, cancel_requested_by } = moved
  const subject = move.next?.subject ?? move.about ?? task.subject
  updateInvocation(database, task.id, moved.invocation)
  if (move.next) insertInvocation(database, task.id, { ...move.next, n: newest }, at)
  updateTask(database, { id: task.id, status, newest, subject, cancel_requested_by }, at)
  auditEntries(database, recordsOfMove({ ...task, subject }, { ...move, to }, sha256), at)
  return findTask(database, task.id)
}

/** Inside a transaction. */
function takeNextTask(database: Database, { by, ...turn }: TaskTurn, at: number): Task | null {
  const next = nextInQueue(database, turn)
  if (next === null) return null
  const place = {
    task_id: next.id,
    invocation: next.invocation.n,
    from: ['pending'],
    supervisor: WAITS_FOR_TURN,
  } as const
  return moveTask(database, { ...place, change: { supervisor: takenBy(by) } }, at)
}

/** Inside a transaction: the task that is to go on with a run. @throws RefusedError `task_exists`, `task_moved_on` */
export function taskOfRun(database: Database, task: NewTask | TaskMove, at: number): void {
  if (!('task_id' in task)) createTask(database, task, at)
  else if (moveTask(database, task, at) === null) throw notAsSeen(database, task)
}

function notAsSeen(database: Database, { task_id, invocation }: TaskMove): RefusedError {
  const task = findTask(database, task_id)
  return task ? taskMovedOn(task, invocation) : unknownTask(task_id)
}

/** Inside a transaction. @throws RefusedError `task_exists`, `name_taken` */
function createTask(database: Database, task: NewTask, at: number): Task {
  const taken = findTask(database, task.id) ?? (task.subject === null ? null : findTaskAbout(database, task.subject))
  if (taken) throw taskExists(task, taken)
  const name = taskName(task)
  if (name !== null) refuseTakenName(name, tasksNotOver(database, task.kind))
  insertTask(database, task, at)
  insertInvocation(database, task.id, { ...task, n: 1 }, at)
  auditEntries(database, [recordOfTask(task, sha256)], at)
  return findTask(database, task.id) as Task
}
