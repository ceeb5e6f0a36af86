/** Decides which process sends a notice. A claim is told from a later one of the same notice by the time of its end. */
import { ASKING_EVENTS } from '../../../core/notice/notice-event.ts'
import type { ClaimedNotice, NoticeClaim, NoticeMark } from '../../../ports/store/people/notices.ts'
import { asNotice } from '../../rows/notice-row.ts'
import type { Database } from '../database/database.ts'
import type { NoticeRow } from './notice-rows.ts'

/**
 * The oldest that is due of each address, unless that one is claimed. Addresses are stepped through by the index, so the
 * cost does not grow with the notices behind the first of each.
 */
export function dueHeads(database: Database, { channel, limit }: NoticeClaim, now: number): NoticeRow[] {
  return database
    .statement(
      `WITH RECURSIVE due (address) AS (
         SELECT min(address) FROM notices WHERE channel = ?1 AND next_at IS NOT NULL
         UNION ALL
         SELECT (SELECT min(address) FROM notices WHERE channel = ?1 AND next_at IS NOT NULL AND address > due.address)
         FROM due WHERE due.address IS NOT NULL)
       SELECT n.* FROM due JOIN notices n ON n.number = (
         SELECT number FROM notices
         WHERE channel = ?1 AND address = due.address AND next_at IS NOT NULL AND next_at <= ?2 ORDER BY number LIMIT 1)
       WHERE n.claimed_until IS NULL OR n.claimed_until <= ?2
       ORDER BY n.next_at, n.number LIMIT ?3`,
    )
    .all(channel, now, limit)
}

/** Others that are told in the message of a claimed notice: of its digest, or asking at its address. */
export function dueMates(
  database: Database,
  { id, digest, channel, address }: ClaimedNotice,
  { limit, now }: { readonly limit: number; readonly now: number },
): NoticeRow[] {
  const free = 'id <> ? AND next_at <= ? AND (claimed_until IS NULL OR claimed_until <= ?) ORDER BY number LIMIT ?'
  return digest === null
    ? database
        .statement(
          `SELECT * FROM notices WHERE channel = ? AND address = ? AND status = 'due'
             AND event IN (SELECT value FROM json_each(?)) AND next_at IS NOT NULL AND ${free}`,
        )
        .all(channel, address, JSON.stringify(ASKING_EVENTS), id, now, now, limit)
    : database
        .statement(`SELECT * FROM notices WHERE digest = ? AND next_at IS NOT NULL AND ${free}`)
        .all(digest, id, now, now, limit)
}

export function claimRows(
  database: Database,
  rows: readonly NoticeRow[],
  { now, until }: { readonly now: number; readonly until: number },
): ClaimedNotice[] {
  const claim = database.statement(
    `UPDATE notices SET tries = tries + 1, claimed_until = ?, unsure = status = 'due', stale = 0, next_at = min(next_at, ?)
     WHERE number = ?`,
  )
  return rows.map(row => {
    claim.run(until, now, Number(row['number']))
    return {
      ...asNotice({ ...row, tries: Number(row['tries']) + 1 }),
      is_repeat: row['unsure'] === 1,
      until: new Date(until).toISOString(),
    }
  })
}

/** Does nothing if the claim ran out and another process has the notice. */
export function markNotice(
  database: Database,
  { id, until }: Pick<ClaimedNotice, 'id' | 'until'>,
  mark: NoticeMark & { readonly now: number },
): void {
  const { status, next_at, tries, unsure = false, sent, digest, error, refused_with = null, now } = mark
  database
    .statement(
      `UPDATE notices SET status = ?3, tries = ?5, error = ?6, unsure = ?7, claimed_until = NULL, refused_with = ?11,
         next_at = CASE WHEN stale = 1 AND ?3 = 'sent' THEN ?4 ELSE ?8 END,
         sent = coalesce(?9, sent), digest = coalesce(?10, digest),
         sent_at = CASE WHEN ?9 IS NULL THEN sent_at ELSE coalesce(sent_at, ?4) END
       WHERE id = ?1 AND claimed_until = ?2`,
    )
    .run(
      ...[id, Date.parse(until), status, now, tries, error, unsure ? 1 : 0],
      ...[next_at === null ? null : Date.parse(next_at), sent ? JSON.stringify(sent) : null, digest ?? null],
      refused_with,
    )
}
