import type {
  GraphChannel,
  GraphCheckpoint,
  GraphHead,
  GraphPlace,
  GraphQuery,
  GraphStore,
  GraphWrite,
  NewGraphCheckpoint,
} from '../../../ports/store/graphs.ts'
import { asGraphChannel, asGraphHead, asGraphWrite, graphVersions, refuseOtherValue } from '../../rows/graph-row.ts'
import type { Database } from '../database/database.ts'

const HEAD = 'thread, namespace, id, parent, type, value, metadata_type, metadata'

/** Each method is one transaction. */
export class SqliteGraphs implements GraphStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async put(checkpoint: NewGraphCheckpoint): Promise<void> {
    const { thread_id, namespace, checkpoint_id, parent_id, channels, versions } = checkpoint
    await this.#database.transaction(() => {
      for (const channel of channels) this.#insertChannel(checkpoint, channel)
      const { checkpoint: packed, metadata } = checkpoint
      this.#database
        .statement(`INSERT OR REPLACE INTO graph_checkpoints (${HEAD}, versions) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`)
        .run(
          ...[thread_id, namespace, checkpoint_id, parent_id, packed.type, packed.bytes],
          ...[metadata.type, metadata.bytes, JSON.stringify(versions)],
        )
    })
  }

  #insertChannel(place: GraphPlace, channel: GraphChannel): void {
    const key = [place.thread_id, place.namespace, channel.channel, channel.version]
    const row = [...key, channel.type, channel.bytes]
    const { changes } = this.#database
      .statement(
        `INSERT INTO graph_channels (thread, namespace, channel, version, type, value) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT DO NOTHING`,
      )
      .run(...row)
    if (changes === 1) return
    const same = `SELECT 1 FROM graph_channels
      WHERE thread = ? AND namespace = ? AND channel = ? AND version = ? AND type = ? AND value = ?`
    if (!this.#database.statement(same).get(...row)) refuseOtherValue(place, channel)
  }

  async putWrites({ thread_id, namespace, checkpoint_id }: GraphPlace, writes: readonly GraphWrite[]): Promise<void> {
    await this.#database.transaction(() => {
      for (const { task_id, task_path, index, channel, type, bytes } of writes)
        this.#database
          .statement(
            `INSERT INTO graph_writes (thread, namespace, checkpoint, task, path, place, channel, type, value)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
             ON CONFLICT DO UPDATE SET path = excluded.path, channel = excluded.channel, type = excluded.type,
               value = excluded.value WHERE place < 0`,
          )
          .run(thread_id, namespace, checkpoint_id, task_id, task_path, index, channel, type, bytes)
    })
  }

  async find(place: Parameters<GraphStore['find']>[0]): Promise<GraphCheckpoint | null> {
    return this.#database.snapshot(() => {
      const row = this.#database
        .statement(
          `SELECT ${HEAD}, versions FROM graph_checkpoints
           WHERE thread = ? AND namespace = ? AND id = coalesce(?, (SELECT max(id) FROM graph_checkpoints
             WHERE thread = ? AND namespace = ?))`,
        )
        .get(place.thread_id, place.namespace, place.checkpoint_id, place.thread_id, place.namespace)
      if (!row) return null
      const head = asGraphHead(row)
      return { ...head, channels: this.#channels(head, JSON.stringify(graphVersions(row))), writes: this.#writes(head) }
    })
  }

  #channels({ thread_id, namespace }: GraphPlace, versions: string): GraphChannel[] {
    return this.#database
      .statement(
        `SELECT c.channel, c.version, c.type, c.value FROM json_each(?) v JOIN graph_channels c
           ON c.thread = ? AND c.namespace = ? AND c.channel = v.key AND c.version = v.value`,
      )
      .all(versions, thread_id, namespace)
      .map(asGraphChannel)
  }

  #writes({ thread_id, namespace, checkpoint_id }: GraphPlace): GraphWrite[] {
    return this.#database
      .statement(
        `SELECT task, path, place, channel, type, value FROM graph_writes
         WHERE thread = ? AND namespace = ? AND checkpoint = ? ORDER BY path, task, place`,
      )
      .all(thread_id, namespace, checkpoint_id)
      .map(asGraphWrite)
  }

  async heads({
    thread_id,
    namespace,
    checkpoint_id,
    before,
    limit,
    after,
  }: GraphQuery): Promise<readonly GraphHead[]> {
    const conditions = [
      { sql: 'thread = ?', values: [thread_id] },
      { sql: 'namespace = ?', values: [namespace] },
      { sql: 'id = ?', values: [checkpoint_id] },
      { sql: 'id < ?', values: [before] },
      {
        sql: '(id, thread, namespace) < (?, ?, ?)',
        values: [after?.checkpoint_id, after?.thread_id, after?.namespace],
      },
    ].filter(({ values }) => values[0] !== undefined)
    const where = conditions.length === 0 ? '' : `WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}`
    return this.#database.read(() =>
      this.#database
        .statement(
          `SELECT ${HEAD} FROM graph_checkpoints ${where} ORDER BY id DESC, thread DESC, namespace DESC LIMIT ?`,
        )
        .all(...conditions.flatMap(({ values }) => values as string[]), limit)
        .map(asGraphHead),
    )
  }

  async forget(threadId: string): Promise<void> {
    await this.#database.transaction(() => deleteGraph(this.#database, threadId))
  }
}

/** Inside a transaction. */
export function deleteGraph(database: Database, threadId: string): void {
  database.statement('DELETE FROM graph_writes WHERE thread = ?').run(threadId)
  database.statement('DELETE FROM graph_channels WHERE thread = ?').run(threadId)
  database.statement('DELETE FROM graph_checkpoints WHERE thread = ?').run(threadId)
}
