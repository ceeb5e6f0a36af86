import type { Presence, PresenceChange } from '../../../core/fleet/presence.ts'
import type { AgentDoor, NewPresence, PresenceOwner, PresenceStore } from '../../../ports/store/fleet/presences.ts'
import { millisecondsOrNull } from '../../rows/iso-times.ts'
import { asDoor, asPresence } from '../../rows/presence-row.ts'
import type { PostgresSite } from '../changes/site.ts'
import type { Query, Transaction } from '../database/pool.ts'

const PRESENCE = `t.id, p.invocation, p.process, p.endpoint, p.protocol, p.clients, p.writer, p.queued, p.last_error,
  p.last_input_at, p.last_left_at, p.updated_at FROM @presences p JOIN @tasks t ON t.number = p.task`
const OWNED = 'task = (SELECT number FROM @tasks WHERE id = $1) AND invocation = $2'

/** Those who wait for tasks hear of presences too. */
export class PostgresPresences implements PresenceStore {
  readonly #site: PostgresSite

  constructor(site: PostgresSite) {
    this.#site = site
  }

  async arrive({ task_id, invocation, process, endpoint, protocol, token }: NewPresence): Promise<Presence | null> {
    return this.#write(task_id, async ({ query, now }) => {
      // Locked, so that it stays the newest invocation until the presence is there.
      const task = 'SELECT number FROM @tasks WHERE id = $1 AND newest = $2 FOR SHARE'
      const number = (await query(task, [task_id, invocation])).rows[0]?.['number']
      if (number === undefined) return false
      await query(
        `INSERT INTO @presences (task, invocation, process, endpoint, protocol, token, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT (task) DO UPDATE SET invocation = $2, process = $3, endpoint = $4, protocol = $5, token = $6,
           clients = 0, writer = NULL, queued = 0, last_error = NULL, last_input_at = NULL, last_left_at = NULL,
           updated_at = $7`,
        [Number(number), invocation, process, endpoint, protocol, token, now],
      )
      return true
    })
  }

  async change({ task_id, invocation }: PresenceOwner, change: PresenceChange): Promise<Presence | null> {
    return this.#write(task_id, async ({ query, now }) => {
      await query(`SELECT 1 FROM @presences WHERE ${OWNED} FOR UPDATE`, [task_id, invocation])
      const before = await findPresence(query, task_id)
      if (before?.invocation !== invocation) return false
      const { clients, writer, queued, last_error, last_input_at, last_left_at } = { ...before, ...change }
      const { count } = await query(
        `UPDATE @presences SET clients = $3, writer = $4, queued = $5, last_error = $6, last_input_at = $7,
           last_left_at = $8, updated_at = $9 WHERE ${OWNED}`,
        [
          ...[task_id, invocation, clients, writer, queued, last_error && JSON.stringify(last_error)],
          ...[millisecondsOrNull(last_input_at), millisecondsOrNull(last_left_at), now],
        ],
      )
      return count === 1
    })
  }

  async leave({ task_id, invocation }: PresenceOwner): Promise<void> {
    await this.#write(task_id, async ({ query }) => {
      return (await query(`DELETE FROM @presences WHERE ${OWNED}`, [task_id, invocation])).count === 1
    })
  }

  async find(taskId: string): Promise<Presence | null> {
    return findPresence(this.#site.pool.query, taskId)
  }

  async list(): Promise<Presence[]> {
    return (await this.#site.pool.query(`SELECT ${PRESENCE} ORDER BY p.task`)).rows.map(asPresence)
  }

  async door(taskId: string): Promise<AgentDoor | null> {
    const { rows } = await this.#site.pool.query(
      `SELECT process, endpoint, protocol, token FROM @presences
       WHERE task = (SELECT number FROM @tasks WHERE id = $1)`,
      [taskId],
    )
    return rows[0] ? asDoor(rows[0]) : null
  }

  /** `null` if nothing was written. */
  async #write(taskId: string, work: (transaction: Transaction) => Promise<boolean>): Promise<Presence | null> {
    const { pool, changes } = this.#site
    const { written, found } = await pool.transaction(async transaction => ({
      written: await work(transaction),
      found: await findPresence(transaction.query, taskId),
    }))
    if (written) changes.tellOfTasks()
    return written ? found : null
  }
}

async function findPresence(query: Query, taskId: string): Promise<Presence | null> {
  const [row] = (await query(`SELECT ${PRESENCE} WHERE t.id = $1`, [taskId])).rows
  return row ? asPresence(row) : null
}
