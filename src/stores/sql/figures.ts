import type { HoldKind } from '../../core/hold/hold.ts'
import type { OpenHolds, StoreFigures } from '../../ports/store/figures.ts'
import { readHead } from './audit/audit-rows.ts'
import type { Dialect } from './driver/dialect.ts'
import { all, first, type Work } from './driver/work.ts'

/** Names of cursors are any text: a reader of figures gets no more of them. */
const MOST_CURSORS = 20

/** Inside a snapshot. `now` is in milliseconds since 1970. */
export function* readFigures(dialect: Dialect, now: number): Work<StoreFigures> {
  return {
    open_holds: yield* openHolds(),
    runs: yield* runs(),
    leases: yield* leases(now),
    newest_record: (yield* readHead(dialect)).seq,
    cursors: yield* cursors(),
  }
}

/** The index of open holds has their kind, so no row is read but the oldest of each kind. */
function* openHolds(): Work<OpenHolds[]> {
  const rows = yield* all(
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

/** The index of what is not done has the status. It is written out, so that the database can see that the index serves. */
function* runs(): Work<StoreFigures['runs']> {
  const here = yield* first(
    `SELECT (SELECT count(*) FROM @runs WHERE status = 'running' AND status <> 'done') AS running,
       (SELECT count(*) FROM @runs WHERE status = 'waiting' AND status <> 'done') AS waiting`,
  )
  const moved = yield* first(
    `SELECT count(*) FILTER (WHERE r.status = 'running') AS running, count(*) FILTER (WHERE r.status = 'waiting') AS waiting
     FROM @exports x JOIN @runs r ON r.thread = x.thread`,
  )
  const count = (status: 'running' | 'waiting') => Number(here?.[status]) - Number(moved?.[status])
  return { running: count('running'), waiting: count('waiting') }
}

function* leases(now: number): Work<StoreFigures['leases']> {
  const row = yield* first(
    `SELECT count(*) AS leases, count(*) FILTER (WHERE lease_until <= ?) AS expired
     FROM @runs WHERE status = 'running' AND status <> 'done' AND lease_owner IS NOT NULL`,
    [now],
  )
  const [held, expired] = [Number(row?.['leases']), Number(row?.['expired'])]
  return { held: held - expired, expired }
}

function* cursors(): Work<StoreFigures['cursors']> {
  const rows = yield* all('SELECT name, seq FROM @cursors ORDER BY name LIMIT ?', [MOST_CURSORS])
  return rows.map(({ name, seq }) => ({ name: String(name), seq: Number(seq) }))
}
