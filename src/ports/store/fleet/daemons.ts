import type { Daemon, DaemonStop } from '../../../core/fleet/daemon.ts'

export type NewDaemon = Pick<Daemon, 'process' | 'endpoint' | 'version'>

/** The one daemon of the store. A compare-and-set on its row is the lock; `TaskRegistry.watch` reports changes. */
export interface DaemonStore {
  find(): Promise<Daemon | null>
  /**
   * Becomes the daemon, if the one that was seen still is it. `seen` is its process, `null` if there was none. `null` if
   * another one was first: nothing was written.
   */
  take(daemon: NewDaemon, seen: string | null): Promise<Daemon | null>
  /** `null` if another process is the daemon by now. A wish to kill replaces one to drain. */
  askToStop(process: string, stop: DaemonStop): Promise<Daemon | null>
  /** Nothing happens if another process is the daemon by now. */
  leave(process: string): Promise<void>
}
