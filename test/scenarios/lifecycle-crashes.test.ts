import { execFileSync, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { withCrash } from '../disk/power-cut.ts'
import { DiskShim } from '../disk/shim.ts'
import { disagreementsIn } from './agreement.ts'
import { asTable, CrashSample, namesIn, STORY_MS, tableOf } from './crash-table.ts'
import { historyFaults } from './history-faults.ts'
import { eventsIn, type Written } from './journal.ts'
import { ended, type Finished } from './project.ts'

const PRELOAD = resolve(import.meta.dirname, 'crash-at-commit.mjs')
const DRIVER = resolve(import.meta.dirname, 'lifecycle-stories.mjs')

/** As the driver lists them. */
interface Story {
  readonly title: string
  /** Its first process dies by itself, in the middle of a call. */
  readonly dies: boolean
  /** What becomes of it depends on how far it came. */
  readonly differs: boolean
}

const STORIES: readonly Story[] = JSON.parse(execFileSync(process.execPath, [DRIVER, '--list'], { encoding: 'utf8' }))

const shim = new DiskShim()
afterAll(() => shim[Symbol.dispose]())

const sample = new CrashSample(STORIES.map(({ title }) => title))

test.concurrent.for(STORIES)(
  'P1, P2, P3, P4: killed at any durable write of the story of $title, it comes to the same end, with each effect once',
  { timeout: STORY_MS },
  async (story, { expect }) => {
    await using place = await aPlace()
    const base = await place.add('base')
    if (story.dies) expect(await play(story, [base])).toMatchObject({ signal: 'SIGKILL' })

    const undisturbed = await place.add('undisturbed', base)
    const whole = resultOf(undisturbed, await told(story, undisturbed))
    const names = namesIn(join(undisturbed, 'points'))
    await expect(asTable(names)).toMatchFileSnapshot(tableOf(story.title))

    const crashed: Crashed[] = []
    for (const at of sample.crashesAt(story.title, names.length)) {
      const directory = await place.add(at.replace(':', '-'), base)
      const killed = await withCrash(shim, { at, store: storeIn(directory) }, env => play(story, [directory], env))
      expect(killed, at).toMatchObject({ signal: 'SIGKILL', stdout: '' })
      expect(await disagreementsIn(storeIn(directory), { asks: 'beside' }), at).toEqual([])
      crashed.push({
        at: `${at} ${names[Number(at.split(':')[1]) - 1]}`,
        directory,
        events: eventsIn(storeIn(directory)),
      })
    }
    // One fresh process goes on with all of them, one after another.
    const afterwards = await play(
      story,
      crashed.map(({ directory }) => directory),
    )
    expect(afterwards).toMatchObject({ exit: 0, stderr: '' })
    const lines = afterwards.stdout.trim().split('\n')
    expect(lines).toHaveLength(crashed.length)
    for (const [index, crash] of crashed.entries()) {
      const now = resultOf(crash.directory, lines[index] ?? '')
      expect(await disagreementsIn(storeIn(crash.directory), { asks: 'beside' }), crash.at).toEqual([])
      expectNothingLost(crash, now.events)
      expectOnce(crash, now)
      if (!story.differs) expectSame(crash.at, now, whole)
    }
  },
)

interface Crashed {
  readonly at: string
  readonly directory: string
  /** What was durable when the process died. */
  readonly events: readonly Written[]
}

interface Result {
  // biome-ignore lint/suspicious/noExplicitAny: a document that the driver prints
  readonly summary: any
  readonly events: readonly Written[]
  readonly effects: readonly string[]
}

function resultOf(directory: string, line: string): Result {
  return { summary: JSON.parse(line), events: eventsIn(storeIn(directory)), effects: linesIn(directory, 'effects.log') }
}

/** P4: what was durable when the process died is durable still, and what a person was told is on record. */
function expectNothingLost({ at, events: before, directory }: Crashed, after: readonly Written[]): void {
  for (const [thread, theirs] of Map.groupBy(before, event => event.thread)) {
    expect(after.filter(event => event.thread === thread).slice(0, theirs.length), at).toEqual(theirs)
  }
  const decided = new Set(valuesOf(after, 'hold.decided', 'hold_id'))
  for (const hold of linesIn(directory, 'told.log')) expect(decided, at).toContain(hold)
}

/** P2, P3, P5: of each kind of thing that may happen only once, it happened once. */
function expectOnce({ at }: Crashed, { summary, events, effects }: Result): void {
  expect(summary, at).toMatchObject({ open: 0 })
  for (const run of summary.runs) {
    expect(run, at).toMatchObject({ status: 'done', lease: null })
    expect(historyFaults(run.messages), at).toEqual([])
  }
  for (const theirs of Map.groupBy(events, event => event.thread).values()) {
    const unique = [
      valuesOf(theirs, 'call.finished', 'call_id'),
      valuesOf(theirs, 'hold.decided', 'hold_id'),
      valuesOf(theirs, 'hold.opened', 'hold_id'),
      valuesOf(theirs, 'checkpoint.named', 'checkpoint_id'),
    ]
    for (const values of unique) expect(new Set(values).size, `${at}: ${values}`).toBe(values.length)
  }
  expect(events.filter(({ kind }) => kind === 'run.finished')).toHaveLength(summary.runs.length)
  expectNumberedAttempts(at, events)
  const once = effects.filter(line => !line.startsWith('safe_'))
  expect(new Set(once).size, `${at}: ${once}`).toBe(once.length)
}

function expectNumberedAttempts(at: string, events: readonly Written[]): void {
  const starts = events.filter(({ kind }) => kind === 'call.started')
  for (const attempts of Map.groupBy(starts, ({ thread, data }) => `${thread} ${data.call_id}`).values()) {
    expect(
      attempts.map(({ data }) => data.attempt),
      at,
    ).toEqual(attempts.map((_, index) => index + 1))
    expect(new Set(attempts.map(({ data }) => data.idempotency_key)).size, at).toBe(1)
  }
}

/** As if nothing had happened: the same conversation, the same effects, and nobody was asked anything else. */
function expectSame(at: string, now: Result, whole: Result): void {
  expect(now.summary, at).toEqual(whole.summary)
  expect(wordsOf(now), at).toEqual(wordsOf(whole))
  expect(askedIn(now), at).toEqual(askedIn(whole))
}

function wordsOf({ effects }: Result): string[] {
  return [...new Set(effects.map(line => line.split(' ')[0] ?? ''))].toSorted()
}

/** What somebody was asked, but for what a crash left in doubt. */
function askedIn({ events }: Result): string[] {
  return events
    .filter(({ kind, data }) => kind === 'hold.opened' && data.kind !== 'in_doubt')
    .map(({ data }) => `${data.kind} ${data.call_id} ${data.because}`)
    .toSorted()
}

function valuesOf(events: readonly Written[], kind: string, key: string): string[] {
  return events.filter(event => event.kind === kind).map(({ data }) => data[key])
}

async function told(story: Story, directory: string): Promise<string> {
  const finished = await play(story, [directory], { CRASH_POINTS: join(directory, 'points') })
  expect(finished).toMatchObject({ exit: 0, stderr: '' })
  return finished.stdout
}

function play(story: Story, directories: readonly string[], env: Record<string, string> = {}): Promise<Finished> {
  const args = ['--import', PRELOAD, DRIVER, story.title, ...directories]
  return ended(spawn(process.execPath, args, { env: { PATH: process.env['PATH'] ?? '', ...env } }))
}

function storeIn(directory: string): string {
  return join(directory, 'store.db')
}

function linesIn(directory: string, file: string): string[] {
  try {
    return readFileSync(join(directory, file), 'utf8').split('\n').filter(Boolean)
  } catch {
    // Nothing was written.
    return []
  }
}

interface Place extends AsyncDisposable {
  /** A directory of its own, as a copy of `from` where that is given. */
  add(name: string, from?: string): Promise<string>
}

async function aPlace(): Promise<Place> {
  const place = await mkdtemp(join(tmpdir(), 'holdpoint-crashes-'))
  return {
    add: async (name, from) => {
      const directory = join(place, name)
      await (from ? cp(from, directory, { recursive: true }) : mkdir(directory))
      return directory
    },
    [Symbol.asyncDispose]: () => rm(place, { recursive: true, force: true, maxRetries: 10 }),
  }
}
