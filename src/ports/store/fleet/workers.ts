import type { Working } from '../../../core/advancing/stuck-run.ts'

/** A process that advances the runs of the store, as it signs in. */
export interface NewWorker extends Working {
  /** The process, named like `Liveness.self`. */
  readonly process: string
}

export interface StoredWorker extends NewWorker {
  /** Milliseconds since its newest sign of life, by the clock of the store. */
  readonly silent_ms: number
}

/** The processes that advance runs. Each writes its own row, and removes it when it stops. */
export interface WorkerStore {
  /** A worker is here: its first sign of life, or another one. */
  isHere(worker: NewWorker): Promise<void>
  /** Removes these workers: one that stops, or those that are gone. */
  leave(processes: readonly string[]): Promise<void>
  list(): Promise<readonly StoredWorker[]>
}
