import type { Liveness } from './liveness.ts'

/** Names of processes: unlike a process id, a name never comes to mean another process. */
export interface ProcessNames extends Liveness {
  /** True for a process of this host that cannot be looked at from here: if it says nothing for long, it counts as gone. */
  isUnseen(name: string): boolean
  /** True if this process may be one that others cannot look at: then it tells now and again that it is there. */
  readonly beats: boolean
  /**
   * The name of a process of this machine that was not collected yet, in the form of `self`; `null` if there is none.
   */
  nameOf(pid: number): string | null
  /** The place of that very process. `null`: it is gone, or elsewhere, or it cannot be told from others. */
  find(name: string): FoundProcess | null
}

export interface FoundProcess {
  readonly pid: number
  /** When it began, as `Family` wants it. */
  readonly started: string
}
