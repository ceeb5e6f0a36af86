import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { until } from './processes.ts'
import { aWorkplace, started, type Told, type Workplace } from './workplace.ts'

const PROGRAM = new URL('live-run.mjs', import.meta.url).pathname
const TEXT = 'I am almost done.'

/** Stands for `XDG_RUNTIME_DIR`. */
let runtime = ''

beforeEach(async () => {
  runtime = await mkdtemp(join(tmpdir(), 'holdpoint-live-'))
})
afterEach(() => rm(runtime, { recursive: true, force: true, maxRetries: 10 }))

interface Process {
  readonly child: ChildProcess
  readonly lines: Told[]
  readonly stderr: () => string
  readonly exit: Promise<number | null>
}

function start(place: Workplace, env: { RUN: string } | { THREAD: string }): Process {
  const child = spawn(process.execPath, [PROGRAM], {
    env: {
      PATH: process.env['PATH'] ?? '',
      STORE: `sqlite:${place.file}`,
      PLACE: place.directory,
      XDG_RUNTIME_DIR: runtime,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines: Told[] = []
  let stderr = ''
  child.stderr.on('data', chunk => {
    stderr += chunk
  })
  createInterface({ input: child.stdout }).on('line', line => lines.push(JSON.parse(line)))
  const { promise: exit, resolve } = Promise.withResolvers<number | null>()
  child.on('close', resolve)
  return { child, lines, stderr: () => stderr, exit }
}

async function say(place: Workplace, ...words: readonly number[]): Promise<void> {
  for (const word of words) await writeFile(join(place.directory, `word-${word}`), '')
}

/** The model ends its answer once `isHeard`: a piece that comes behind the whole is dropped. */
async function sayLast(place: Workplace, words: readonly number[], isHeard: () => boolean): Promise<void> {
  const wait = join(place.directory, 'wait')
  await writeFile(wait, '')
  await say(place, ...words)
  await until(isHeard)
  await rm(wait)
}

function textOf({ lines }: Process): string {
  return lines.map(event => (event.kind === 'text.delta' ? event.data.delta : '')).join('')
}

/** A run that nobody advances yet. */
async function aRun(): Promise<{ place: Workplace; run: { id: string; thread_id: string } }> {
  const place = await aWorkplace({ script: [TEXT] })
  onTestFinished(() => place[Symbol.asyncDispose]())
  await using holdpoint = await place.open()
  return { place, run: await started(holdpoint) }
}

const follows = ({ lines }: Process) => lines.some(({ kind }) => kind === 'run.started')

async function sockets(): Promise<string[]> {
  const found = await readdir(runtime, { recursive: true, withFileTypes: true })
  return found.filter(entry => entry.isSocket()).map(({ name }) => name)
}

test('a follower in another process sees the text of a run as it is written, in its place', async () => {
  const { place, run } = await aRun()
  const follower = start(place, { THREAD: run.thread_id })
  await until(async () => follows(follower) && (await sockets()).length === 1)
  const advancing = start(place, { RUN: run.id })
  await say(place, 0)
  await until(() => textOf(follower) === 'I ')
  await say(place, 1)
  await until(() => textOf(follower) === 'I am ')
  expect(follower.lines.some(({ kind }) => kind === 'model.answered')).toBe(false)
  await sayLast(place, [2, 3], () => textOf(follower) === TEXT)
  expect(await advancing.exit).toBe(0)
  expect(await follower.exit).toBe(0)
  expect(textOf(follower)).toBe(TEXT)
  const kinds = follower.lines
    .map(({ kind }) => kind)
    .filter(kind => kind.startsWith('text.') || kind === 'model.answered')
  // The journal may be read before the last piece comes, and has the whole then.
  const end = kinds.includes('text.end') ? ['text.end'] : []
  expect(kinds).toEqual(['text.start', ...TEXT.split(' ').map(() => 'text.delta'), ...end, 'model.answered'])
  expect([follower.stderr(), advancing.stderr()]).toEqual(['', ''])
  expect(await readdir(join(runtime, 'holdpoint'))).toEqual([])
})

test('a follower that comes while the model talks sees what it says from then on', async () => {
  const { place, run } = await aRun()
  const advancing = start(place, { RUN: run.id })
  await say(place, 0, 1)
  await until(() => existsSync(join(place.directory, 'said-1')))
  const follower = start(place, { THREAD: run.thread_id })
  await until(async () => follows(follower) && (await sockets()).length === 1)
  // The advancing process looks for followers when it has something to tell, so often at most.
  await delay(300)
  await say(place, 2)
  await until(() => textOf(follower) === 'almost ')
  await say(place, 3)
  expect(await advancing.exit).toBe(0)
  expect(await follower.exit).toBe(0)
})

test('P4: a follower that is killed, or that never reads, harms no run and leaves nothing for the next one to trip over', async () => {
  const { place, run } = await aRun()
  const [killed, stopped] = [start(place, { THREAD: run.thread_id }), start(place, { THREAD: run.thread_id })]
  await until(async () => follows(killed) && follows(stopped) && (await sockets()).length === 2)
  const advancing = start(place, { RUN: run.id })
  await say(place, 0)
  await until(() => textOf(killed) === 'I ')
  killed.child.kill('SIGKILL')
  stopped.child.kill('SIGSTOP')
  await killed.exit
  const next = start(place, { THREAD: run.thread_id })
  await until(async () => follows(next) && (await sockets()).length === 3)
  await delay(300)
  await say(place, 1)
  await until(() => textOf(next) === 'am ')
  await sayLast(place, [2, 3], () => textOf(next) === 'am almost done.')
  expect(await advancing.exit).toBe(0)
  expect(await next.exit).toBe(0)
  expect(textOf(next)).toBe('am almost done.')
})

test('P4: pieces of a process that was killed are replaced by those of the one that goes on', async () => {
  const { place, run } = await aRun()
  const follower = start(place, { THREAD: run.thread_id })
  await until(async () => follows(follower) && (await sockets()).length === 1)
  const first = start(place, { RUN: run.id })
  await say(place, 0)
  await until(() => textOf(follower) === 'I ')
  first.child.kill('SIGKILL')
  await first.exit
  const second = start(place, { RUN: run.id })
  await until(() => textOf(follower) === 'I I ')
  await sayLast(place, [1, 2, 3], () => textOf(follower) === `I ${TEXT}`)
  expect(await second.exit).toBe(0)
  expect(await follower.exit).toBe(0)
  const starts = follower.lines.flatMap(event => (event.kind === 'text.start' ? [event.data.id] : []))
  expect(starts).toEqual(['1.0', '1.0'])
  expect(textOf(follower)).toBe(`I ${TEXT}`)
})

const PREPARED: readonly (readonly [what: string, problem: string, prepare: (path: string) => Promise<unknown>])[] = [
  ['a link', 'is a link', async path => symlink(await mkdtemp(join(tmpdir(), 'holdpoint-other-')), path)],
  [
    'a directory that others can enter',
    'can be entered by other users',
    path => mkdir(path).then(() => chmod(path, 0o777)),
  ],
  ['a file', 'is no directory', path => writeFile(path, '')],
]

test.each(PREPARED)(
  'P1: %s in place of the directory is refused and named, and the run goes on',
  async (_what, problem, prepare) => {
    await prepare(join(runtime, 'holdpoint'))
    const { place, run } = await aRun()
    const follower = start(place, { THREAD: run.thread_id })
    await until(() => follows(follower))
    const advancing = start(place, { RUN: run.id })
    await say(place, 0, 1, 2, 3)
    expect(await advancing.exit).toBe(0)
    expect(await follower.exit).toBe(0)
    expect(follower.stderr()).toContain(`${join(runtime, 'holdpoint')} ${problem}`)
    expect(textOf(follower)).toBe('')
    expect(await sockets()).toEqual([])
  },
)

test('a run that nobody follows makes no directory', async () => {
  const { place, run } = await aRun()
  const advancing = start(place, { RUN: run.id })
  await say(place, 0, 1, 2, 3)
  expect(await advancing.exit).toBe(0)
  expect(await readdir(runtime)).toEqual([])
})
