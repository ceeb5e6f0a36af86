/**
 * The work of a daemon in addition to its worker: it settles lost tasks, and starts queued ones when their turn is
 * due. It also wakes paused tasks whose runs can continue.
 */
import { eachChange } from '../../../async/each-change.ts'
import { messageOf } from '../../../core/errors.ts'
import { isOfHost } from '../../../core/fleet/fleet-host.ts'
import { isStoreGone } from '../../../core/store-gone.ts'
import type { Task } from '../../../core/task/task.ts'
import type { RunRow } from '../../../ports/store/runs.ts'
import type { App } from '../../compose/compose.ts'
import { systemClock } from '../../process/system-clock.ts'

/** No event follows the kill of a supervisor, so tasks are polled. */
const BUSY_MS = 1_000
const QUIET_MS = 10_000
/** The process that decided wakes a task itself, in the name of its person. */
const OTHERS_MS = 5_000
/** The intervals if hosts share the store: a decision on another host wakes no task of this one. */
const OTHER_HOSTS_MS = 500
/** With nothing to do for so long, a daemon that a verb started ends. */
const IDLE_MS = 300_000

export interface Fleet {
  readonly app: App
  /** This process, as the row of the daemon names it. */
  readonly self: string
  readonly signal: AbortSignal
  readonly endsWhenIdle: boolean
}

/** Until the signal is aborted; a wish to stop in its row becomes a signal to this very process. */
export async function keepFleet(fleet: Fleet): Promise<void> {
  const { signal } = fleet
  const keeper = new Keeper(fleet)
  while (!signal.aborted) {
    const { tasks } = fleet.app.store
    const watches = [(onChange: () => void) => tasks.watch(onChange)]
    const wait = { clock: systemClock, watches, signal, restMs: 50, safetyMs: keeper.safetyMs }
    const before = keeper.safetyMs
    for await (const _ of eachChange(wait)) {
      if (signal.aborted) return
      await keeper.look()
      if (keeper.safetyMs !== before) break
    }
  }
}

class Keeper {
  readonly #fleet: Fleet
  #busyAt = systemClock.now()
  #stopsAsked = 0
  #lastFault: string | null = null
  /** By paused task: when its run was first seen without a lease, by the clock of this machine. */
  readonly #leftSince = new Map<string, number>()
  safetyMs = BUSY_MS

  constructor(fleet: Fleet) {
    this.#fleet = fleet
  }

  async look(): Promise<void> {
    try {
      const isBusy = await this.#tend()
      this.safetyMs = isBusy ? BUSY_MS : QUIET_MS
      this.#lastFault = null
      await this.#endIfIdle(isBusy)
    } catch (thrown) {
      if (isStoreGone(thrown)) this.#stop(1)
      const fault = messageOf(thrown)
      if (fault !== this.#lastFault) process.emitWarning(fault)
      this.#lastFault = fault
    }
  }

  /** True while tasks are under way. */
  async #tend(): Promise<boolean> {
    const { app, self } = this.#fleet
    const row = await app.store.daemons.find()
    // Another process is the daemon: this one was taken for gone.
    if (row?.process !== self) return this.#stop(1)
    const manager = await app.taskProcesses.manager()
    const [running, pending] = [await manager.tasks({ status: 'running' }), await manager.tasks({ status: 'pending' })]
    if (row.stop === 'kill') return this.#stop(2)
    if (row.stop === 'drain') return (await this.#anyWorks(running)) || this.#stop(1)
    await manager.startWaiting()
    const mayWait = await this.#wakeReady()
    return mayWait || [...running, ...pending].some(task => this.#isHere(task))
  }

  /** An agent that waits for people may stay for days. */
  async #anyWorks(running: readonly Task[]): Promise<boolean> {
    for (const { subject } of running.filter(task => this.#isHere(task)))
      if (subject === null || (await this.#fleet.app.store.run(subject))?.status === 'running') return true
    return false
  }

  #isHere(task: Task): boolean {
    return isOfHost(task, this.#fleet.app.store.hosts.self)
  }

  /**
   * The process that decided could not go on with the task, for want of a key perhaps, or is on another host. True if one may
   * be decided there: while it waits for that, this daemon is needed.
   */
  async #wakeReady(): Promise<boolean> {
    const { holdpoint, store } = this.#fleet.app
    const isShared = store.hosts.self !== null
    const paused = (await store.tasks.tasks({ status: 'paused', kind: 'agent' })).filter(task => this.#isHere(task))
    for (const { id, subject } of paused) {
      const row = subject === null ? null : await store.run(subject)
      if (this.#isLeft(id, row)) await holdpoint.tasks.goOn(id, { by: 'holdpoint', surface: 'daemon' })
    }
    return isShared && paused.length > 0
  }

  /** The time of a store that hosts share may differ from that of this machine. */
  #isLeft(taskId: string, row: RunRow | null): boolean {
    if (row?.status !== 'running' || row.lease !== null) {
      this.#leftSince.delete(taskId)
      return false
    }
    const now = systemClock.now()
    if (row.retry_at !== null && Date.parse(row.retry_at) > now) return false
    if (this.#fleet.app.store.hosts.self === null) return Date.parse(row.updated_at) < now - OTHERS_MS
    const since = this.#leftSince.get(taskId) ?? now
    this.#leftSince.set(taskId, since)
    return since <= now - OTHER_HOSTS_MS
  }

  /** Works like signals from outside: the first one drains, and a second one stops the current work. */
  #stop(signals: number): boolean {
    while (this.#stopsAsked < signals) {
      this.#stopsAsked += 1
      process.kill(process.pid, 'SIGTERM')
    }
    return true
  }

  async #endIfIdle(isBusy: boolean): Promise<void> {
    const { app, endsWhenIdle } = this.#fleet
    if (isBusy || !endsWhenIdle || (await app.store.nextDue()) !== null) this.#busyAt = systemClock.now()
    if (systemClock.now() - this.#busyAt > IDLE_MS) this.#stop(1)
  }
}
