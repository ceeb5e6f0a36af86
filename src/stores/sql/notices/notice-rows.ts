import type { NewNotice, NoticeBatch, NoticeQuery, StoredNotice } from '../../../ports/store/people/notices.ts'
import { asNotice } from '../../rows/notice-row.ts'
import { Conditions } from '../driver/conditions.ts'
import { all, first, run, type Statement, sendEach, type Work } from '../driver/work.ts'

/** A notice that is in already stays as it is. */
export function insertNotices(notices: readonly NewNotice[], now: number): readonly Statement[] {
  return sendEach(
    `INSERT INTO @notices (id, hold_id, event, about, at, person, channel, address, status, next_at, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'due', ?, ?)
     ON CONFLICT (hold_id, event, about, channel, address) DO NOTHING`,
    notices.map(({ id, hold_id, event, about, at, person, channel, address, next_at }) => {
      return [id, hold_id, event, about, Date.parse(at), person, channel, address, Date.parse(next_at), now]
    }),
  )
}

/** How long the message of a digest may be out of date: many of its holds are decided at once. */
const DIGEST_REST_MS = 5_000

/** Messages about these holds are changed soon; one that is just being sent is changed afterwards. */
export function* makeStale({ hold_ids, channels }: NoticeBatch['stale'], now: number): Work<void> {
  if (hold_ids.length === 0) return
  yield* run(
    `UPDATE @notices SET stale = true,
       tries = CASE WHEN status = 'due' OR next_at IS NOT NULL THEN tries ELSE 0 END,
       next_at = CASE WHEN status = 'due' THEN next_at
         ELSE coalesce(next_at, ?2::bigint + CASE WHEN digest IS NULL THEN 0 ELSE ${DIGEST_REST_MS} END) END,
       status = CASE WHEN status = 'failed' THEN 'sent' ELSE status END
     WHERE hold_id = ANY(?1::text[]) AND channel = ANY(?3::text[])
       AND (status IN ('due', 'sent') OR status IN ('changed', 'failed') AND sent IS NOT NULL)`,
    [hold_ids, now, channels],
  )
}

export function* findNotice(id: string): Work<StoredNotice | null> {
  const row = yield* first('SELECT * FROM @notices WHERE id = ?', [id])
  return row ? asNotice(row) : null
}

/** Newest first. */
export function* listNotices({ status, hold_id, digest, limit, after }: NoticeQuery): Work<StoredNotice[]> {
  const chosen = new Conditions()
    // A literal, so that the database can see that the partial index of failed ones serves.
    .addText(status === 'failed' ? `status = 'failed'` : undefined)
    .add('status = ?', status === 'failed' ? undefined : status)
    .add('hold_id = ?', hold_id)
    .add('digest = ?', digest)
    .add('number < (SELECT number FROM @notices WHERE id = ?)', after)
  const page = `SELECT * FROM @notices ${chosen.where} ORDER BY number DESC LIMIT ?`
  return (yield* all(page, [...chosen.values, limit ?? null])).map(asNotice)
}
