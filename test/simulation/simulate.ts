/** One life, from its choices: the real runtime under a scheduler that decides what happens next and what goes wrong. */
import type { RunRow } from '../../src/ports/store/runs.ts'
import type { Store } from '../../src/ports/store/store.ts'
import { openStore } from '../../src/stores/open-store.ts'
import { Broken, must } from './broken.ts'
import type { Choices } from './choices.ts'
import { Coverage } from './coverage.ts'
import { checkAudit } from './end-of-life.ts'
import { COMMITTED, HEARS, type KindOfStore, SAID, unknownCommit } from './kind-of-store.ts'
import { Ledger } from './ledger.ts'
import type { Hands } from './mortal-store.ts'
import { Observer } from './observer.ts'
import { advancer, type Company, DEEDS, finisher } from './people.ts'
import { choosePlot, type Plot, type Troubles } from './plot.ts'
import { countedIds, SimulatedProcess, takeTimers } from './process.ts'
import { type Life, Scheduler, type Waiting } from './scheduler.ts'
import { TOOLS } from './tool-names.ts'

const MOST_TURNS = 500
/** Enough for any life to end once nothing goes wrong any more. */
const MOST_CALM_TURNS = 6_000
/** Answers that may be lost in a life on a database, beside the failures of its plot. */
const ALSO_LOST = 3
/** Longer than a lease. */
const STALL_MS = 31_000
/** Less than the shortest deadline, more than a lease. */
const SKEWS_MS: readonly number[] = [2_000, -2_000, 40_000, -40_000]
const AN_HOUR = 3_600_000
/** By which a clock is set. */
const STEPS_MS: readonly number[] = [...SKEWS_MS, AN_HOUR, -AN_HOUR]

/** A lock that is longer than a store waits for, and one of a program that is no Holdpoint, longer than a lease. */
const LOCKS = [
  { ms: 15_000, readersToo: false },
  { ms: 45_000, readersToo: true },
] as const

const NO_LOCK = { until: 0, readersToo: false } as const

export interface Lived {
  readonly failure: Broken | null
  readonly trace: readonly string[]
  readonly coverage: Coverage
  readonly choices: readonly number[]
  readonly kind: KindOfStore
}

export async function simulate(choices: Choices, kind: KindOfStore = 'file'): Promise<Lived> {
  const scheduler = new Scheduler()
  const hands = { skew: 0, database: 0, lock: NO_LOCK }
  await using store = await openStore('memory:', { clock: { now: () => scheduler.now + hands.skew }, directory: '/' })
  using _timers = takeTimers(scheduler)
  const life = new SimulatedLife(choices, scheduler, { store, hands, kind })
  const failure = await life.live()
  return { failure, trace: life.trace, coverage: life.coverage, choices: choices.made, kind }
}

/** A store, and how far its clock is ahead while it works for somebody. */
interface Archive {
  readonly store: Store
  readonly hands: Hands
  readonly kind: KindOfStore
}

type Trouble = 'none' | 'crash' | 'stall' | 'failure' | 'lost answer' | 'interrupt' | 'jump' | 'lock' | 'time' | 'wake'

class SimulatedLife {
  readonly trace: string[] = []
  readonly coverage: Coverage = new Coverage()
  readonly #choices: Choices
  readonly #scheduler: Scheduler
  readonly #store: Store
  readonly #hands: Archive['hands']
  readonly #kind: KindOfStore
  readonly #plot: Plot
  readonly #ledger = new Ledger()
  readonly #observer: Observer
  readonly #processes: SimulatedProcess[] = []
  readonly #ids = countedIds()
  readonly #company: Company
  readonly #left: { -readonly [K in keyof Troubles]: number }
  /** Dead processes of which the others know. */
  readonly #knownGone = new Set<string>()
  #calm = false
  #wrote = true
  #told = 0

  constructor(choices: Choices, scheduler: Scheduler, { store, hands, kind }: Archive) {
    this.#choices = choices
    this.#scheduler = scheduler
    this.#store = store
    this.#hands = hands
    this.#kind = kind
    this.#plot = plotOn(kind, choosePlot(choices))
    this.#left = { ...this.#plot.troubles }
    this.#observer = new Observer(store, {
      plot: this.#plot,
      ledger: this.#ledger,
      isDead: name => this.#processes.find(({ scene: { life } }) => life.name === name)?.scene.life.state === 'dead',
    })
    this.#company = { choices, plot: this.#plot, store, sayings: [], followers: [], isCalm: () => this.#calm }
    this.trace.push(`plot ${JSON.stringify(this.#plot)}`)
  }

  async live(): Promise<Broken | null> {
    try {
      await this.#begin()
      for (let turns = 0; turns < MOST_TURNS && (await this.#turn()); turns += 1);
      await this.#finish()
      return null
    } catch (thrown) {
      if (thrown instanceof Broken) return thrown
      throw thrown
    } finally {
      this.#note()
      this.coverage.takeIn(this.#observer)
    }
  }

  async #begin(): Promise<void> {
    const founder = this.#enter()
    const { author } = this.#plot.people
    founder.begin('start', async () => {
      for (let run = 0; run < this.#plot.runs; run += 1)
        await founder.holdpoint.start({ agent: 'tester', input: 'Go.', ...(author !== null && { author }) })
    })
    this.#calm = true
    while ((await this.#store.runs({})).length < this.#plot.runs) await this.#turn()
    this.#calm = false
    for (let life = 1; life < this.#plot.lives; life += 1) this.#enter()
    for (const process of this.#processes) this.#people(process)
    for (const bystander of this.#plot.bystanders) {
      const process = this.#choices.pick(this.#processes)
      process.begin(bystander, () => DEEDS[bystander](process, this.#company))
    }
  }

  /** On one machine each process sees of the others whether they live. */
  #isAlive(owner: string): boolean {
    return (
      this.#plot.isOneMachine &&
      this.#processes.some(({ scene: { life } }) => life.name === owner && life.state !== 'dead')
    )
  }

  #people(process: SimulatedProcess): void {
    process.begin('advancer', () => advancer(process, this.#company))
    if (this.#choices.chance(30)) process.begin('advancer', () => advancer(process, this.#company))
  }

  #enter(): SimulatedProcess {
    const drifts = this.#plot.drifts && !this.#calm
    const process = new SimulatedProcess({
      plot: this.#plot,
      life: { name: `p${this.#processes.length + 1}`, state: 'alive', skew: this.#skew() },
      hands: this.#hands,
      kind: this.#kind,
      scheduler: this.#scheduler,
      ledger: this.#ledger,
      store: this.#store,
      ids: this.#ids,
      version: drifts ? this.#choices.below(2) : 0,
      lacks: drifts && this.#choices.chance(20) ? this.#choices.pick(TOOLS) : null,
      hears: this.#choices.pick(HEARS[this.#kind]),
      isGone: owner => this.#knownGone.has(owner),
      isAlive: owner => this.#isAlive(owner),
    })
    this.#processes.push(process)
    return process
  }

  /** How far the clock of the next process is ahead. */
  #skew(): number {
    if (this.#calm || this.#left.skews === 0 || this.#choices.chance(50)) return 0
    this.#left.skews -= 1
    this.#tell('skew', 'of the next process')
    return this.#choices.pick(SKEWS_MS)
  }

  /** False once nothing more can happen by itself. */
  async #turn(): Promise<boolean> {
    await this.#look()
    const ready = this.#scheduler.ready()
    const trouble = this.#calm ? 'none' : this.#trouble(ready)
    if (trouble === 'none' && ready.length === 0) return this.#passTime()
    this.#happen[trouble](ready)
    return true
  }

  async #look(): Promise<void> {
    await this.#scheduler.settled()
    await this.#observer.look(this.#wrote)
    this.#wrote = false
    this.#note()
  }

  /** The journals, as far as they were not noted yet. */
  #note(): void {
    const events = [...this.#observer.threads.values()].flatMap(({ events }) => events)
    if (events.length === this.#told) return
    this.#told = events.length
    for (const watch of this.#observer.threads.values()) this.coverage.see(watch, this.trace)
  }

  #trouble(ready: readonly Waiting[]): Trouble {
    const { crashes, stalls, failures, interrupts, jumps, locks } = this.#left
    const stalled = this.#stalled().length > 0
    const can = (possible: boolean, weight: number) => (possible ? weight : 0)
    return this.#choices.weighted<Trouble>([
      [180, 'none'],
      [can(crashes > 0 && ready.length > 0, 4), 'crash'],
      [can(stalls > 0 && ready.length > 0, 3), 'stall'],
      [can(failures > 0 && ready.some(isStoreCall), 4), 'failure'],
      [this.#kind === 'file' || failures === 0 ? 0 : weightOfLoss(ready), 'lost answer'],
      [can(interrupts > 0 && this.#processes.some(({ stops }) => stops.size > 0), 1), 'interrupt'],
      [can(interrupts > 0 && this.#inTools().length > 0, 40), 'interrupt'],
      [can(jumps > 0 && ready.length > 0, 5), 'jump'],
      [can(locks > 0 && ready.some(isStoreCall), 5), 'lock'],
      [can(this.#plot.troubles.stalls > 0 && this.#scheduler.nextDue() !== null, 8), 'time'],
      [can(stalled, 6), 'wake'],
    ])
  }

  readonly #happen: Readonly<Record<Trouble, (ready: readonly Waiting[]) => void>> = {
    none: ready => this.#take(this.#choices.pick(ready)),
    crash: ready => {
      this.#left.crashes -= 1
      const { life, place } = this.#wherever(ready)
      if (this.#choices.chance(60)) this.#knownGone.add(life.name)
      this.#scheduler.kill(life)
      this.#tell('crash', `${life.name} at ${place}`, place)
      this.#people(this.#enter())
    },
    stall: ready => {
      this.#left.stalls -= 1
      const { life, place } = this.#wherever(ready)
      life.state = 'stalled'
      this.#scheduler.now += STALL_MS
      this.#tell('stall', `${life.name} at ${place}`, place)
    },
    failure: ready => {
      this.#left.failures -= 1
      const asked = ready.filter(isStoreCall)
      const underHook = asked.filter(({ life }) => this.#scheduler.waitsIn(life, HOOK))
      const waiting = this.#choices.pick(underHook.length > 0 ? underHook : asked)
      if (underHook.length > 0) this.coverage.count('failure under a hook')
      this.#tell('failure', `${waiting.life.name} at ${waiting.place}`, waiting.place)
      this.#scheduler.fail(waiting, new InjectedError())
    },
    'lost answer': ready => {
      this.#left.failures -= 1
      const said = ready.filter(({ place }) => SAID.test(place))
      const waiting = this.#choices.pick(said.length > 0 ? said : ready.filter(isCommitted))
      this.#tell('lost answer', `${waiting.life.name} at ${waiting.place}`, waiting.place)
      this.#scheduler.fail(waiting, unknownCommit())
    },
    interrupt: () => {
      this.#left.interrupts -= 1
      const { attempts } = this.#observer
      const within = this.#inTools()
      const stops = this.#processes.flatMap(process => [...process.stops])
      const stop = this.#choices.pick(within.length > 0 && this.#choices.chance(90) ? within : stops)
      for (const { tool } of attempts.within(stop.signal)) this.coverage.count(`interrupt in ${tool}`)
      this.#tell('interrupt', 'an advance')
      stop.abort(new AbortedError())
    },
    jump: ready => {
      this.#left.jumps -= 1
      const { life } = this.#wherever(ready)
      const ms = this.#choices.pick(STEPS_MS)
      const isDatabase = this.#kind === 'database' && this.#choices.chance(50)
      if (isDatabase) this.#hands.database += ms
      else life.skew += ms
      if (Math.abs(ms) === AN_HOUR) this.coverage.count(`an hour's jump of a ${isDatabase ? 'database' : 'host'}`)
      this.#tell('jump', `the clock of ${isDatabase ? 'the database' : life.name} by ${ms} ms`)
    },
    lock: () => {
      this.#left.locks -= 1
      const lock = this.#choices.pick(LOCKS)
      this.#hands.lock = { until: this.#scheduler.now + lock.ms, readersToo: lock.readersToo }
      this.#tell('lock', `${lock.ms} ms${lock.readersToo ? ', for readers too' : ''}`)
    },
    time: () => void this.#passTime(),
    wake: () => this.#wake(this.#choices.pick(this.#stalled())),
  }

  /** Of the advances in which a tool is at work. */
  #inTools(): AbortController[] {
    const { attempts } = this.#observer
    return this.#processes.flatMap(({ stops }) => [...stops].filter(({ signal }) => attempts.within(signal).length > 0))
  }

  /** Mostly where something is about to change, or just did. */
  #wherever(ready: readonly Waiting[]): Waiting {
    const telling = ready.filter(({ place }) => TELLING.test(place))
    return this.#choices.pick(telling.length > 0 && this.#choices.chance(70) ? telling : ready)
  }

  #take(waiting: Waiting): void {
    const { life, place } = waiting
    this.#wrote = WRITES.test(place)
    this.trace.push(`  ${life.name} ${place}`)
    this.coverage.step(life.name, place)
    this.#scheduler.take(waiting)
  }

  #stalled(): Life[] {
    return this.#processes.flatMap(({ scene: { life } }) => (life.state === 'stalled' ? [life] : []))
  }

  #wake(life: Life): void {
    life.state = 'alive'
    this.#tell('wake', life.name)
  }

  /** To the next moment at which something is due; false where nothing is. */
  #passTime(): boolean {
    const due = this.#scheduler.nextDue()
    const [stalled] = this.#stalled()
    if (due === null && stalled) this.#wake(stalled)
    if (due === null) return stalled !== undefined
    this.trace.push(`  +${due - this.#scheduler.now} ms`)
    this.#scheduler.now = due
    return true
  }

  #tell(what: string, where: string, place = ''): void {
    this.trace.push(`! ${what}: ${where}`)
    this.coverage.count(`${what}${place === '' ? '' : ` at ${place}`}`)
    this.coverage.count(`${what} in all`)
  }

  /** Nothing goes wrong any more: everything has to come to its end. */
  async #finish(): Promise<void> {
    this.#calm = true
    this.trace.push('! calm')
    this.#hands.lock = NO_LOCK
    for (const life of this.#stalled()) this.#wake(life)
    await this.#untilQuiet()
    const last = this.#enter()
    last.begin('finisher', () => finisher(last, this.#company))
    await this.#untilQuiet()
    await this.#checkEnd()
    await this.#observer.lookBack()
    await checkAudit(this.#store, this.#observer)
  }

  async #untilQuiet(): Promise<void> {
    for (let turns = 0; await this.#turn(); turns += 1) {
      must(turns < MOST_CALM_TURNS, 'liveness', () => 'something goes on for ever')
    }
  }

  async #checkEnd(): Promise<void> {
    const runs = await this.#store.runs({})
    const left = runs.filter(({ status }) => status !== 'done')
    must(left.length === 0, 'liveness', () => `left: ${JSON.stringify(left)}`)
    const happened = ['crash', 'stall', 'failure', 'lost answer', 'interrupt', 'skew', 'jump', 'lock'].some(what =>
      this.coverage.counts.has(`${what} in all`),
    )
    // Where processes stall, time passes while others have something to do: leases run out.
    const troubled = happened || this.#plot.troubles.stalls > 0
    // A message that interrupts stops hooks too, which are then asked again.
    const isCutShort = troubled || this.coverage.counts.has('interrupting')
    for (const run of runs) this.#checkHooks(run, isCutShort)
    for (const { thread_id, seq, lost, stop } of this.#company.followers) {
      const { events } = this.#observer.threadOf(thread_id)
      const died = this.#processes.some(({ scene }) => scene.life.state === 'dead')
      must(lost || died || seq === events.length, 'follow', () => `a follower stays at ${seq} of ${events.length}`)
      stop.abort(new AbortedError())
    }
    const doubted = [...this.#observer.threads.values()].flatMap(({ asked }) => [...asked.values()])
    const doubt = doubted.find(({ opened }) => opened.data.kind === 'in_doubt')
    must(troubled || !doubt, 'asked twice', () => `in doubt without any trouble: ${JSON.stringify(doubt)}`)
    const lost = this.#observer.counts.has('advance threw lease_lost')
    must(troubled || !lost, 'P7', () => 'a lease was lost without any trouble')
  }

  #checkHooks({ id, thread_id }: RunRow, isCutShort: boolean): void {
    const { events } = this.#observer.threadOf(thread_id)
    const times = (what: string) => this.#observer.hooks.get(`${what} ${id}`) ?? 0
    const [ends, starts] = [times('runEnd'), times('runStart')]
    // A plugin that was told and is late is said to be late.
    const isLate = events.some(({ run_id, data }) => run_id === id && LATE_WITNESS.test(JSON.stringify(data)))
    const isTold = ends >= 1 || (isLate && times('asked runEnd') >= 1)
    must(isTold, 'RunEnd', () => `no plugin was told that ${id} ended`)
    must(isCutShort || ends === 1, 'RunEnd', () => `plugins were told ${ends} times that ${id} ended`)
    must(isCutShort || starts <= 1, 'RunStart', () => `plugins were told ${starts} times that ${id} began`)
  }
}

const HOOK = /^hook:/
const LATE_WITNESS = /plugin witness failed: it gave no answer/
const WRITES = /^(start|claim|renew|release|request|append|decide|amend):before$/
const TELLING = /^(append|claim|release|request|decide|amend|revoke|tool|hook|model)/

function isStoreCall({ place }: Waiting): boolean {
  return place.endsWith(':before')
}

function isCommitted({ place }: Waiting): boolean {
  return COMMITTED.test(place)
}

function plotOn(kind: KindOfStore, { troubles, ...plot }: Plot): Plot {
  return { ...plot, troubles: { ...troubles, failures: troubles.failures + (kind === 'database' ? ALSO_LOST : 0) } }
}

/** What people say is seldom, and is what they repeat. */
function weightOfLoss(ready: readonly Waiting[]): number {
  if (ready.some(({ place }) => SAID.test(place))) return 40
  return ready.some(isCommitted) ? 6 : 0
}

class InjectedError extends Error {
  readonly code = 'injected'
}

class AbortedError extends Error {
  readonly code = 'aborted'
}
