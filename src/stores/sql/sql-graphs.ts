import type {
  GraphCheckpoint,
  GraphHead,
  GraphPlace,
  GraphQuery,
  GraphStore,
  GraphWrite,
  NewGraphCheckpoint,
} from '../../ports/store/graphs.ts'
import { asGraphChannel, asGraphHead, asGraphWrite, graphVersions, refuseOtherValue } from '../rows/graph-row.ts'
import { Conditions } from './driver/conditions.ts'
import type { SqlDeps, SqlDriver } from './driver/driver.ts'
import { all, allEach, first, run, runEach, sendEach, type Work } from './driver/work.ts'

const HEAD = 'thread, namespace, id, parent, type, value, metadata_type, metadata'

/** Each method is one transaction. */
export class SqlGraphs implements GraphStore {
  readonly #driver: SqlDriver

  constructor({ driver }: SqlDeps) {
    this.#driver = driver
  }

  async put(checkpoint: NewGraphCheckpoint): Promise<void> {
    await this.#driver.transaction(() => putCheckpoint(checkpoint))
  }

  async putWrites({ thread_id, namespace, checkpoint_id }: GraphPlace, writes: readonly GraphWrite[]): Promise<void> {
    if (writes.length === 0) return
    await this.#driver.transaction(function* () {
      yield sendEach(
        `INSERT INTO @graph_writes (thread, namespace, checkpoint, task, path, place, channel, type, value)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (thread, namespace, checkpoint, task, place) DO UPDATE SET path = excluded.path,
           channel = excluded.channel, type = excluded.type, value = excluded.value WHERE excluded.place < 0`,
        writes.map(({ task_id, task_path, index, channel, type, bytes }) => {
          return [thread_id, namespace, checkpoint_id, task_id, task_path, index, channel, type, bytes]
        }),
      )
    })
  }

  async find({
    thread_id,
    namespace,
    checkpoint_id,
  }: Parameters<GraphStore['find']>[0]): Promise<GraphCheckpoint | null> {
    return this.#driver.snapshot(function* () {
      const row = yield* first(
        `SELECT ${HEAD}, versions FROM @graph_checkpoints WHERE thread = ?1 AND namespace = ?2
           AND id = coalesce(?3, (SELECT max(id) FROM @graph_checkpoints WHERE thread = ?1 AND namespace = ?2))`,
        [thread_id, namespace, checkpoint_id],
      )
      if (!row) return null
      const head = asGraphHead(row)
      const channels = yield* allEach(
        `SELECT channel, version, type, value FROM @graph_channels
         WHERE thread = ? AND namespace = ? AND channel = ? AND version = ?`,
        Object.entries(graphVersions(row)).map(([channel, version]) => [thread_id, namespace, channel, version]),
      )
      const writes = yield* all(
        `SELECT task, path, place, channel, type, value FROM @graph_writes
         WHERE thread = ? AND namespace = ? AND checkpoint = ? ORDER BY path, task, place`,
        [thread_id, namespace, head.checkpoint_id],
      )
      return { ...head, channels: channels.map(asGraphChannel), writes: writes.map(asGraphWrite) }
    })
  }

  async heads({ thread_id, namespace, checkpoint_id, before, limit, after }: GraphQuery): Promise<GraphHead[]> {
    const chosen = new Conditions()
      .add('thread = ?', thread_id)
      .add('namespace = ?', namespace)
      .add('id = ?', checkpoint_id)
      .add('id < ?', before)
    if (after)
      chosen.add('(id, thread, namespace) < (?, ?, ?)', ...[after.checkpoint_id, after.thread_id, after.namespace])
    const page = `SELECT ${HEAD} FROM @graph_checkpoints ${chosen.where}
       ORDER BY id DESC, thread DESC, namespace DESC LIMIT ?`
    return (await this.#driver.read(() => all(page, [...chosen.values, limit]))).map(asGraphHead)
  }

  async forget(threadId: string): Promise<void> {
    await this.#driver.transaction(() => deleteGraph(threadId))
  }
}

function* putCheckpoint(checkpoint: NewGraphCheckpoint): Work<void> {
  const { thread_id, namespace, checkpoint_id, parent_id, metadata, versions } = checkpoint
  const { type, bytes } = checkpoint.checkpoint
  yield* insertChannels(checkpoint)
  yield* run(
    `INSERT INTO @graph_checkpoints (${HEAD}, versions) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (thread, namespace, id) DO UPDATE SET parent = excluded.parent, type = excluded.type,
       value = excluded.value, metadata_type = excluded.metadata_type, metadata = excluded.metadata,
       versions = excluded.versions`,
    [
      ...[thread_id, namespace, checkpoint_id, parent_id, type, bytes],
      ...[metadata.type, metadata.bytes, JSON.stringify(versions)],
    ],
  )
}

function* insertChannels(checkpoint: NewGraphCheckpoint): Work<void> {
  const { thread_id, namespace, channels } = checkpoint
  const rows = channels.map(({ channel, version, type, bytes }) => {
    return [thread_id, namespace, channel, version, type, bytes]
  })
  const counts = yield* runEach(
    `INSERT INTO @graph_channels (thread, namespace, channel, version, type, value) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
    rows,
  )
  for (const [n, channel] of channels.entries()) {
    if (counts[n] !== 0) continue
    const same = `SELECT 1 FROM @graph_channels
      WHERE thread = ? AND namespace = ? AND channel = ? AND version = ? AND type = ? AND value = ?`
    if (!(yield* first(same, rows[n]))) refuseOtherValue(checkpoint, channel)
  }
}

/** Inside a transaction. */
export function* deleteGraph(threadId: string): Work<void> {
  yield* run('DELETE FROM @graph_writes WHERE thread = ?', [threadId])
  yield* run('DELETE FROM @graph_channels WHERE thread = ?', [threadId])
  yield* run('DELETE FROM @graph_checkpoints WHERE thread = ?', [threadId])
}
