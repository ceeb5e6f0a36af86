/**
 * The registry of tasks. Keeps: each method is one transaction; a task changes by one compare-and-set, along
 * `TASK_MAY_BECOME` alone; who asked for what is on record with it (P10); the next invocation never rewrites an earlier one.
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
import type { SqlDeps, Transaction } from '../driver/driver.ts'
import { first, type Work } from '../driver/work.ts'
import { removeTask } from './prune-tasks.ts'
import {
  findTask,
  findTaskAbout,
  insertInvocation,
  insertTask,
  listInvocations,
  listTasks,
  lockTask,
  nameHost,
  nextInQueue,
  tasksNotOver,
  updateInvocation,
  updateTask,
} from './task-table.ts'

export class SqlTasks implements TaskRegistry {
  readonly #deps: SqlDeps

  constructor(deps: SqlDeps) {
    this.#deps = deps
  }

  async create(task: NewTask): Promise<Task> {
    const { driver, changes, host } = this.#deps
    const created = await driver.transaction(transaction => createTask(transaction, task, host))
    changes.tellOfTasks()
    return created
  }

  async task(id: string): Promise<Task | null> {
    return this.#deps.driver.read(() => findTask(id))
  }

  async tasks(query: TaskQuery): Promise<Task[]> {
    return this.#deps.driver.read(() => listTasks(query))
  }

  async invocations(taskId: string): Promise<Invocation[]> {
    return this.#deps.driver.read(() => listInvocations(taskId))
  }

  async move(move: TaskMove): Promise<Task | null> {
    const { driver, changes, host } = this.#deps
    const moved = await driver.transaction(transaction => moveTask(transaction, move, host))
    if (moved) changes.tellOfTasks()
    return moved
  }

  async takeNext(turn: TaskTurn): Promise<Task | null> {
    const { driver, changes, host } = this.#deps
    // Most looks find nothing, and other writers need not wait for them.
    if ((await driver.read(() => nextInQueue(turn, host))) === null) return null
    const taken = await driver.transaction(transaction => takeNextTask(transaction, turn, host))
    if (taken) changes.tellOfTasks()
    return taken
  }

  async remove(taskId: string, removal: TaskRemoval): Promise<boolean> {
    const { driver, changes } = this.#deps
    const isRemoved = await driver.transaction(transaction => removeTask(transaction, taskId, removal))
    if (isRemoved) changes.tellOfTasks()
    return isRemoved
  }

  watch(onChange: () => void): Disposable {
    return this.#deps.changes.watchTasks(onChange)
  }
}

/** Inside a transaction; `null` if the task has moved on since it was seen. @throws RefusedError `illegal_task_move` */
function* moveTask({ now, record }: Transaction, move: TaskMove, host: HostName | null): Work<Task | null> {
  refuseIllegalMove(move)
  yield* lockTask(move.task_id)
  const task = yield* findTask(move.task_id)
  const moved = task && applyTaskMove(task, move, now)
  if (!moved) return null
  const { to, status, newest, cancel_requested_by } = moved
  const subject = move.next?.subject ?? move.about ?? task.subject
  yield* updateInvocation(task.id, moved.invocation)
  if (move.next) yield* insertInvocation(task.id, { ...move.next, n: newest }, now)
  // A started task belongs to the host that started it.
  const starter = move.next && host ? host.id : null
  yield* updateTask({ id: task.id, status, newest, subject, cancel_requested_by, host: starter }, now)
  yield* record(recordsOfMove({ ...task, subject }, { ...move, to }, sha256))
  return yield* findTask(task.id)
}

/** Inside a transaction. */
function* takeNextTask(transaction: Transaction, { by, ...turn }: TaskTurn, host: HostName | null): Work<Task | null> {
  yield* lockKind(turn.kind)
  const next = yield* nextInQueue(turn, host)
  if (next === null) return null
  const place = {
    task_id: next.id,
    invocation: next.invocation.n,
    from: ['pending'],
    supervisor: WAITS_FOR_TURN,
  } as const
  return yield* moveTask(transaction, { ...place, change: { supervisor: takenBy(by) } }, host)
}

/** Until the transaction ends: turns are taken, and names given, one after the other. */
function* lockKind(kind: string): Work<void> {
  yield* first(`SELECT pg_advisory_xact_lock(hashtext('@tasks'), hashtext(?))`, [kind])
}

/** Inside a transaction: the task that is to go on with a run. @throws RefusedError `task_exists`, `task_moved_on` */
export function* taskOfRun(transaction: Transaction, task: NewTask | TaskMove, host: HostName | null): Work<void> {
  if (!('task_id' in task)) yield* createTask(transaction, task, host)
  else if ((yield* moveTask(transaction, task, host)) === null) throw yield* notAsSeen(task)
}

function* notAsSeen({ task_id, invocation }: TaskMove): Work<RefusedError> {
  const task = yield* findTask(task_id)
  return task ? taskMovedOn(task, invocation) : unknownTask(task_id)
}

/** Inside a transaction. @throws RefusedError `task_exists`, `name_taken` */
function* createTask({ now, record }: Transaction, task: NewTask, host: HostName | null): Work<Task> {
  yield* refuseTaken(task)
  const name = taskName(task)
  if (name !== null) {
    yield* lockKind(task.kind)
    refuseTakenName(name, yield* tasksNotOver(task.kind))
  }
  // Another transaction may have made it since.
  if (!(yield* insertTask(task, host, now))) yield* refuseTaken(task)
  yield* insertInvocation(task.id, { ...task, n: 1 }, now)
  if (host) yield* nameHost(host)
  yield* record([recordOfTask(task, sha256)])
  return (yield* findTask(task.id)) as Task
}

function* refuseTaken(task: NewTask): Work<void> {
  const taken = (yield* findTask(task.id)) ?? (task.subject === null ? null : yield* findTaskAbout(task.subject))
  if (taken) throw taskExists(task, taken)
}
