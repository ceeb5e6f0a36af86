import type { Query } from '../database/pool.ts'

const NOW = 'floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint'

export interface KeptRows {
  readonly follower: string
  readonly threadIds: readonly string[]
  readonly ttlMs: number
}

/** Also removes rows of processes that ended without a word. */
export async function keepFollowers(query: Query, { follower, threadIds, ttlMs }: KeptRows): Promise<void> {
  await query(
    `WITH gone AS (DELETE FROM @followers WHERE follower <> $1 AND until < ${NOW} - $3::bigint)
     INSERT INTO @followers (thread_id, follower, until)
     SELECT id, $1, ${NOW} + $3::bigint FROM unnest($2::text[]) AS t (id)
     ON CONFLICT (thread_id, follower) DO UPDATE SET until = excluded.until`,
    [follower, [...threadIds], ttlMs],
  )
}

export async function removeFollowers(query: Query, follower: string, threadIds: readonly string[]): Promise<void> {
  await query('DELETE FROM @followers WHERE follower = $1 AND thread_id = ANY ($2::text[])', [follower, [...threadIds]])
}

/** The threads that other processes than `follower` follow now. */
export async function followedByOthers(query: Query, follower: string): Promise<ReadonlySet<string>> {
  const { rows } = await query(`SELECT DISTINCT thread_id FROM @followers WHERE follower <> $1 AND until > ${NOW}`, [
    follower,
  ])
  return new Set(rows.map(({ thread_id }) => String(thread_id)))
}
