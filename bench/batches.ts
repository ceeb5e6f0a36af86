import { join } from 'node:path'
import { defineAgent, openHoldpoint } from 'holdpoint'
import { bareCommits, type Cost, journalBytesIn, meter } from './cost.ts'
import { busyModel, work } from './scripted.ts'
import { median, type Row } from './table.ts'

const ROUNDS = 9
const STEPS = 100

/** All calls of a step run side by side; what they share is paid once. */
export async function measureBatches(directory: string): Promise<Row[]> {
  const sizes = [1, 4, 16]
  const measured = new Map(sizes.map(calls => [calls, { ours: [] as Cost[], bare: [] as Cost[] }]))
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [calls, { ours, bare }] of measured) {
      const path = join(directory, `batches-${calls}-${round}.db`)
      const cost = await runBatches(path, calls)
      ours.push(cost)
      bare.push(bareCommits(`${path}.bare`, STEPS, cost.journalBytes))
    }
  }
  return [...measured].map(([calls, { ours, bare }]) => {
    const [time, bareTime] = [ours, bare].map(costs => median(costs.map(({ ms }) => ms)) / STEPS) as [number, number]
    return {
      'calls/step': calls,
      'ms/step': time,
      'ms/call': time / calls,
      'bare ms': bareTime,
      'time ratio': time / bareTime,
      'KB journal/call': median(ours.map(({ journalBytes }) => journalBytes)) / STEPS / calls / 1024,
    }
  })
}

async function runBatches(path: string, calls: number): Promise<Cost> {
  const agent = defineAgent({
    name: 'busy',
    model: busyModel(STEPS, calls),
    tools: [work],
    policy: { default: 'auto' },
    maxConcurrentCalls: calls,
  })
  await using holdpoint = await openHoldpoint({ store: `sqlite:${path}`, agents: [agent] })
  const { id } = await holdpoint.start({ agent: 'busy', input: 'go' })
  const spent = meter()
  const state = await holdpoint.advance(id)
  const cost = spent()
  if (state.status !== 'done') throw new Error('the run did not finish')
  return { ...cost, journalBytes: journalBytesIn(path) }
}
