import { join } from 'node:path'
import { defineAgent, openHoldpoint } from 'holdpoint'
import { bareCommits, type Cost, journalBytesIn, writtenBytes } from './cost.ts'
import { busyModel, work } from './scripted.ts'
import { median, type Row } from './table.ts'

const ROUNDS = 9

/** Ours and bare commits, short runs and long ones, take turns: a slow moment of the machine hits all of them. */
export async function measureSteps(directory: string): Promise<Row[]> {
  // Not measured: what is paid once per process, so that the first row tells of steps as the last one does.
  bareCommits(join(directory, 'warm.bare'), 200, (await runSteps(join(directory, 'warm.db'), 200)).journalBytes)
  const lengths = [50, 200, 800]
  const measured = new Map(lengths.map(steps => [steps, { ours: [] as Cost[], bare: [] as Cost[] }]))
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [steps, { ours, bare }] of measured) {
      const path = join(directory, `steps-${steps}-${round}.db`)
      const cost = await runSteps(path, steps)
      ours.push(cost)
      bare.push(bareCommits(`${path}.bare`, steps, cost.journalBytes))
    }
  }
  return [...measured].map(([steps, { ours, bare }]) => rowOf(steps, ours, bare))
}

function rowOf(steps: number, ours: readonly Cost[], bare: readonly Cost[]): Row {
  const per = (costs: readonly Cost[], value: (cost: Cost) => number) => median(costs.map(value)) / steps
  const [time, bareTime] = [per(ours, ({ ms }) => ms), per(bare, ({ ms }) => ms)]
  const [bytes, bareBytes] = [per(ours, ({ written }) => written), per(bare, ({ written }) => written)]
  return {
    steps,
    'ms/step': time,
    'bare ms': bareTime,
    'time ratio': time / bareTime,
    'KB written/step': bytes / 1024,
    'bare KB': bareBytes / 1024,
    'bytes ratio': bytes / bareBytes,
    'KB journal/step': per(ours, ({ journalBytes }) => journalBytes) / 1024,
  }
}

async function runSteps(path: string, steps: number): Promise<Cost> {
  const agent = defineAgent({
    name: 'busy',
    model: busyModel(steps),
    tools: [work],
    policy: { default: 'auto' },
    pauseOn: [],
  })
  await using holdpoint = await openHoldpoint({ store: `sqlite:${path}`, agents: [agent] })
  const { id } = await holdpoint.start({ agent: 'busy', input: 'go' })
  const [before, start] = [writtenBytes(), performance.now()]
  const state = await holdpoint.advance(id)
  const [ms, written] = [performance.now() - start, writtenBytes() - before]
  if (state.status !== 'done' || state.steps !== steps + 1) throw new Error(`the run of ${steps} steps did not finish`)
  return { ms, written, journalBytes: journalBytesIn(path) }
}
