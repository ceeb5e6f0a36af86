import { defineAgent, openHoldpoint } from 'holdpoint'
import { busyModel, work } from '../scripted.ts'
import { median, type Row, times } from '../table.ts'
import { BareRows, oneValue } from './bare.ts'
import { DbosProcess } from './dbos-process.ts'

const LENGTHS = [50, 200, 800] as const
const ROUNDS = 5
const SCHEMA = 'bench_steps'
/** Some 1.4 KB in two commits. */
const BYTES = 700

/** A step beside two bare commits, and beside the two steps of DBOS that keep the same; they take turns. */
export async function stepRows(url: string): Promise<Row[]> {
  const agents = LENGTHS.map(steps =>
    defineAgent({
      name: `busy-${steps}`,
      model: busyModel(steps),
      // A run without a bound of its own ends after 200 rounds.
      stop: [{ type: 'max_rounds', rounds: steps + 1 }],
      tools: [work],
      policy: { default: 'auto' },
      pauseOn: [],
    }),
  )
  await using holdpoint = await openHoldpoint({ store: `${url}?schema=${SCHEMA}`, agents })
  await using bare = await BareRows.open(url, BYTES)
  await using dbos = await DbosProcess.start(url)
  const measured = new Map(
    LENGTHS.map(steps => [steps, { ours: [] as number[], bare: [] as number[], dbos: [] as number[] }]),
  )
  const run = async (steps: number) => {
    const { id } = await holdpoint.start({ agent: `busy-${steps}`, input: 'go' })
    const [ms = 0] = await times(1, () => holdpoint.advance(id))
    return ms / steps
  }
  const commits = async (steps: number) => (await times(steps * 2, () => bare.commit())).reduce((a, b) => a + b) / steps
  await run(LENGTHS[0])
  await commits(LENGTHS[0])
  await dbos.stepMs(LENGTHS[0])
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [steps, each] of measured) {
      each.ours.push(await run(steps))
      each.bare.push(await commits(steps))
      if (steps < 800) each.dbos.push(await dbos.stepMs(steps))
    }
  }
  const kb = await oneValue(
    url,
    `SELECT sum(length(data)) / count(*) FILTER (WHERE kind = 'model.answered') FROM ${SCHEMA}.events`,
  )
  return [
    { figure: 'a step, KB of its events', value: kb / 1024, wanted: '' },
    ...[...measured].flatMap(([steps, each]) => [
      { figure: `a step of ${steps}, ms`, value: median(each.ours), wanted: '' },
      { figure: 'the same, x two bare commits', value: median(each.ours) / median(each.bare), wanted: '3' },
      ...(each.dbos.length === 0
        ? []
        : [
            {
              figure: 'the same in DBOS, x two bare commits',
              value: median(each.dbos) / median(each.bare),
              wanted: '',
            },
          ]),
    ]),
  ]
}
