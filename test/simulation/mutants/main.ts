/**
 * `npm run mutants` puts one seeded bug after the other into a copy of the code, and tells which suite finds it and in
 * what time. A suite that is late, crashes or fails for another reason than the bug's finds nothing. A bug that does not
 * build is an error of its own. `-- --share 4` takes every fourth, `-- --only NAME` one, `-- --jobs 1` one at a time,
 * `-- --suite simulation` with that suite alone. Exits with 1 if one was not found.
 */
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildFaults } from './build-faults.ts'
import type { Mutant } from './mutant.ts'
import { MUTANTS } from './mutants.ts'
import { Stage } from './stage.ts'
import { type Hunted, hunt, SUITES } from './suites.ts'

const { values } = parseArgs({
  options: {
    share: { type: 'string', default: '1' },
    only: { type: 'string', multiple: true },
    lives: { type: 'string', default: '1500' },
    suite: { type: 'string', multiple: true },
    jobs: { type: 'string', default: String(availableParallelism()) },
  },
})
const lives = Number(values.lives)
const suites = SUITES.filter(({ name }) => values.suite?.includes(name) ?? true)
const offset = Math.floor(Date.now() / 86_400_000) % Number(values.share)
const chosen = MUTANTS.filter(({ name }, index) =>
  values.only ? values.only.includes(name) : index % Number(values.share) === offset,
)
const unbuilt = buildFaults(join(import.meta.dirname, '../../..'), chosen)
const stages = await Promise.all(Array.from({ length: Number(values.jobs) }, () => Stage.make()))
try {
  process.exitCode = (await isClean()) ? await huntAll() : 1
} finally {
  await Promise.all(stages.map(stage => stage[Symbol.asyncDispose]()))
}

/** A suite that fails by itself finds nothing. */
async function isClean(): Promise<boolean> {
  const [stage] = stages
  if (!stage || chosen.length === 0) throw new TypeError('There is nothing to hunt: look at --jobs and --only.')
  for (const suite of suites) {
    const { passed, output } = await stage.run(suite, { lives, file: 'src/core/hold/hold.ts' })
    if (!passed) console.error(`Without any bug, the suite ${suite.name} fails:\n${output}`)
    if (!passed) return false
  }
  return true
}

async function huntAll(): Promise<number> {
  const left = chosen.filter(mutant => !unbuilt.has(mutant))
  const missed: string[] = []
  for (const [mutant, fault] of unbuilt) console.log(lineOf(mutant, `DOES NOT BUILD: ${fault}`))
  const work = async (stage: Stage) => {
    for (let mutant = left.shift(); mutant; mutant = left.shift()) {
      using _bug = stage.put(mutant)
      const hunted = await hunt(stage, mutant, { suites, lives })
      if (!hunted.found) missed.push(mutant.name)
      console.log(told(mutant, hunted))
    }
  }
  await Promise.all(stages.map(work))
  console.log(`\n${chosen.length - missed.length - unbuilt.size} of ${chosen.length} found`)
  for (const name of missed) console.log(`not found: ${name}`)
  for (const [{ name }, fault] of unbuilt) console.log(`does not build: ${name}: ${fault}`)
  return missed.length + unbuilt.size === 0 ? 0 : 1
}

function told(mutant: Mutant, { found, others }: Hunted): string {
  const what = found ? `${found.suite}, ${found.seconds.toFixed(0)} s: ${found.reason.slice(0, 160)}` : 'NOT FOUND'
  const beside = others.map(other => `\n     no find, ${other.slice(0, 240)}`)
  return `${lineOf(mutant, what)}${beside.join('')}`
}

function lineOf({ promise, name }: Mutant, what: string): string {
  return `${promise.padEnd(4)} ${name.padEnd(56)} ${what}`
}
