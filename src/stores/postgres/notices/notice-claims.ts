/** Decides which process sends a notice. A claim is told from a later one of the same notice by the time of its end. */
import { ASKING_EVENTS } from '../../../core/notice/notice-event.ts'
import type { ClaimedNotice, NoticeClaim, NoticeMark } from '../../../ports/store/people/notices.ts'
import { millisecondsOrNull } from '../../rows/iso-times.ts'
import { asNotice } from '../../rows/notice-row.ts'
import type { Query, Row } from '../database/pool.ts'

/** How rows are taken: those that another process just claims are passed over, so that it keeps its turn. */
export type Taking = 'look' | 'lock'

const LOCKS: Record<Taking, string> = { look: '', lock: 'FOR UPDATE OF n SKIP LOCKED' }

/**
 * The oldest that is due of each address, unless that one is claimed. Addresses are stepped through by the index, so the
 * cost does not grow with the notices behind the first of each. Another process may send it between the look and the
 * lock. PostgreSQL then judges the locked row again, but by its own columns alone: so these say that it is still due.
 */
export async function dueHeads(
  query: Query,
  { channel, limit }: NoticeClaim,
  { now, taking }: { readonly now: number; readonly taking: Taking },
): Promise<readonly Row[]> {
  const { rows } = await query(
    `WITH RECURSIVE due (address) AS (
       SELECT min(address) FROM @notices WHERE channel = $1 AND next_at IS NOT NULL
       UNION ALL
       SELECT (SELECT min(address) FROM @notices WHERE channel = $1 AND next_at IS NOT NULL AND address > due.address)
       FROM due WHERE due.address IS NOT NULL)
     SELECT n.* FROM due JOIN @notices n ON n.number = (
       SELECT number FROM @notices
       WHERE channel = $1 AND address = due.address AND next_at IS NOT NULL AND next_at <= $2 ORDER BY number LIMIT 1)
     WHERE n.next_at <= $2 AND (n.claimed_until IS NULL OR n.claimed_until <= $2)
     ORDER BY n.next_at, n.number LIMIT $3 ${LOCKS[taking]}`,
    [channel, now, limit],
  )
  return rows
}

/** Others that are told in the message of a claimed notice: of its digest, or asking at its address. */
export async function dueMates(
  query: Query,
  { id, digest, channel, address }: ClaimedNotice,
  { limit, now, taking }: { readonly limit: number; readonly now: number; readonly taking: Taking },
): Promise<readonly Row[]> {
  const free = `n.id <> $1 AND n.next_at <= $2 AND (n.claimed_until IS NULL OR n.claimed_until <= $2)
    ORDER BY n.number LIMIT $3 ${LOCKS[taking]}`
  const { rows } =
    digest === null
      ? await query(
          `SELECT n.* FROM @notices n WHERE n.channel = $4 AND n.address = $5 AND n.status = 'due'
             AND n.event = ANY($6::text[]) AND n.next_at IS NOT NULL AND ${free}`,
          [id, now, limit, channel, address, ASKING_EVENTS],
        )
      : await query(`SELECT n.* FROM @notices n WHERE n.digest = $4 AND n.next_at IS NOT NULL AND ${free}`, [
          ...[id, now, limit, digest],
        ])
  return rows
}

/** Inside the transaction that locked the rows. */
export async function claimRows(
  query: Query,
  rows: readonly Row[],
  { now, until }: { readonly now: number; readonly until: number },
): Promise<ClaimedNotice[]> {
  await query(
    `UPDATE @notices SET tries = tries + 1, claimed_until = $1, unsure = (status = 'due'), stale = false,
       next_at = least(next_at, $2) WHERE number = ANY($3::bigint[])`,
    [until, now, rows.map(row => Number(row['number']))],
  )
  return rows.map(row => ({
    ...asNotice({ ...row, tries: Number(row['tries']) + 1 }),
    is_repeat: row['unsure'] === true,
    until: new Date(until).toISOString(),
  }))
}

/** Does nothing if the claim ran out and another process has the notice. */
export async function markNotice(
  query: Query,
  { id, until }: Pick<ClaimedNotice, 'id' | 'until'>,
  mark: NoticeMark & { readonly now: number },
): Promise<void> {
  const { status, next_at, tries, unsure = false, sent, digest, error, refused_with = null, now } = mark
  await query(
    `UPDATE @notices SET status = $3, tries = $5, error = $6, unsure = $7, claimed_until = NULL, refused_with = $11,
       next_at = CASE WHEN stale AND $3::text = 'sent' THEN $4::bigint ELSE $8::bigint END,
       sent = coalesce($9::text, sent), digest = coalesce($10::text, digest),
       sent_at = CASE WHEN $9::text IS NULL THEN sent_at ELSE coalesce(sent_at, $4::bigint) END
     WHERE id = $1 AND claimed_until = $2`,
    [
      ...[id, Date.parse(until), status, now, tries, error, unsure, millisecondsOrNull(next_at)],
      ...[sent ? JSON.stringify(sent) : null, digest ?? null, refused_with],
    ],
  )
}
