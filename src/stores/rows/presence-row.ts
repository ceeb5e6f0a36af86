import type { Daemon, DaemonStop } from '../../core/fleet/daemon.ts'
import type { Presence, TurnError } from '../../core/fleet/presence.ts'
import type { AgentDoor } from '../../ports/store/fleet/presences.ts'
import type { StoredWorker } from '../../ports/store/fleet/workers.ts'
import { json, number, oneOf, orNull, text, time } from './decode/cells.ts'
import { decodeRow, type Row } from './decode/decode-row.ts'
import { isText, listOf, objectWith } from './decode/shapes.ts'

const UNREADABLE_ERROR: TurnError = { code: 'unreadable', message: 'what is kept of the error cannot be read' }

const PRESENCE = {
  id: text(),
  invocation: number,
  ...{ process: text(), endpoint: text() },
  protocol: number,
  clients: number,
  writer: orNull(text()),
  queued: number,
  last_error: orNull(
    json<TurnError>(objectWith({ code: isText, message: isText }), 'an error', UNREADABLE_ERROR),
    UNREADABLE_ERROR,
  ),
  last_input_at: orNull(time),
  last_left_at: orNull(time),
  updated_at: time,
}

/** `id` is the task's. */
export function asPresence(row: Row): Presence {
  const { id: task_id, unreadable: _, ...cells } = decodeRow(PRESENCE, row)
  return { task_id, ...cells }
}

const DOOR = { process: text(), endpoint: text(), protocol: number, token: text('') }

export function asDoor(row: Row): AgentDoor {
  const { process, endpoint, protocol, token } = decodeRow(DOOR, row)
  return { process, endpoint, protocol, token }
}

const STOPS: readonly DaemonStop[] = ['drain', 'kill']

const DAEMON = {
  ...{ process: text(), endpoint: text(), version: text() },
  started_at: time,
  stop: orNull(oneOf(STOPS, 'drain')),
}

export function asDaemon(row: Row): Daemon {
  const { process, endpoint, version, started_at, stop } = decodeRow(DAEMON, row)
  return { process, endpoint, version, started_at, stop }
}

const WORKER = { process: text(), agents: json<readonly string[]>(listOf(isText), 'names', []), seen_at: number }

export function asWorker(row: Row, now: number): StoredWorker {
  const { process, agents, seen_at } = decodeRow(WORKER, row)
  return { process, agents, silent_ms: Math.max(0, now - seen_at) }
}
