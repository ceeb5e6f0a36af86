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
import { Conditions } from '../database/conditions.ts'
import type { Cell, Pool, Query } from '../database/pool.ts'

const HEAD = 'thread, namespace, id, parent, type, value, metadata_type, metadata'

/** Each method is one transaction. */
export class PostgresGraphs implements GraphStore {
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }

  async put(checkpoint: NewGraphCheckpoint): Promise<void> {
    const { thread_id, namespace, checkpoint_id, parent_id, metadata, versions } = checkpoint
    const { type, bytes } = checkpoint.checkpoint
    await this.#pool.transaction(async ({ query }) => {
      await insertChannels(query, checkpoint)
      await query(
        `INSERT INTO @graph_checkpoints (${HEAD}, versions) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
         ON CONFLICT (thread, namespace, id) DO UPDATE SET parent = excluded.parent, type = excluded.type,
           value = excluded.value, metadata_type = excluded.metadata_type, metadata = excluded.metadata,
           versions = excluded.versions`,
        [
          ...[thread_id, namespace, checkpoint_id, parent_id, type, bytes],
          ...[metadata.type, metadata.bytes, JSON.stringify(versions)],
        ],
      )
    })
  }

  async putWrites({ thread_id, namespace, checkpoint_id }: GraphPlace, writes: readonly GraphWrite[]): Promise<void> {
    if (writes.length === 0) return
    await this.#pool.transaction(({ query }) =>
      query(
        `INSERT INTO @graph_writes (thread, namespace, checkpoint, task, path, place, channel, type, value)
         SELECT $1, $2, $3, * FROM unnest($4::text[], $5::text[], $6::integer[], $7::text[], $8::text[], $9::bytea[])
         ON CONFLICT (thread, namespace, checkpoint, task, place) DO UPDATE SET path = excluded.path,
           channel = excluded.channel, type = excluded.type, value = excluded.value WHERE excluded.place < 0`,
        [
          ...[thread_id, namespace, checkpoint_id],
          ...[writes.map(({ task_id }) => task_id), writes.map(({ task_path }) => task_path)],
          ...[writes.map(({ index }) => index), writes.map(({ channel }) => channel)],
          ...[writes.map(({ type }) => type), writes.map(({ bytes }) => asBuffer(bytes))],
        ],
      ),
    )
  }

  async find({
    thread_id,
    namespace,
    checkpoint_id,
  }: Parameters<GraphStore['find']>[0]): Promise<GraphCheckpoint | null> {
    return this.#pool.snapshot(async ({ query }) => {
      const { rows } = await query(
        `SELECT ${HEAD}, versions FROM @graph_checkpoints WHERE thread = $1 AND namespace = $2
         AND ($3::text IS NULL OR id = $3) ORDER BY id DESC LIMIT 1`,
        [thread_id, namespace, checkpoint_id],
      )
      const [row] = rows
      if (!row) return null
      const head = asGraphHead(row)
      return {
        ...head,
        channels: await readChannels(query, head, graphVersions(row)),
        writes: await readWrites(query, head),
      }
    })
  }

  async heads(query: GraphQuery): Promise<readonly GraphHead[]> {
    const { after } = query
    const cursor = after && [after.checkpoint_id, after.thread_id, after.namespace]
    const conditions = new Conditions()
      .add('thread = ?', query.thread_id)
      .add('namespace = ?', query.namespace)
      .add('id = ?', query.checkpoint_id)
      .add('id < ?', query.before)
      .add('(id, thread, namespace) < ((?::text[])[1], (?::text[])[2], (?::text[])[3])', cursor)
    const { rows } = await this.#pool.query(
      `SELECT ${HEAD} FROM @graph_checkpoints ${conditions.where}
       ORDER BY id DESC, thread DESC, namespace DESC LIMIT ${conditions.next}`,
      [...conditions.values, query.limit],
    )
    return rows.map(asGraphHead)
  }

  async forget(threadId: string): Promise<void> {
    await this.#pool.transaction(({ query }) => deleteGraph(query, threadId))
  }
}

/** Inside a transaction. */
export async function deleteGraph(query: Query, threadId: string): Promise<void> {
  await query('DELETE FROM @graph_writes WHERE thread = $1', [threadId])
  await query('DELETE FROM @graph_channels WHERE thread = $1', [threadId])
  await query('DELETE FROM @graph_checkpoints WHERE thread = $1', [threadId])
}

const GIVEN = 'unnest($3::text[], $4::text[], $5::text[], $6::bytea[]) g (channel, version, type, value)'

async function insertChannels(query: Query, checkpoint: NewGraphCheckpoint): Promise<void> {
  const { thread_id, namespace, channels } = checkpoint
  if (channels.length === 0) return
  const values: Cell[] = [
    ...[thread_id, namespace],
    ...[channels.map(({ channel }) => channel), channels.map(({ version }) => version)],
    ...[channels.map(({ type }) => type), channels.map(({ bytes }) => asBuffer(bytes))],
  ]
  const { count } = await query(
    `INSERT INTO @graph_channels (thread, namespace, channel, version, type, value)
     SELECT $1, $2, * FROM ${GIVEN} ON CONFLICT DO NOTHING`,
    values,
  )
  if (count === channels.length) return
  const { rows } = await query(
    `SELECT c.channel, c.version, c.type, c.value FROM ${GIVEN} JOIN @graph_channels c
       ON c.thread = $1 AND c.namespace = $2 AND c.channel = g.channel AND c.version = g.version
     WHERE c.type <> g.type OR c.value <> g.value LIMIT 1`,
    values,
  )
  if (rows[0]) refuseOtherValue(checkpoint, asGraphChannel(rows[0]))
}

async function readChannels(
  query: Query,
  { thread_id, namespace }: GraphPlace,
  versions: NewGraphCheckpoint['versions'],
): Promise<GraphChannel[]> {
  const { rows } = await query(
    `SELECT c.channel, c.version, c.type, c.value FROM unnest($3::text[], $4::text[]) v (channel, version)
     JOIN @graph_channels c ON c.thread = $1 AND c.namespace = $2 AND c.channel = v.channel AND c.version = v.version`,
    [thread_id, namespace, Object.keys(versions), Object.values(versions)],
  )
  return rows.map(asGraphChannel)
}

async function readWrites(query: Query, { thread_id, namespace, checkpoint_id }: GraphPlace): Promise<GraphWrite[]> {
  const { rows } = await query(
    `SELECT task, path, place, channel, type, value FROM @graph_writes
     WHERE thread = $1 AND namespace = $2 AND checkpoint = $3 ORDER BY path, task, place`,
    [thread_id, namespace, checkpoint_id],
  )
  return rows.map(asGraphWrite)
}

/** In lists, pg knows bytes as buffers only. */
function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
