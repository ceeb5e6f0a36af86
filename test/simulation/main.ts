/**
 * `npm run simulate -- --seconds 60` lives as many lives as fit into that time and prints what was in them; `--lives N`
 * stops after so many. `--store database` lives them on a model of PostgreSQL, `--seed N` lives one again and prints its
 * trace. Exits with 1, the seed and the shortest trace found where a promise was not kept.
 */
import { parseArgs } from 'node:util'
import { Choices } from './choices.ts'
import type { KindOfStore } from './kind-of-store.ts'
import { warmUp } from './process.ts'
import { printReport, printTrace, Totals } from './report.ts'
import { shrink } from './shrink.ts'
import { type Lived, simulate } from './simulate.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    lives: { type: 'string', default: 'Infinity' },
    from: { type: 'string' },
    seed: { type: 'string' },
    store: { type: 'string', default: 'file' },
    'shrink-seconds': { type: 'string', default: '30' },
  },
})

const kind = kindIn(values.store)
await warmUp()
process.exitCode = values.seed === undefined ? await explore() : await replay(Number(values.seed))

async function explore(): Promise<number> {
  const start = Date.now()
  const from = Number(values.from ?? start % 1_000_000_000)
  const end = start + Number(values.seconds) * 1_000
  const totals = new Totals()
  for (let seed = from; Date.now() < end && totals.lives < Number(values.lives); seed += 1) {
    const lived = await simulate(Choices.fromSeed(seed), kind)
    totals.take(lived)
    if (lived.failure) {
      printReport(totals, { from, seconds: (Date.now() - start) / 1_000 })
      return fail(seed, lived)
    }
  }
  printReport(totals, { from, seconds: (Date.now() - start) / 1_000 })
  return 0
}

async function fail(seed: number, lived: Lived): Promise<number> {
  const shortest = await shrink(lived, Date.now() + Number(values['shrink-seconds']) * 1_000)
  printTrace(shortest)
  console.error(`\nSeed ${seed} failed: ${lived.failure?.message}`)
  console.error(
    `Above is the shortest life found that breaks the same promise; see the whole one with --seed ${seed} --store ${kind}.`,
  )
  return 1
}

async function replay(seed: number): Promise<number> {
  const lived = await simulate(Choices.fromSeed(seed), kind)
  printTrace(lived)
  if (lived.failure) console.error(lived.failure.message)
  return lived.failure ? 1 : 0
}

function kindIn(text: string): KindOfStore {
  if (text === 'file' || text === 'database') return text
  throw new TypeError(`--store is file or database, and not ${text}`)
}
