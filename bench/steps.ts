import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { defineAgent, openHoldpoint } from 'holdpoint'
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

interface Cost {
  readonly ms: number
  /** Handed to the kernel for writing, by this process, meanwhile. */
  readonly written: number
  /** What the run's events hold. */
  readonly journalBytes: number
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
  const reader = new DatabaseSync(path, { readOnly: true })
  const journalBytes = Number(
    reader.prepare('SELECT sum(length(data) + length(kind) + length(run_id)) AS bytes FROM events').get()?.['bytes'],
  )
  reader.close()
  return { ms, written, journalBytes }
}

/** The cheapest that could be: the same bytes in two rows, each in a commit of its own, in the same journal mode. */
function bareCommits(path: string, steps: number, journalBytes: number): Cost {
  const database = new DatabaseSync(path)
  database.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE rows (id INTEGER PRIMARY KEY, data TEXT NOT NULL)',
  )
  const insert = database.prepare('INSERT INTO rows (data) VALUES (?)')
  const half = 'x'.repeat(Math.round(journalBytes / steps / 2))
  const [before, start] = [writtenBytes(), performance.now()]
  for (let commit = 0; commit < steps * 2; commit += 1) insert.run(half)
  const cost = { ms: performance.now() - start, written: writtenBytes() - before, journalBytes }
  database.close()
  return cost
}

function writtenBytes(): number {
  return Number(/^wchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1] ?? Number.NaN)
}
