import type { NewNotice, NoticeBatch, NoticeQuery, StoredNotice } from '../../../ports/store/people/notices.ts'
import { asNotice } from '../../rows/notice-row.ts'
import type { Cell, Query } from '../database/pool.ts'

/** A notice that is in already stays as it is. */
export async function insertNotice(query: Query, notice: NewNotice, now: number): Promise<void> {
  const { id, hold_id, event, about, at, person, channel, address, next_at } = notice
  await query(
    `INSERT INTO @notices (id, hold_id, event, about, at, person, channel, address, status, next_at, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'due', $9, $10)
     ON CONFLICT (hold_id, event, about, channel, address) DO NOTHING`,
    [id, hold_id, event, about, Date.parse(at), person, channel, address, Date.parse(next_at), now],
  )
}

/** How long the message of a digest may be behind: many of its holds are decided at once. */
const DIGEST_REST_MS = 5_000

/** Messages about these holds are changed soon; one that is just being sent is changed afterwards. */
export async function makeStale(
  query: Query,
  { hold_ids, channels }: NoticeBatch['stale'],
  now: number,
): Promise<void> {
  if (hold_ids.length === 0) return
  await query(
    `UPDATE @notices SET stale = true,
       tries = CASE WHEN status = 'due' OR next_at IS NOT NULL THEN tries ELSE 0 END,
       next_at = CASE WHEN status = 'due' THEN next_at
         ELSE coalesce(next_at, $2::bigint + CASE WHEN digest IS NULL THEN 0 ELSE ${DIGEST_REST_MS} END) END,
       status = CASE WHEN status = 'failed' THEN 'sent' ELSE status END
     WHERE hold_id = ANY($1::text[]) AND channel = ANY($3::text[])
       AND (status IN ('due', 'sent') OR status = 'failed' AND sent IS NOT NULL)`,
    [hold_ids, now, channels],
  )
}

export async function findNotice(query: Query, id: string): Promise<StoredNotice | null> {
  const [row] = (await query('SELECT * FROM @notices WHERE id = $1', [id])).rows
  return row ? asNotice(row) : null
}

/** Newest first. */
export async function listNotices(
  query: Query,
  { status, hold_id, digest, limit = null, after }: Omit<NoticeQuery, 'limit'> & { readonly limit?: number | null },
): Promise<StoredNotice[]> {
  const values: Cell[] = []
  const conditions: string[] = []
  const ask = (sql: string, value: string | undefined) => {
    if (value !== undefined) conditions.push(sql.replace('?', `$${values.push(value)}`))
  }
  // A literal, so that PostgreSQL can see that the partial index of failed ones serves.
  if (status === 'failed') conditions.push(`status = 'failed'`)
  else ask('status = ?', status)
  ask('hold_id = ?', hold_id)
  ask('digest = ?', digest)
  ask('number < (SELECT number FROM @notices WHERE id = ?)', after)
  const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''
  const limited = `ORDER BY number DESC LIMIT $${values.push(limit)}`
  return (await query(`SELECT * FROM @notices ${where} ${limited}`, values)).rows.map(asNotice)
}
