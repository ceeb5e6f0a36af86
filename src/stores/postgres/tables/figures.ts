import type { HoldKind } from '../../../core/hold/hold.ts'
import type { OpenHolds, StoreFigures } from '../../../ports/store/figures.ts'
import { readHead } from '../audit/seal-audit.ts'
import type { Query } from '../database/pool.ts'

/** Names of cursors are any text: a reader of figures gets no more of them. */
const MOST_CURSORS = 20

/** Inside a snapshot. `now` is in milliseconds since 1970. */
export async function readFigures(query: Query, now: number): Promise<StoreFigures> {
  return {
    open_holds: await openHolds(query),
    runs: await runs(query),
    leases: await leases(query, now),
    newest_record: (await readHead(query)).seq,
    cursors: await cursors(query),
  }
}

/** The index of open holds has their kind, so no row is read but the oldest of each kind. */
async function openHolds(query: Query): Promise<OpenHolds[]> {
  const { rows } = await query(
    `SELECT f.kind, f.count, h.opened_at
     FROM (SELECT kind, count(*) AS count, min(number) AS first FROM @holds WHERE status = 'open' GROUP BY kind) f
     JOIN @holds h ON h.number = f.first ORDER BY f.kind`,
  )
  return rows.map(({ kind, count, opened_at }) => ({
    kind: kind as HoldKind,
    count: Number(count),
    oldest_at: new Date(Number(opened_at)).toISOString(),
  }))
}

/** The index of what is not done has the status. It is written out, so that PostgreSQL can see that the index serves. */
async function runs(query: Query): Promise<StoreFigures['runs']> {
  const { rows } = await query(
    `SELECT (SELECT count(*) FROM @runs WHERE status = 'running' AND status <> 'done') AS running,
       (SELECT count(*) FROM @runs WHERE status = 'waiting' AND status <> 'done') AS waiting`,
  )
  const moved = await query(
    `SELECT count(*) FILTER (WHERE r.status = 'running') AS running, count(*) FILTER (WHERE r.status = 'waiting') AS waiting
     FROM @exports x JOIN @runs r ON r.thread = x.thread`,
  )
  const count = (status: 'running' | 'waiting') => Number(rows[0]?.[status]) - Number(moved.rows[0]?.[status])
  return { running: count('running'), waiting: count('waiting') }
}

async function leases(query: Query, now: number): Promise<StoreFigures['leases']> {
  const { rows } = await query(
    `SELECT count(*) AS leases, count(*) FILTER (WHERE lease_until <= $1) AS expired
     FROM @runs WHERE status = 'running' AND status <> 'done' AND lease_owner IS NOT NULL`,
    [now],
  )
  const [all, expired] = [Number(rows[0]?.['leases']), Number(rows[0]?.['expired'])]
  return { held: all - expired, expired }
}

async function cursors(query: Query): Promise<StoreFigures['cursors']> {
  const { rows } = await query('SELECT name, seq FROM @cursors ORDER BY name LIMIT $1', [MOST_CURSORS])
  return rows.map(({ name, seq }) => ({ name: String(name), seq: Number(seq) }))
}
