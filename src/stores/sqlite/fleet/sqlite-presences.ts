import type { Presence, PresenceChange, TurnError } from '../../../core/fleet/presence.ts'
import type { AgentDoor, NewPresence, PresenceOwner, PresenceStore } from '../../../ports/store/fleet/presences.ts'
import type { Database } from '../database/database.ts'
import { isoTime } from '../tables/iso-times.ts'
import type { TaskStoreDeps } from '../tasks/sqlite-tasks.ts'

const PRESENCE = `t.id, p.invocation, p.process, p.endpoint, p.protocol, p.clients, p.writer, p.queued, p.last_error,
  p.last_input_at, p.last_left_at, p.updated_at FROM presences p JOIN tasks t ON t.number = p.task`
const OWNED = 'task = (SELECT number FROM tasks WHERE id = ?) AND invocation = ?'

/** Those who wait for tasks hear of presences too. */
export class SqlitePresences implements PresenceStore {
  readonly #site: TaskStoreDeps

  constructor(site: TaskStoreDeps) {
    this.#site = site
  }

  async arrive({ task_id, invocation, process, endpoint, protocol, token }: NewPresence): Promise<Presence | null> {
    return this.#write(task_id, (database, at) =>
      database
        .statement(
          `INSERT OR REPLACE INTO presences (task, invocation, process, endpoint, protocol, token, updated_at)
             SELECT number, newest, ?, ?, ?, ?, ? FROM tasks WHERE id = ? AND newest = ?`,
        )
        .run(process, endpoint, protocol, token, at, task_id, invocation),
    )
  }

  async change({ task_id, invocation }: PresenceOwner, change: PresenceChange): Promise<Presence | null> {
    return this.#write(task_id, (database, at) => {
      const before = findPresence(database, task_id)
      if (before?.invocation !== invocation) return { changes: 0 }
      const { clients, writer, queued, last_error, last_input_at, last_left_at } = { ...before, ...change }
      const columns = [clients, writer, queued, last_error && JSON.stringify(last_error)]
      return database
        .statement(
          `UPDATE presences SET clients = ?, writer = ?, queued = ?, last_error = ?, last_input_at = ?,
             last_left_at = ?, updated_at = ? WHERE ${OWNED}`,
        )
        .run(...columns, milliseconds(last_input_at), milliseconds(last_left_at), at, task_id, invocation)
    })
  }

  async leave({ task_id, invocation }: PresenceOwner): Promise<void> {
    await this.#write(task_id, database =>
      database.statement(`DELETE FROM presences WHERE ${OWNED}`).run(task_id, invocation),
    )
  }

  async find(taskId: string): Promise<Presence | null> {
    const { database } = this.#site
    return database.read(() => findPresence(database, taskId))
  }

  async list(): Promise<Presence[]> {
    const { database } = this.#site
    return database.read(() => database.statement(`SELECT ${PRESENCE} ORDER BY p.task`).all().map(asPresence))
  }

  async door(taskId: string): Promise<AgentDoor | null> {
    const { database } = this.#site
    return database.read(() => {
      const row = database
        .statement(
          `SELECT process, endpoint, protocol, token FROM presences
             WHERE task = (SELECT number FROM tasks WHERE id = ?)`,
        )
        .get(taskId)
      return row ? asDoor(row) : null
    })
  }

  /** `null` if nothing was written. */
  #write(taskId: string, work: (database: Database, at: number) => { changes: number | bigint }): Presence | null {
    const { database, clock, changes } = this.#site
    const { written, found } = database.transaction(() => ({
      written: Number(work(database, clock.now()).changes) > 0,
      found: findPresence(database, taskId),
    }))
    if (written) changes.tellOfTasks()
    return written ? found : null
  }
}

function findPresence(database: Database, taskId: string): Presence | null {
  const row = database.statement(`SELECT ${PRESENCE} WHERE t.id = ?`).get(taskId)
  return row ? asPresence(row) : null
}

type Row = Readonly<Record<string, unknown>>

function asPresence(row: Row): Presence {
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
    last_input_at: isoTime(row['last_input_at']),
    last_left_at: isoTime(row['last_left_at']),
    updated_at: new Date(Number(row['updated_at'])).toISOString(),
  }
}

function asDoor(row: Row): AgentDoor {
  return {
    process: String(row['process']),
    endpoint: String(row['endpoint']),
    protocol: Number(row['protocol']),
    token: String(row['token']),
  }
}

function milliseconds(time: string | null): number | null {
  return time === null ? null : Date.parse(time)
}
