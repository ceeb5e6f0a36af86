import type { HoldKind } from '../../../core/hold/hold.ts'
import type { OpenHolds, StoreFigures } from '../../../ports/store/figures.ts'
import type { Database } from '../database/database.ts'
import { newestHead } from './audit-table.ts'

/** Names of cursors are any text: a reader of figures gets no more of them. */
const MOST_CURSORS = 20

export function readFigures(database: Database, now: number): StoreFigures {
  return {
    open_holds: openHolds(database),
    runs: runs(database),
    leases: leases(database, now),
    newest_record: newestHead(database).seq,
    cursors: cursors(database),
  }
}

/** The index of open holds has their kind, so no row is read but the oldest of each kind. */
function openHolds(database: Database): OpenHolds[] {
  return database
    .statement(
      `SELECT f.kind, f.count, h.opened_at
       FROM (SELECT kind, count(*) AS count, min(number) AS first FROM holds WHERE status = 'open' GROUP BY kind) f
       JOIN holds h ON h.number = f.first ORDER BY f.kind`,
    )
    .all()
    .map(({ kind, count, opened_at }) => ({
      kind: kind as HoldKind,
      count: Number(count),
      oldest_at: new Date(Number(opened_at)).toISOString(),
    }))
}

function runs(database: Database): StoreFigures['runs'] {
  const here = byStatus(database, "SELECT status, count(*) AS count FROM runs WHERE status <> 'done' GROUP BY status")
  const moved = byStatus(
    database,
    `SELECT r.status, count(*) AS count FROM exports x JOIN runs r ON r.thread = x.thread
     WHERE r.status <> 'done' GROUP BY r.status`,
  )
  const count = (status: 'running' | 'waiting') => (here.get(status) ?? 0) - (moved.get(status) ?? 0)
  return { running: count('running'), waiting: count('waiting') }
}

function byStatus(database: Database, sql: string): ReadonlyMap<string, number> {
  const rows = database.statement(sql).all()
  return new Map(rows.map(({ status, count }) => [String(status), Number(count)]))
}

function leases(database: Database, now: number): StoreFigures['leases'] {
  const row = database
    .statement(
      `SELECT count(*) AS leases, coalesce(sum(lease_until <= ?), 0) AS expired
       FROM runs WHERE status = 'running' AND status <> 'done' AND lease_owner IS NOT NULL`,
    )
    .get(now)
  const [all, expired] = [Number(row?.['leases']), Number(row?.['expired'])]
  return { held: all - expired, expired }
}

function cursors(database: Database): StoreFigures['cursors'] {
  return database
    .statement('SELECT name, seq FROM cursors ORDER BY name LIMIT ?')
    .all(MOST_CURSORS)
    .map(({ name, seq }) => ({ name: String(name), seq: Number(seq) }))
}
