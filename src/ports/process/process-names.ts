import type { Liveness } from './liveness.ts'

/** Names of processes: unlike a process id, a name is never used again for another process. */
export interface ProcessNames extends Liveness {
  /** True for a process of this host that cannot be observed from here: after a long silence it counts as gone. */
  isUnseen(name: string): boolean
  /** True if other processes may be unable to observe this one: then it sends heartbeats. */
  readonly beats: boolean
  /**
   * The name of a process of this machine that was not collected yet, in the form of `self`; `null` if there is none.
   */
  nameOf(pid: number): string | null
  /** Locates that very process. `null`: it is gone, on another machine, or cannot be distinguished from others. */
  find(name: string): FoundProcess | null
}

export interface FoundProcess {
  readonly pid: number
  /** When it began, as `Family` wants it. */
  readonly started: string
}
