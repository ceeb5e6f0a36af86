import type { AuditRecord } from '../../core/audit/audit.ts'
import { readableRecord } from '../../core/audit/audit-query.ts'
import { DAY_SECONDS } from '../../core/people/due.ts'
import type { Store } from '../../ports/store/store.ts'

/** In milliseconds since 1970; `until` is not included. */
export interface TimeSpan {
  readonly since: number
  readonly until: number
}

/** Clocks of several machines differ, and are set back now and then: so far records may be out of order. */
const SLACK_MS = DAY_SECONDS * 1000
const PAGE = 500

type AuditStore = Pick<Store, 'audit' | 'auditHead'>

/** The records of a time, in order. The log before and after it is not read: a report costs no more as the log grows. */
export async function* recordsBetween(
  store: AuditStore,
  { since, until }: TimeSpan,
): AsyncGenerator<AuditRecord, void, undefined> {
  for await (const record of recordsAfter(store, await lastBefore(store, since - SLACK_MS))) {
    const at = Date.parse(record.at)
    if (at >= until + SLACK_MS) return
    if (at >= since && at < until) yield record
  }
}

/** Without those that were made unreadable. */
async function* recordsAfter(store: AuditStore, place: number): AsyncGenerator<AuditRecord, void, undefined> {
  for (let after = place, isMore = true; isMore; ) {
    const page = await store.audit({ after, limit: PAGE })
    yield* page.map(readableRecord).filter(record => record !== null)
    after = page.at(-1)?.seq ?? after
    isMore = page.length === PAGE
  }
}

/** The place of the last record before this time, found by halving. One that was made unreadable counts as later. */
async function lastBefore(store: AuditStore, time: number): Promise<number> {
  let [before, behind] = [0, (await store.auditHead()).seq + 1]
  while (behind - before > 1) {
    const middle = Math.floor((before + behind) / 2)
    const [row] = await store.audit({ after: middle - 1, limit: 1 })
    const record = row ? readableRecord(row) : null
    if (record !== null && Date.parse(record.at) < time) before = middle
    else behind = middle
  }
  return before
}
