import { join } from 'node:path'
import { defineAgent, openHoldpoint } from 'holdpoint'
import { bareCommits, type Cost, journalBytesIn, meter, sameRows } from './cost.ts'
import { busyModel, work } from './scripted.ts'
import { median, type Row } from './table.ts'

const ROUNDS = 9

/** Ours, the same rows alone and bare commits, short runs and long ones, take turns: a slow moment of the machine hits all of them. */
export async function measureSteps(directory: string): Promise<Row[]> {
  // Not measured: what is paid once per process, so that the first row tells of steps as the last one does.
  bareCommits(join(directory, 'warm.bare'), 200, (await runSteps(join(directory, 'warm.db'), 200)).journalBytes)
  const lengths = [50, 200, 800]
  const measured = new Map(lengths.map(steps => [steps, { ours: [], same: [], bare: [] } as Measured]))
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [steps, { ours, same, bare }] of measured) {
      const path = join(directory, `steps-${steps}-${round}.db`)
      const cost = await runSteps(path, steps)
      ours.push(cost)
      same.push(sameRows(`${path}.same`, path, cost.journalBytes))
      bare.push(bareCommits(`${path}.bare`, steps, cost.journalBytes))
    }
  }
  return [...measured].map(([steps, costs]) => rowOf(steps, costs))
}

type Measured = Readonly<Record<'ours' | 'same' | 'bare', Cost[]>>

function rowOf(steps: number, { ours, same, bare }: Measured): Row {
  const per = (costs: readonly Cost[], value: keyof Cost) => median(costs.map(cost => cost[value])) / steps
  const ratio = (costs: readonly Cost[], value: keyof Cost) => per(costs, value) / per(bare, value)
  return {
    steps,
    'ms/step': per(ours, 'ms'),
    'time ratio': ratio(ours, 'ms'),
    'of the same rows': ratio(same, 'ms'),
    'CPU ms': per(ours, 'cpuMs'),
    'CPU ratio': ratio(ours, 'cpuMs'),
    'CPU of the same rows': ratio(same, 'cpuMs'),
    'KB written': per(ours, 'written') / 1024,
    'bytes ratio': ratio(ours, 'written'),
    'bytes of the same rows': ratio(same, 'written'),
    'KB journal/step': per(ours, 'journalBytes') / 1024,
  }
}

async function runSteps(path: string, steps: number): Promise<Cost> {
  const agent = defineAgent({
    name: 'busy',
    model: busyModel(steps),
    // A run without a bound of its own ends after 200 rounds.
    stop: [{ type: 'max_rounds', rounds: steps + 1 }],
    tools: [work],
    policy: { default: 'auto' },
    pauseOn: [],
  })
  await using holdpoint = await openHoldpoint({ store: `sqlite:${path}`, agents: [agent] })
  const { id } = await holdpoint.start({ agent: 'busy', input: 'go' })
  const spent = meter()
  const state = await holdpoint.advance(id)
  const cost = spent()
  if (state.status !== 'done' || state.steps !== steps + 1) throw new Error(`the run of ${steps} steps did not finish`)
  return { ...cost, journalBytes: journalBytesIn(path) }
}
