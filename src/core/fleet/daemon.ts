/** The way a daemon is asked to end: once running work has come to rest, or now. */
export type DaemonStop = 'drain' | 'kill'

/** The one daemon of a store. */
export interface Daemon {
  /** The process, named like `Liveness.self`. */
  readonly process: string
  /** Absolute path of its socket. */
  readonly endpoint: string
  /** The version of Holdpoint that it runs. */
  readonly version: string
  /** ISO time. */
  readonly started_at: string
  /** `null`: it was not asked to end. */
  readonly stop: DaemonStop | null
}
