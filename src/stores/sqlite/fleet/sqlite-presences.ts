import type { Presence, PresenceChange } from '../../../core/fleet/presence.ts'
import type { AgentDoor, NewPresence, PresenceOwner, PresenceStore } from '../../../ports/store/fleet/presences.ts'
import { millisecondsOrNull } from '../../rows/iso-times.ts'
import { asDoor, asPresence } from '../../rows/presence-row.ts'
import type { Database } from '../database/database.ts'
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
        .run(...columns, millisecondsOrNull(last_input_at), millisecondsOrNull(last_left_at), at, task_id, invocation)
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
  async #write(
    taskId: string,
    work: (database: Database, at: number) => { changes: number | bigint },
  ): Promise<Presence | null> {
    const { database, clock, changes } = this.#site
    const { written, found } = await database.transaction(() => ({
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
