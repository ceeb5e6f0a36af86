/**
 * `npm run cluster -- --runs 10000`: three workers, two servers, two shells and four pages work on one PostgreSQL, each on
 * a machine with a network of its own, while processes are killed and suspended, connections cut, commits delayed, a
 * machine is cut off for a minute and the database restarted twice. Then a checker that knows only the effects, the audit
 * log and what clients were told looks for what was lost, doubled or never approved. `--seed N` repeats the choices.
 * Exits with 1 if a promise was not kept, and keeps the directory.
 */
import { randomBytes } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Random } from '../chaos/random.ts'
import { openTestDatabase } from '../postgres/database.ts'
import { faultsIn } from './checker.ts'
import { Machine, type Service, Site } from './machines.ts'
import { type Door, Page, Shell } from './people.ts'
import { Violence } from './violence.ts'

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '10000' },
    seed: { type: 'string' },
    keep: { type: 'boolean', default: false },
  },
})
const RUNS = Number(values.runs)
/** Runs that wait or move at once. */
const MOST_OPEN = 300
const STARTERS = 4
const PATIENCE_MS = 600_000
const seed = Number(values.seed ?? Date.now() % 1_000_000_000)
const random = new Random(seed)

const database = await openTestDatabase()
if ('missing' in database) throw new Error(database.missing)
const url = new URL(database.url)
url.searchParams.set('schema', `cluster_${seed}`)
const site = new Site(url.href)
console.log(`seed ${seed}, ${RUNS} runs, ${site.directory}`)

const started = Date.now()
const machines = await Promise.all(['host-1', 'host-2', 'host-3'].map(name => Machine.join(site, name)))
const [one, two, three] = machines as [Machine, Machine, Machine]
// The first one makes the tables.
await one.holdpoint(['runs', '--json'], 'operator')
const names = ['page-1', 'page-2', 'page-3', 'page-4']
const tokens = await Promise.all(names.map(tokenOf))
const ports = [await freePort(), await freePort()]
const services: Service[] = [
  ...machines.map((machine, at) => machine.keepRunning(`worker-${at + 1}`, ['work', '--json'])),
  ...[one, two].map((machine, at) =>
    machine.keepRunning(`server-${at + 1}`, ['serve', '--no-work', '--port', String(ports[at])], {
      HOLDPOINT_SERVER_TOKEN: randomBytes(32).toString('base64url'),
    }),
  ),
]
const pages = names.map((name, at) => {
  const doors: Door[] = ports.map(port => ({ url: `http://127.0.0.1:${port}`, token: tokens[at] ?? '' }))
  return new Page(name, doors, { site, random })
})
const shells = [new Shell('shell-1', two), new Shell('shell-2', three)]
const violence = new Violence({ services, machines }, { random, restartDatabase: database.restart ?? (async () => {}) })

/** A part of the way each, so that short campaigns have them too. */
const MILESTONES: readonly (readonly [part: number, act: () => void])[] = [
  [0.2, () => violence.restartDatabase()],
  [0.35, () => violence.part()],
  [0.5, () => violence.suspendLong()],
  [0.7, () => violence.restartDatabase()],
]

const following = pages.map((page, at) => page.follow(hold => owns(hold, at) || random.chance(0.1)))
const attending = shells.map(shell => shell.attend(() => [...(pages[0]?.open ?? [])].at(-1)))
const beginning = Array.from({ length: STARTERS }, (_, at) => startRuns(pages[at % pages.length] as Page))
const storm = strikeUntilLate()
await Promise.all(beginning)
await storm
await violence.settle()
const left = await comeToRest()
for (const shell of shells) shell.end()
await Promise.all(attending)
await Promise.all(pages.map(page => page.close()))
await Promise.all(following)
await Promise.all(services.map(service => service.stop()))
const faults = await verdict()
report()
await Promise.all(machines.map(machine => machine[Symbol.asyncDispose]()))
await database[Symbol.asyncDispose]()
// What looks after the database ends a process with 0, whatever its exit code is.
process.exit(faults.length === 0 ? 0 : 1)

async function tokenOf(name: string): Promise<string> {
  const { json, stderr } = await one.holdpoint(['tokens', 'add', name, '--role', 'operator', '--json'], 'operator')
  if (typeof json?.secret !== 'string') throw new Error(`There is no token for ${name}: ${stderr}`)
  return json.secret
}

function freePort(): Promise<number> {
  return new Promise(resolve => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(address && typeof address === 'object' ? address.port : 0))
    })
  })
}

/** Each hold is one page's; now and then another one decides it too. */
function owns(hold: string, page: number): boolean {
  return (hold.codePointAt(hold.length - 1) ?? 0) % names.length === page
}

function acknowledged(): number {
  return pages.reduce((sum, { told }) => sum + told.filter(({ kind }) => kind === 'started').length, 0)
}

function finished(): number {
  return Math.max(...pages.map(page => page.finished.size))
}

async function startRuns(page: Page): Promise<void> {
  while (acknowledged() + STARTERS <= RUNS) {
    if (acknowledged() - finished() < MOST_OPEN) await page.start()
    else await delay(50)
  }
}

/** Calm comes only when most runs are at their end, and all that was to happen has happened. */
async function strikeUntilLate(): Promise<void> {
  const ahead = [...MILESTONES]
  let nextNews = Date.now() + 10_000
  while (ahead.length > 0 || finished() < RUNS * 0.9) {
    violence.strike()
    if (ahead[0] && finished() >= RUNS * ahead[0][0]) ahead.shift()?.[1]()
    if (Date.now() > nextNews) {
      console.log(summary())
      nextNews = Date.now() + 10_000
    }
    await delay(random.between(500, 2_500))
  }
}

/** What is not at its end when patience is over. */
async function comeToRest(): Promise<string[]> {
  const deadline = Date.now() + PATIENCE_MS
  for (;;) {
    const behind = pages.flatMap(page => {
      const rest = page.begun.size - page.finished.size
      return rest > 0 || page.open.size > 0 || page.begun.size < acknowledged()
        ? [`${page.name} sees ${page.begun.size} runs, of which ${rest} move, and ${page.open.size} open holds`]
        : []
    })
    if (behind.length === 0 || Date.now() > deadline) return behind
    await Promise.all([...(pages[0]?.open ?? [])].slice(0, 20).map(hold => pages[0]?.decide(hold).catch(() => {})))
    console.log(summary())
    await delay(2_000)
  }
}

async function verdict(): Promise<string[]> {
  const audit = await one.holdpoint(['audit', '--json'], 'auditor')
  const verified = await one.holdpoint(['audit', 'verify', '--json'], 'auditor')
  const told = [...pages, ...shells].flatMap(each => each.told)
  writeFileSync(join(site.directory, 'audit.jsonl'), audit.stdout)
  writeFileSync(join(site.directory, 'told.json'), JSON.stringify(told))
  return [
    ...left.map(what => `P4: ${what}`),
    ...[...pages, ...shells].flatMap(({ oddities }) => oddities),
    ...(verified.exit === 0
      ? []
      : [`P10: audit verify exits with ${verified.exit}: ${verified.stdout.slice(0, 2_000)}`]),
    ...faultsIn({ effects: site.effects, audit: audit.stdout, told }),
  ]
}

function summary(): string {
  const effects = site.effects.split('\n').length - 1
  const seconds = Math.round((Date.now() - started) / 1000)
  const decisions = [...pages, ...shells].reduce(
    (sum, { told }) => sum + told.filter(t => t.kind === 'decided').length,
    0,
  )
  return `${seconds} s: ${acknowledged()} runs acknowledged, ${finished()} done, ${decisions} decisions, ${effects} effects`
}

function report(): void {
  console.log(`\n${summary()}`)
  for (const [what, count] of [...violence.counts].toSorted()) console.log(`  ${String(count).padStart(6)}  ${what}`)
  for (const { name, setbacks } of pages)
    console.log(`  ${name}: ${[...setbacks].map(([code, count]) => `${count} ${code}`).join(', ') || 'no setbacks'}`)
  if (faults.length === 0) {
    console.log(
      '\nEvery promise was kept: nothing lost, nothing twice, nothing unapproved, and every page ends with the truth.',
    )
    if (!values.keep) rmSync(site.directory, { recursive: true, force: true, maxRetries: 10 })
    return
  }
  for (const fault of faults.slice(0, 50)) console.error(`\n${fault}`)
  console.error(`\nSeed ${seed} failed: ${faults.length} faults. What it left is in ${site.directory}.`)
}
