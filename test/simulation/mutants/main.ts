/**
 * `npm run mutants` puts one seeded bug after the other into a copy of the code, and tells which suite finds it and in
 * what time. `-- --share 4` takes every fourth, `-- --only NAME` one. Exits with 1 if one was not found.
 */
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { MUTANTS } from './mutants.ts'
import { Stage } from './stage.ts'
import { type Found, findBy, SUITES } from './suites.ts'

const { values } = parseArgs({
  options: {
    share: { type: 'string', default: '1' },
    only: { type: 'string', multiple: true },
    seconds: { type: 'string', default: '60' },
  },
})
const seconds = Number(values.seconds)
const offset = Math.floor(Date.now() / 86_400_000) % Number(values.share)
const chosen = MUTANTS.filter(({ name }, index) =>
  values.only ? values.only.includes(name) : index % Number(values.share) === offset,
)
const stages = await Promise.all(Array.from({ length: availableParallelism() }, () => Stage.make()))
try {
  process.exitCode = (await isClean()) ? await hunt() : 1
} finally {
  await Promise.all(stages.map(stage => stage[Symbol.asyncDispose]()))
}

/** A suite that fails by itself finds nothing. */
async function isClean(): Promise<boolean> {
  const [stage] = stages
  if (!stage) return false
  for (const suite of SUITES) {
    const { failed, output } = await stage.run(suite, seconds)
    if (failed) console.error(`Without any bug, the suite ${suite.name} fails:\n${output}`)
    if (failed) return false
  }
  return true
}

async function hunt(): Promise<number> {
  const left = [...chosen]
  const missed: string[] = []
  const work = async (stage: Stage) => {
    for (let mutant = left.shift(); mutant; mutant = left.shift()) {
      using _bug = stage.put(mutant)
      const found = await findBy(stage, seconds)
      if (!found) missed.push(mutant.name)
      console.log(`${mutant.promise.padEnd(4)} ${mutant.name.padEnd(46)} ${told(found)}`)
    }
  }
  await Promise.all(stages.map(work))
  console.log(`\n${chosen.length - missed.length} of ${chosen.length} found`)
  for (const name of missed) console.log(`not found: ${name}`)
  return missed.length === 0 ? 0 : 1
}

function told(found: Found | null): string {
  return found ? `${found.suite}, ${found.seconds.toFixed(0)} s: ${found.reason}` : 'NOT FOUND'
}
