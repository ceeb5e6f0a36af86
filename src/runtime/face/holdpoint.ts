import type { Pruned, PruneOptions } from '../threads/prune-store.ts'
import type { WorkOptions } from '../worker/work-options.ts'
import type { Agents } from './agents.ts'
import type { Audit } from './audit.ts'
import type { Bundles } from './bundles.ts'
import type { Grants } from './grants.ts'
import type { Holds } from './holds.ts'
import type { Runs } from './runs.ts'
import type { Tasks } from './tasks.ts'
import type { Threads } from './threads.ts'
import type { Tokens } from './tokens.ts'

/** The face (docs/design/library.md): every host and library user calls it. There is no second way to run or resume (P8). */
export interface Holdpoint extends Runs, Holds, Threads, AsyncDisposable {
  /** Standing approvals. */
  readonly grants: Grants
  /** The audit log: who did what. */
  readonly audit: Audit
  /** Threads that move between stores. */
  readonly bundles: Bundles
  /** The callers of the server, with their roles. */
  readonly tokens: Tokens
  /** Commands and agents as processes of their own. */
  readonly tasks: Tasks
  /** Background agents and their messages. */
  readonly agents: Agents
  /** The URL of the store, as it was opened, without secrets. */
  readonly storeUrl: string

  /**
   * Advances every run that can move, so many at a time, and fires what is due, until its signal is aborted; several
   * workers may share one store. @throws what `onEvent` throws, and with `once` the store's own error.
   */
  work(options?: WorkOptions): Promise<void>

  /** Deletes finished threads in which nothing happened since, whole; their audit records stay. @throws RefusedError */
  prune(options: PruneOptions): Promise<Pruned>

  /** Calls back after any change in the store, by any process, until it is disposed of. */
  watch(onChange: () => void): Disposable

  /** Ends followers and workers, stops runs at a safe point and the servers of agents, and closes the store. */
  [Symbol.asyncDispose](): Promise<void>
}
