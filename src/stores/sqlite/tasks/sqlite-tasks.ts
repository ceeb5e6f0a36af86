/**
 * The registry of tasks. Keeps: each method is one transaction; a task changes by one compare-and-set, along
 * `TASK_MAY_BECOME` alone; who asked for what is on record with it (P10); an invocation that was is never rewritten by the
 * next one.
 */

import { applyTaskMove, refuseIllegalMove, taskExists } from '../../../core/task/apply-task-move.ts'
import type { Invocation, Task } from '../../../core/task/task.ts'
import type { NewTask, TaskMove } from '../../../core/task/task-move.ts'
import { recordOfTask, recordsOfMove } from '../../../core/task/task-records.ts'
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
    const created = database.transaction(() => createTask(database, task, clock.now()))
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
    refuseIllegalMove(move)
    const moved = this.#site.database.transaction(() => this.#move(move))
    if (moved) this.#site.changes.tellOfTasks()
    return moved
  }

  #move(move: TaskMove): Task | null {
    const { database, clock } = this.#site
    const task = findTask(database, move.task_id)
    const at = clock.now()
    const moved = task && applyTaskMove(task, move, at)
    if (!moved) return null
    const { to, status, newest, cancel_requested_by } = moved
    updateInvocation(database, task.id, moved.invocation)
    if (move.next) insertInvocation(database, task.id, { ...move.next, n: newest }, at)
    updateTask(database, { id: task.id, status, newest, cancel_requested_by }, at)
    auditEntries(database, recordsOfMove(task, { ...move, to }, sha256), at)
    return findTask(database, task.id)
  }

  watch(onChange: () => void): Disposable {
    return this.#site.changes.watchTasks(onChange)
  }
}

/** Inside a transaction. @throws RefusedError `task_exists` */
export function createTask(database: Database, task: NewTask, at: number): Task {
  const taken = findTask(database, task.id) ?? (task.subject === null ? null : findTaskAbout(database, task.subject))
  if (taken) throw taskExists(task, taken)
  insertTask(database, task, at)
  insertInvocation(database, task.id, { ...task, n: 1 }, at)
  auditEntries(database, [recordOfTask(task, sha256)], at)
  return findTask(database, task.id) as Task
}
