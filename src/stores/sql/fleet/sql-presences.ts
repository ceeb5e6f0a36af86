import type { Presence, PresenceChange } from '../../../core/fleet/presence.ts'
import type { AgentDoor, NewPresence, PresenceOwner, PresenceStore } from '../../../ports/store/fleet/presences.ts'
import { millisecondsOrNull } from '../../rows/iso-times.ts'
import { asDoor, asPresence } from '../../rows/presence-row.ts'
import type { SqlDeps, Transaction } from '../driver/driver.ts'
import { all, first, run, type Work } from '../driver/work.ts'

const PRESENCE = `t.id, p.invocation, p.process, p.endpoint, p.protocol, p.clients, p.writer, p.queued, p.last_error,
  p.last_input_at, p.last_left_at, p.updated_at FROM @presences p JOIN @tasks t ON t.number = p.task`
const OWNED = 'task = (SELECT number FROM @tasks WHERE id = ?1) AND invocation = ?2'

/** Listeners for changes of tasks hear of presences too. */
export class SqlPresences implements PresenceStore {
  readonly #deps: SqlDeps

  constructor(deps: SqlDeps) {
    this.#deps = deps
  }

  async arrive({ task_id, invocation, process, endpoint, protocol, token }: NewPresence): Promise<Presence | null> {
    return this.#write(task_id, function* ({ now }) {
      // Locked, so that it stays the newest invocation until the presence is there.
      const task = 'SELECT number FROM @tasks WHERE id = ? AND newest = ? FOR SHARE'
      const row = yield* first(task, [task_id, invocation])
      if (!row) return 0
      return yield* run(
        `INSERT INTO @presences (task, invocation, process, endpoint, protocol, token, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
         ON CONFLICT (task) DO UPDATE SET invocation = ?2, process = ?3, endpoint = ?4, protocol = ?5, token = ?6,
           clients = 0, writer = NULL, queued = 0, last_error = NULL, last_input_at = NULL, last_left_at = NULL,
           updated_at = ?7`,
        [Number(row['number']), invocation, process, endpoint, protocol, token, now],
      )
    })
  }

  async change({ task_id, invocation }: PresenceOwner, change: PresenceChange): Promise<Presence | null> {
    return this.#write(task_id, function* ({ now }) {
      yield* first(`SELECT 1 FROM @presences WHERE ${OWNED} FOR UPDATE`, [task_id, invocation])
      const before = yield* findPresence(task_id)
      if (before?.invocation !== invocation) return 0
      const { clients, writer, queued, last_error, last_input_at, last_left_at } = { ...before, ...change }
      return yield* run(
        `UPDATE @presences SET clients = ?3, writer = ?4, queued = ?5, last_error = ?6, last_input_at = ?7,
           last_left_at = ?8, updated_at = ?9 WHERE ${OWNED}`,
        [
          ...[task_id, invocation, clients, writer, queued, last_error && JSON.stringify(last_error)],
          ...[millisecondsOrNull(last_input_at), millisecondsOrNull(last_left_at), now],
        ],
      )
    })
  }

  async leave({ task_id, invocation }: PresenceOwner): Promise<void> {
    await this.#write(task_id, () => run(`DELETE FROM @presences WHERE ${OWNED}`, [task_id, invocation]))
  }

  async find(taskId: string): Promise<Presence | null> {
    return this.#deps.driver.read(() => findPresence(taskId))
  }

  async list(): Promise<Presence[]> {
    return (await this.#deps.driver.read(() => all(`SELECT ${PRESENCE} ORDER BY p.task`))).map(asPresence)
  }

  async door(taskId: string): Promise<AgentDoor | null> {
    const door = `SELECT process, endpoint, protocol, token FROM @presences
      WHERE task = (SELECT number FROM @tasks WHERE id = ?)`
    const row = await this.#deps.driver.read(() => first(door, [taskId]))
    return row ? asDoor(row) : null
  }

  /** `work` returns the number of rows that it changed. `null` if it changed none. */
  async #write(taskId: string, work: (transaction: Transaction) => Work<number>): Promise<Presence | null> {
    const { driver, changes } = this.#deps
    const { written, found } = await driver.transaction(function* (transaction) {
      return { written: (yield* work(transaction)) > 0, found: yield* findPresence(taskId) }
    })
    if (written) changes.tellOfTasks()
    return written ? found : null
  }
}

function* findPresence(taskId: string): Work<Presence | null> {
  const row = yield* first(`SELECT ${PRESENCE} WHERE t.id = ?`, [taskId])
  return row ? asPresence(row) : null
}
