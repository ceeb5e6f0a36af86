/**
 * Tasks as they are: the rows of the registry, after lost tasks are settled.
 * S1  A task is lost when its supervisor certainly is gone. Silence is proof only if no supervisor ever signed in, or
 *     if this host cannot check it: it has the name of this host, in another container.
 * S2  Before a lost task counts as failed, its remaining processes are stopped. Its next invocation never runs at the
 *     same time.
 * S3  A signal goes only to processes that carry the task's mark, or that the noted process leads. A process id alone
 *     means nothing.
 * S4  A look at a queued task starts the tasks whose turn it is. A supervisor may have been killed after it recorded
 *     the end of its task, and before it started the next.
 * S5  A task of another host is never settled here: its processes have no names on this one.
 */
import { HOST_BEAT_MS, isOfHost } from '../core/fleet/fleet-host.ts'
import { takerOf, WAITS_FOR_TURN, waitsForTurn } from '../core/task/start-queue.ts'
import { type Invocation, TASK_RESTS, type Task, type TaskStatus } from '../core/task/task.ts'
import type { Clock } from '../ports/clock.ts'
import type { ProcessFamilies } from '../ports/process/process-families.ts'
import type { ProcessNames } from '../ports/process/process-names.ts'
import type { HostStore } from '../ports/store/fleet/hosts.ts'
import type { TaskQuery, TaskRegistry } from '../ports/store/fleet/task-registry.ts'
import { stopFamily } from './stop-family.ts'
import { markOf } from './task-environment.ts'

export interface TaskDeps {
  readonly registry: TaskRegistry
  readonly hosts: HostStore
  readonly clock: Clock
  readonly names: ProcessNames
  readonly families: ProcessFamilies
}

/** The start queue, as a look at tasks uses it. */
export interface Turns {
  /** Called when a task that was lost takes no place any more, and when a task that waits was seen. */
  readonly onFree: () => Promise<void>
  /** True while this process takes tasks from the queue and starts them. */
  readonly isTaking: () => boolean
}

/** The name with which this process takes tasks from the queue. */
export function nameOfThis(names: ProcessNames): string {
  return names.nameOf(process.pid) ?? names.self
}

/**
 * Milliseconds from asking for an invocation to its supervisor's name on record. A starter may be stopped in between.
 */
const NEVER_STARTED_MS = 10_000
/** Milliseconds without a sign of a supervisor that cannot be looked at, until its task is lost. */
const SILENT_MS = 6 * HOST_BEAT_MS
/** Looks that are further apart, in milliseconds, say nothing of the time in between. A quiet daemon looks each 10 seconds. */
const APART_MS = 2 * HOST_BEAT_MS
/** Between SIGTERM and SIGKILL. */
const GRACE_MS = 500
const UNDER_WAY: readonly TaskStatus[] = ['pending', 'running']

export class SettledTasks {
  readonly #tower: TaskDeps
  readonly #turns: Turns
  /** When an invocation without a supervisor was seen first. */
  readonly #firstSeen = new Map<string, number>()
  /**
   * The last sign of each supervisor that this host cannot check: its text, its time, and the time of the newest look.
   */
  readonly #heard = new Map<string, { readonly sign: string; readonly since: number; readonly looked: number }>()

  constructor(tower: TaskDeps, turns: Turns) {
    this.#tower = tower
    this.#turns = turns
  }

  async one(id: string): Promise<Task | null> {
    const { registry } = this.#tower
    const found = await registry.task(id)
    const task = found && (await this.#settle(found))
    return task && (await this.#startNext([task])) ? registry.task(id) : task
  }

  async all(query: TaskQuery): Promise<readonly Task[]> {
    const { registry } = this.#tower
    // Settled before every query: a lost task may match it only then.
    for (const status of UNDER_WAY) await this.#startNext(await this.#settleAll(await registry.tasks({ status })))
    return registry.tasks(query)
  }

  /** In one query. Unknown ones are left out. */
  async these(ids: readonly string[]): Promise<readonly Task[]> {
    const { registry } = this.#tower
    const tasks = await this.#settleAll(await registry.tasks({ ids }))
    return (await this.#startNext(tasks)) ? registry.tasks({ ids }) : tasks
  }

  /** True if one of them waited (S4): then each may have moved on. */
  async #startNext(tasks: readonly Task[]): Promise<boolean> {
    const waits = tasks.some(task => waitsForTurn(task.invocation) && this.#isHere(task))
    if (waits) await this.#turns.onFree()
    return waits
  }

  #settleAll(tasks: readonly Task[]): Promise<readonly Task[]> {
    return Promise.all(tasks.map(task => this.#settle(task)))
  }

  async #settle(task: Task): Promise<Task> {
    if (!this.#isLost(task)) return task
    // The supervisor may have written the end just before it exited; from here on it writes nothing more.
    const { registry } = this.#tower
    const now = (await registry.task(task.id)) ?? task
    if (now.invocation.n !== task.invocation.n || !this.#isLost(now)) return now
    const isTaken = takerOf(now.invocation.supervisor) !== null
    const lost = isTaken ? null : await this.#recordLost(now, await this.#stopRemains(now))
    if (isTaken ? await this.#putBack(now) : lost) await this.#turns.onFree()
    return lost ?? (await registry.task(task.id)) ?? now
  }

  /** A task that was taken from the queue but never ran is queued again, before all that were requested later. */
  async #putBack({ id, invocation, cancel_requested_by }: Task): Promise<Task | null> {
    const place = {
      task_id: id,
      invocation: invocation.n,
      from: ['pending'],
      supervisor: invocation.supervisor,
    } as const
    const change = { supervisor: WAITS_FOR_TURN }
    return this.#tower.registry.move({ ...place, change, ...(cancel_requested_by !== null && { to: 'cancelled' }) })
  }

  #isHere(task: Task): boolean {
    return isOfHost(task, this.#tower.hosts.self)
  }

  #isLost(task: Task): boolean {
    const { status, invocation } = task
    if (TASK_RESTS[status] || !this.#isHere(task)) return false
    const { names, clock } = this.#tower
    const taker = takerOf(invocation.supervisor)
    if (taker !== null && this.#isDropped(taker)) return true
    const keeper = taker ?? invocation.supervisor
    if (keeper === WAITS_FOR_TURN) return false
    if (keeper !== null) return names.isGone(keeper) || (names.isUnseen(keeper) && this.#isSilent(task))
    return clock.now() - this.#askedAt(task) > NEVER_STARTED_MS
  }

  /** This process took it and is not starting it: the store was away in between. */
  #isDropped(taker: string): boolean {
    return taker === nameOfThis(this.#tower.names) && !this.#turns.isTaking()
  }

  /** Looks that are far apart do not count, as while the store was away: no supervisor would have been heard in between. */
  #isSilent({ id, invocation, updated_at }: Task): boolean {
    const now = this.#tower.clock.now()
    const before = this.#heard.get(id)
    const sign = `${invocation.n} ${updated_at}`
    const isSame = before?.sign === sign && now - before.looked <= APART_MS
    const since = isSame ? before.since : now
    this.#heard.set(id, { sign, since, looked: now })
    return now - since >= SILENT_MS
  }

  /** By the clock of this machine. The clock of a store that hosts share may differ, so there it counts from the first look. */
  #askedAt({ id, invocation: { n, asked_at } }: Task): number {
    if (this.#tower.hosts.self === null) return Date.parse(asked_at)
    const key = `${id}/${n}`
    const seen = this.#firstSeen.get(key) ?? this.#tower.clock.now()
    this.#firstSeen.set(key, seen)
    return seen
  }

  async #stopRemains({ id, invocation }: Task): Promise<boolean> {
    const { names, families } = this.#tower
    const leader = invocation.process === null ? null : names.find(invocation.process)
    const family = {
      leader: leader?.pid ?? null,
      started: leader?.started ?? null,
      mark: markOf(id, invocation.n),
    }
    return stopFamily(families, family, GRACE_MS)
  }

  async #recordLost(task: Task, stopped: boolean): Promise<Task | null> {
    return this.#tower.registry.move({
      task_id: task.id,
      invocation: task.invocation.n,
      from: UNDER_WAY,
      supervisor: task.invocation.supervisor,
      to: task.cancel_requested_by === null ? 'failed' : 'cancelled',
      change: { error: lossOf(task, stopped) },
    })
  }
}

/** No supervisor signed in, and none will. */
export const NEVER_STARTED: NonNullable<Invocation['error']> = {
  code: 'never_started',
  message: 'Nobody came to supervise it, so nothing of it ran.',
}

function lossOf({ status, invocation }: Task, stopped: boolean): Invocation['error'] {
  if (invocation.supervisor === null) return NEVER_STARTED
  const when = status === 'pending' ? 'before it could tell that it runs' : 'before it could tell how it ended'
  const remains = stopped ? 'what still ran of it was stopped' : 'something of it still runs and could not be stopped'
  return {
    code: 'supervisor_lost',
    message: `Its supervisor was killed ${when}; ${remains}. Its effect may be partial.`,
  }
}
