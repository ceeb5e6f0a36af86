import type { Daemon, DaemonStop } from '../../../core/fleet/daemon.ts'

/** The daemon of a store. */
export interface DaemonDocument {
  /** The value for `--server`. */
  readonly server: string
  readonly pid: number
  readonly version: string
  /** ISO time. */
  readonly started_at: string
  /** How it was asked to end; `null` if it was not. */
  readonly stop: DaemonStop | null
}

export interface DaemonStatus {
  /** `null` if none runs. */
  readonly daemon: DaemonDocument | null
}

export interface DaemonStopped {
  /** False if none ran. */
  readonly stopped: boolean
}

export function daemonDocument({ process, endpoint, version, started_at, stop }: Daemon): DaemonDocument {
  const [, pid] = process.split(':')
  return { server: `unix:${endpoint}`, pid: Number(pid), version, started_at, stop }
}
