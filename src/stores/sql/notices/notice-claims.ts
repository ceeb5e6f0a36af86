/** Decides which process sends a notice. The time of its end distinguishes a claim from a later one of the same notice. */
import { ASKING_EVENTS } from '../../../core/notice/notice-event.ts'
import type { ClaimedNotice, NoticeClaim, NoticeMark } from '../../../ports/store/people/notices.ts'
import { millisecondsOrNull } from '../../rows/iso-times.ts'
import { asNotice } from '../../rows/notice-row.ts'
import { all, type Row, run, type Work } from '../driver/work.ts'

/** How rows are taken. Locking passes over rows that another process claims at this moment, so that it keeps its turn. */
export type Taking = 'look' | 'lock'

const LOCKS: Record<Taking, string> = { look: '', lock: 'FOR UPDATE OF n SKIP LOCKED' }

export interface HowToTake {
  readonly now: number
  readonly taking: Taking
}

/**
 * The oldest that is due of each address, unless that one is claimed. Addresses are stepped through by the index, so the
 * cost does not grow with the notices behind the first of each. Another process may send it between the look and the
 * lock. PostgreSQL then judges the locked row again, but by its own columns alone: so these say that it is still due.
 */
export function dueHeads({ channel, limit }: NoticeClaim, { now, taking }: HowToTake): Work<readonly Row[]> {
  return all(
    `WITH RECURSIVE due (address) AS (
       SELECT min(address) FROM @notices WHERE channel = ?1 AND next_at IS NOT NULL
       UNION ALL
       SELECT (SELECT min(address) FROM @notices WHERE channel = ?1 AND next_at IS NOT NULL AND address > due.address)
       FROM due WHERE due.address IS NOT NULL)
     SELECT n.* FROM due JOIN @notices n ON n.number = (
       SELECT number FROM @notices
       WHERE channel = ?1 AND address = due.address AND next_at IS NOT NULL AND next_at <= ?2 ORDER BY number LIMIT 1)
     WHERE n.next_at <= ?2 AND (n.claimed_until IS NULL OR n.claimed_until <= ?2)
     ORDER BY n.next_at, n.number LIMIT ?3 ${LOCKS[taking]}`,
    [channel, now, limit],
  )
}

/** Other notices for the message of a claimed one: those of its digest, or those that ask at its address. */
export function dueMates(
  { id, digest, channel, address }: ClaimedNotice,
  limit: number,
  { now, taking }: HowToTake,
): Work<readonly Row[]> {
  const free = `n.id <> ?1 AND n.next_at <= ?2 AND (n.claimed_until IS NULL OR n.claimed_until <= ?2)
    ORDER BY n.number LIMIT ?3 ${LOCKS[taking]}`
  if (digest !== null)
    return all(`SELECT n.* FROM @notices n WHERE n.digest = ?4 AND n.next_at IS NOT NULL AND ${free}`, [
      ...[id, now, limit, digest],
    ])
  return all(
    `SELECT n.* FROM @notices n WHERE n.channel = ?4 AND n.address = ?5 AND n.status = 'due'
       AND n.event = ANY(?6::text[]) AND n.next_at IS NOT NULL AND ${free}`,
    [id, now, limit, channel, address, ASKING_EVENTS],
  )
}

/** Inside the transaction that locked the rows. */
export function* claimRows(
  rows: readonly Row[],
  { now, until }: { readonly now: number; readonly until: number },
): Work<ClaimedNotice[]> {
  yield* run(
    `UPDATE @notices SET tries = tries + 1, claimed_until = ?, unsure = (status = 'due'), stale = false,
       next_at = least(next_at, ?) WHERE number = ANY(?::bigint[])`,
    [until, now, rows.map(row => Number(row['number']))],
  )
  return rows.map(row => ({
    ...asNotice({ ...row, tries: Number(row['tries']) + 1 }),
    is_repeat: Number(row['unsure']) === 1,
    until: new Date(until).toISOString(),
  }))
}

/** Does nothing if the claim ran out and another process has the notice. */
export function* markNotice(
  { id, until }: Pick<ClaimedNotice, 'id' | 'until'>,
  mark: NoticeMark & { readonly now: number },
): Work<void> {
  const { status, next_at, tries, unsure = false, sent, digest, error, refused_with = null, now } = mark
  yield* run(
    `UPDATE @notices SET status = ?3, tries = ?5, error = ?6, unsure = ?7, claimed_until = NULL, refused_with = ?11,
       next_at = CASE WHEN stale AND ?3::text IN ('sent', 'changed') THEN ?4::bigint ELSE ?8::bigint END,
       sent = coalesce(?9::text, sent), digest = coalesce(?10::text, digest),
       sent_at = CASE WHEN ?9::text IS NULL THEN sent_at ELSE coalesce(sent_at, ?4::bigint) END
     WHERE id = ?1 AND claimed_until = ?2`,
    [
      ...[id, Date.parse(until), status, now, tries, error, unsure, millisecondsOrNull(next_at)],
      ...[sent ? JSON.stringify(sent) : null, digest ?? null, refused_with],
    ],
  )
}
