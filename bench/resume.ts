import { join } from 'node:path'
import { defineAgent, openHoldpoint } from 'holdpoint'
import { busyModel, work } from './scripted.ts'
import { median, type Row } from './table.ts'

const ROUNDS = 200

export async function measureResume(directory: string): Promise<Row[]> {
  const agent = defineAgent({ name: 'held', model: busyModel(1), tools: [work], policy: { default: 'prompt' } })
  await using holdpoint = await openHoldpoint({ store: `sqlite:${join(directory, 'resume.db')}`, agents: [agent] })
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const { id } = await holdpoint.start({ agent: 'held', input: 'go' })
    const waiting = await holdpoint.advance(id)
    if (!('holds' in waiting) || !waiting.holds[0]) throw new Error('the run does not wait')
    const start = performance.now()
    const decisions = [
      { hold_id: waiting.holds[0].id, verdict: 'approve', decided_by: 'ana', surface: 'code' },
    ] as const
    const done = await holdpoint.advance(id, { decisions })
    times.push(performance.now() - start)
    if (done.status !== 'done') throw new Error('the run did not finish')
  }
  const sorted = times.toSorted((a, b) => a - b)
  return [
    { resumes: ROUNDS, 'ms (median)': median(times), 'ms (p99)': sorted[Math.floor(ROUNDS * 0.99)] ?? Number.NaN },
  ]
}
