import { openHoldpoint } from 'holdpoint'
import { openPostgresStore } from '../../src/stores/postgres/postgres-store.ts'
import { held, startWaiting } from '../held-agent.ts'
import type { Row } from '../table.ts'
import { oneValue } from './bare.ts'

const RECORDS = 20_000
const AT_ONCE = 2_000
const WAITING = 1_000

/** How fast records get their places, if many are pending. */
export async function sealingRows(url: string): Promise<Row[]> {
  const schema = 'bench_sealing'
  await using store = await openPostgresStore(`${url}?schema=${schema}`)
  const entry = { kind: 'hold.shown', actor: 'ana', surface: 'code', data: { note: 'x'.repeat(200) } } as never
  await Promise.all(
    Array.from({ length: RECORDS / AT_ONCE }, () => store.record(Array.from({ length: AT_ONCE }, () => entry))),
  )
  const before = await oneValue(url, `SELECT seq FROM ${schema}.audit_head`)
  const start = performance.now()
  const { seq } = await store.auditHead()
  const rate = ((seq - before) / (performance.now() - start)) * 1_000
  return [{ figure: `records sealed/s, of ${seq - before} that were pending`, value: rate, wanted: '10000' }]
}

/** What a waiting run takes of the disk, with its indexes and its records. */
export async function waitingRows(url: string): Promise<Row[]> {
  const schema = 'bench_waiting'
  await using holdpoint = await openHoldpoint({ store: `${url}?schema=${schema}`, agents: [held] })
  const size = () =>
    oneValue(
      url,
      `SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE n.nspname = '${schema}' AND c.relkind = 'r'`,
    )
  const before = await size()
  for (let n = 0; n < WAITING; n += 1) await startWaiting(holdpoint, 'held')
  return [{ figure: 'KB stored for a waiting run', value: ((await size()) - before) / WAITING / 1_024, wanted: '6' }]
}
