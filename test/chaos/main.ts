/**
 * `npm run chaos -- --seconds 600` lets hosts, workers, people, sub-agents and supervisors work on one store, kills and
 * suspends them at random, and then checks what they left behind by other means. `--seed N` repeats the choices, though
 * not the moments at which processes come to them. Exits with 1 if a promise was not kept, and keeps the directory.
 */
import { rmSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { comeToRest } from './calm.ts'
import { Cast } from './cast.ts'
import { Ledger } from './ledger.ts'
import { Random } from './random.ts'
import { Stage } from './stage.ts'
import { faultsOf } from './verdict.ts'
import { Violence } from './violence.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '120' },
    seed: { type: 'string' },
    keep: { type: 'boolean', default: false },
  },
})
/** Processes on the store at once, supervisors and sub-agents included. */
const MOST_PROCESSES = 8
/** Runs under way: with more of them each one would wait too long for its turn. */
const MOST_RUNS = 12
const seconds = Number(values.seconds)
const seed = Number(values.seed ?? Date.now() % 1_000_000_000)

const random = new Random(seed)
const ledger = new Ledger()
const stage = new Stage()
const cast = new Cast(stage, ledger, random)
const violence = new Violence(stage.directory, ledger, random)
console.log(`seed ${seed}, ${seconds} s, ${stage.directory}`)

const started = Date.now()
const acts: Promise<void>[] = []
await storm(started + seconds * 1000)
violence.wakeAll()
for (const { pid, role } of violence.victims()) if (role === 'workers') process.kill(pid, 'SIGTERM')
await Promise.all(acts)
const unfinished = await comeToRest({ stage, cast, violence })
const { exit: verified } = await stage.holdpoint(['audit', 'verify', '--json'], 'auditor')
const faults = [
  ...unfinished.map(what => `P4: ${what}`),
  ...(verified === 0 ? [] : [`P10: audit verify exits with ${verified}`]),
  ...(await faultsOf(stage, ledger)),
]
report()

async function storm(until: number): Promise<void> {
  let nextStrike = Date.now() + 1_000
  let nextNews = Date.now() + 10_000
  while (Date.now() < until) {
    if (violence.victims().length < MOST_PROCESSES - 1 && stage.busy < MOST_PROCESSES - 2) acts.push(act())
    if (Date.now() > nextStrike) {
      violence.strike({ long: until - Date.now() > 60_000 })
      nextStrike = Date.now() + random.between(50, 1_500)
    }
    if (Date.now() > nextNews) {
      console.log(`${Math.round((Date.now() - started) / 1000)} s: ${summary()}`)
      nextNews = Date.now() + 10_000
    }
    await delay(100)
  }
}

function act(): Promise<void> {
  const workers = violence.victims().filter(({ role }) => role === 'workers').length
  if (workers === 0 || (workers === 1 && random.chance(0.1))) return cast.work()
  const drawn = random.next()
  if (drawn < 0.03) return cast.cancel()
  if (drawn < 0.15) return cast.look()
  const waiting = stage.rows("SELECT id FROM runs WHERE status <> 'done'").length
  return waiting > 0 && (drawn < 0.65 || waiting > MOST_RUNS) ? cast.decide() : cast.start()
}

function summary(): string {
  const count = (sql: string) => stage.rows(sql).length
  const runs = count('SELECT 1 FROM runs')
  const done = count("SELECT 1 FROM runs WHERE status = 'done'")
  return `${runs} runs (${done} done), ${count('SELECT 1 FROM tasks')} tasks, ${ledger.acknowledged.length} decisions acknowledged, ${stage.effects().length} effects, ${total('kills')} kills, ${total('pauses')} pauses`
}

function total(what: string): number {
  return [...ledger.counts].filter(([name]) => name.startsWith(what)).reduce((sum, [, count]) => sum + count, 0)
}

function report(): void {
  const doubted = stage.rows("SELECT 1 FROM holds WHERE kind = 'in_doubt'").length
  console.log(`\n${summary()}, ${doubted} calls in doubt, ${Math.round((Date.now() - started) / 1000)} s`)
  for (const [what, count] of [...ledger.counts].toSorted()) console.log(`  ${String(count).padStart(6)}  ${what}`)
  if (faults.length === 0) {
    console.log('\nEvery promise was kept: nothing twice, nothing unapproved, no decision lost, every run at its end.')
    if (!values.keep) rmSync(stage.directory, { recursive: true, force: true, maxRetries: 10 })
    return
  }
  for (const fault of faults) console.error(`\n${fault}`)
  console.error(`\nSeed ${seed} failed: ${faults.length} faults. Its store and effects are in ${stage.directory}.`)
  process.exitCode = 1
}
