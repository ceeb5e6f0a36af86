import type { Daemon, DaemonStop } from '../../core/fleet/daemon.ts'
import type { Presence, TurnError } from '../../core/fleet/presence.ts'
import type { AgentDoor } from '../../ports/store/fleet/presences.ts'
import { isoTimeOrNull } from './iso-times.ts'

type Row = Readonly<Record<string, unknown>>

/** `id` is the task's. */
export function asPresence(row: Row): Presence {
  const error = row['last_error']
  return {
    task_id: String(row['id']),
    invocation: Number(row['invocation']),
    process: String(row['process']),
    endpoint: String(row['endpoint']),
    protocol: Number(row['protocol']),
    clients: Number(row['clients']),
    writer: row['writer'] as string | null,
    queued: Number(row['queued']),
    last_error: error === null ? null : (JSON.parse(String(error)) as TurnError),
    last_input_at: isoTimeOrNull(row['last_input_at']),
    last_left_at: isoTimeOrNull(row['last_left_at']),
    updated_at: new Date(Number(row['updated_at'])).toISOString(),
  }
}

export function asDoor(row: Row): AgentDoor {
  return {
    process: String(row['process']),
    endpoint: String(row['endpoint']),
    protocol: Number(row['protocol']),
    token: String(row['token']),
  }
}

export function asDaemon(row: Row): Daemon {
  return {
    process: String(row['process']),
    endpoint: String(row['endpoint']),
    version: String(row['version']),
    started_at: new Date(Number(row['started_at'])).toISOString(),
    stop: row['stop'] as DaemonStop | null,
  }
}
