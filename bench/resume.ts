import { join } from 'node:path'
import { openHoldpoint } from 'holdpoint'
import { APPROVAL, held, startWaiting } from './held-agent.ts'
import { median, percentile, type Row } from './table.ts'

const ROUNDS = 200

export async function measureResume(directory: string): Promise<Row[]> {
  await using holdpoint = await openHoldpoint({ store: `sqlite:${join(directory, 'resume.db')}`, agents: [held] })
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const { id, holds } = await startWaiting(holdpoint, 'held')
    const start = performance.now()
    const decisions = [{ hold_id: holds[0]?.id ?? '', ...APPROVAL }]
    const done = await holdpoint.advance(id, { decisions })
    times.push(performance.now() - start)
    if (done.status !== 'done') throw new Error('the run did not finish')
  }
  return [{ resumes: ROUNDS, 'ms (median)': median(times), 'ms (p99)': percentile(times, 0.99) }]
}
