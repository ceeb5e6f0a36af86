import type { Query } from '../database/pool.ts'

/**
 * Inside a transaction: forgets each host that had no sign of life since `before` (milliseconds since 1970) and has no task.
 * A task locks the row of its host until it is written (`nameHost`), so none is forgotten meanwhile.
 */
export async function pruneHosts(query: Query, before: number): Promise<void> {
  const { rows } = await query('SELECT id FROM @hosts WHERE seen_at < $1 ORDER BY id FOR UPDATE SKIP LOCKED', [before])
  if (rows.length === 0) return
  const unused = await query(
    `DELETE FROM @hosts h WHERE id = ANY($1::text[]) AND NOT EXISTS (SELECT 1 FROM @tasks WHERE host = h.id) RETURNING id`,
    [rows.map(row => String(row['id']))],
  )
  const ids = unused.rows.map(row => String(row['id']))
  await query('DELETE FROM @daemons WHERE host = ANY($1::text[])', [ids])
}
