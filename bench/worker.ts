import { join } from 'node:path'
import { AnsweredWorker } from './answered-worker.ts'
import { percentile, type Row } from './table.ts'
import { COUNTS, waitingStore } from './waiting.ts'

const ROUNDS = 200
const RESTARTS = 30
const WARM_UP = 10

/** From an answer that this process records to the first line of the tool in a worker process. */
export async function measureWorker(directory: string): Promise<Row[]> {
  const rows: Row[] = []
  for (const count of COUNTS) {
    const store = `sqlite:${waitingStore(directory, count)}`
    await using worker = await AnsweredWorker.open({ directory: join(directory, `worker-${count}`), store })
    const live = (await worker.times(ROUNDS + WARM_UP, () => worker.answer())).slice(WARM_UP)
    const restarted = await worker.times(RESTARTS, () => worker.answerOverRestart())
    rows.push({
      'others waiting': count,
      'worker running: p50 ms': percentile(live, 0.5),
      'p99 ms': percentile(live, 0.99),
      'over its restart: p50 ms': percentile(restarted, 0.5),
      'its p99 ms': percentile(restarted, 0.99),
    })
  }
  return rows
}
