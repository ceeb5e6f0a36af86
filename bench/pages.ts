import { type Holdpoint, type HoldQuery, openHoldpoint } from 'holdpoint'
import { percentile, type Row } from './table.ts'
import { COUNTS, waitingStore } from './waiting.ts'

const PAGE = 50
const ROUNDS = 200

/** What an inbox asks of a store in which much waits. */
export async function measurePages(directory: string): Promise<Row[]> {
  const count = Math.max(...COUNTS)
  await using holdpoint = await openHoldpoint({ store: `sqlite:${waitingStore(directory, count)}` })
  const all = await holdpoint.holds({ status: 'open' })
  if (all.length !== count) throw new Error(`${all.length} of ${count} runs wait`)
  const pages: readonly [page: string, query: HoldQuery, size?: number][] = [
    ['first', {}],
    ['in the middle', { after: all[count / 2]?.id ?? '' }],
    ['last', { after: all[count - PAGE - 1]?.id ?? '' }],
    ['of one kind', { kind: 'approval' }],
    ['of a kind that nobody waits for', { kind: 'question' }, 0],
  ]
  const rows: Row[] = []
  for (const [page, query, size = PAGE] of pages) rows.push({ page, ...(await timesOf(holdpoint, query, size)) })
  return rows
}

async function timesOf(holdpoint: Holdpoint, query: HoldQuery, size: number): Promise<Row> {
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = performance.now()
    const { length } = await holdpoint.holds({ status: 'open', limit: PAGE, ...query })
    times.push(performance.now() - start)
    if (length !== size) throw new Error(`a page of ${length}, not of ${size}`)
  }
  return { 'p50 ms': percentile(times, 0.5), 'p99 ms': percentile(times, 0.99) }
}
