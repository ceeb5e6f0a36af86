/**
 * Reports to agent lists in this process which agents may have changed status. Processes that start, exit or report
 * about themselves leave no audit record, so rows are read.
 * G1  The rows are read once for all followers, and only while there are any. Agents that wait without a process or are
 *     over cost nothing.
 * G2  A burst of commits costs one look in REST_MS.
 * G3  A new follower first gets every agent that is under way, so that it misses none. Later changes that it has not
 *     read yet arrive together.
 */
import { eachChange } from '../../async/each-change.ts'
import { keptAlive } from '../../async/kept-alive.ts'
import { NEVER, orAborted } from '../../async/on-abort.ts'
import { A_SIGNAL, checkFields } from '../../core/given-fields.ts'
import type { Task } from '../../core/task/task.ts'
import type { TaskManager } from '../../ports/process/task-manager.ts'
import { AGENT, type AgentTasksDeps } from '../agent-tasks/agent-task.ts'
import type { AgentChanges, FollowAgentsOptions } from '../face/agents.ts'

/** Shorter than a person notices. */
const REST_MS = 100
/** A killed process reports nothing, so the rows are read at least this often. */
const SAFETY_MS = 1_000

interface FeedDeps extends Pick<AgentTasksDeps, 'store' | 'clock' | 'liveness'> {
  readonly tasks: Pick<TaskManager, 'tasks' | 'watch'>
}

export class FleetFeed {
  readonly #deps: FeedDeps
  readonly #followers = new Set<Follower>()
  #over = new AbortController()
  /** The facts of each agent that is under way as they were read last, by its id; `null` if nothing was read yet. */
  #known: ReadonlyMap<string, string> | null = null

  constructor(deps: FeedDeps) {
    this.#deps = deps
  }

  /** @throws RefusedError `invalid_arguments` */
  async *follow(options: FollowAgentsOptions = {}): AsyncGenerator<AgentChanges, void, undefined> {
    const { signal = NEVER } = checkFields('agents.changes', options, { signal: A_SIGNAL })
    using follower = this.#join()
    using _alive = keptAlive(signal)
    while (!signal.aborted) {
      const news = follower.news
      const ids = follower.take()
      if (ids.length > 0) yield { task_ids: ids }
      else await orAborted(news, signal).catch(() => {})
    }
  }

  #join(): Follower {
    const follower = new Follower(() => {
      this.#followers.delete(follower)
      if (this.#followers.size > 0) return
      this.#over.abort()
      this.#over = new AbortController()
      this.#known = null
    })
    this.#followers.add(follower)
    if (this.#known) follower.put([...this.#known.keys()])
    if (this.#followers.size === 1) void this.#watch(this.#over.signal)
    return follower
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const { clock, tasks } = this.#deps
    const watches = [(onChange: () => void) => tasks.watch(onChange)]
    for await (const _ of eachChange({ clock, watches, signal, restMs: REST_MS, safetyMs: SAFETY_MS })) {
      if (signal.aborted) return
      // A store that cannot be read now is read at the next look: what follows its records meets the error.
      const now = await this.#look().catch(() => null)
      if (signal.aborted) return
      if (now) this.#tell(now)
    }
  }

  #tell(now: ReadonlyMap<string, string>): void {
    const before = this.#known ?? new Map<string, string>()
    this.#known = now
    const ids = [...new Set([...before.keys(), ...now.keys()])].filter(id => before.get(id) !== now.get(id))
    for (const follower of this.#followers) follower.put(ids)
  }

  /** The look at tasks settles those that were lost. */
  async #look(): Promise<ReadonlyMap<string, string>> {
    const { tasks, store, liveness } = this.#deps
    const running = await tasks.tasks({ kind: AGENT, status: 'running' })
    const pending = await store.tasks.tasks({ kind: AGENT, status: 'pending' })
    const statuses = new Map([...pending, ...running].map(task => [task.id, statusKey(task)]))
    for (const presence of await store.presences.list()) {
      const told = JSON.stringify([presence, liveness.isGone(presence.process)])
      statuses.set(presence.task_id, `${statuses.get(presence.task_id) ?? ''}${told}`)
    }
    return statuses
  }
}

/** The task's part of the status. The size of the output is left out: it grows all the time and changes no status. */
function statusKey({ status, cancel_requested_by, subject, invocation }: Task): string {
  return JSON.stringify([status, cancel_requested_by, subject, invocation.n, invocation.supervisor])
}

class Follower implements Disposable {
  readonly #leave: () => void
  readonly #ids = new Set<string>()
  #news = Promise.withResolvers<void>()

  constructor(leave: () => void) {
    this.#leave = leave
  }

  /** Resolves once there are more. */
  get news(): Promise<void> {
    return this.#news.promise
  }

  put(ids: readonly string[]): void {
    for (const id of ids) this.#ids.add(id)
    if (ids.length === 0) return
    this.#news.resolve()
    this.#news = Promise.withResolvers()
  }

  take(): readonly string[] {
    const ids = [...this.#ids]
    this.#ids.clear()
    return ids
  }

  [Symbol.dispose](): void {
    this.#leave()
  }
}
