import { spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import fs from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type SQLInputValue, StatementSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { plainEvent } from '../../../core/journal/event.ts'
import type { Store } from '../../../ports/store/store.ts'
import { handClock } from '../../../testing/kit/hand-clock.ts'
import { openSqliteStore } from '../sqlite-store.ts'

let directory = ''
let path = ''

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'holdpoint-watch-'))
  path = join(directory, 'holdpoint.db')
})
afterEach(() => rm(directory, { recursive: true, force: true, maxRetries: 10 }))

const open = (): Promise<Store> => openSqliteStore(path, handClock())

/** Starts run `id` on a thread that is named after it. */
const START = `
const start = (store, id) => store.start({
  run: { id, agent: 'tester', hold_scope: 'batch' }, thread_id: 'thread of ' + id, after: 0,
  events: [{ kind: 'step.started', run_id: id, data: { step: 1 } }], status: 'running', checkpoint_id: null,
})`

async function start(store: Store, id: string): Promise<void> {
  await store.start({
    run: { id, agent: 'tester', hold_scope: 'batch' },
    thread_id: `thread of ${id}`,
    after: 0,
    events: [plainEvent({ kind: 'step.started', run_id: id, data: { step: 1 } })],
    status: 'running',
    checkpoint_id: null,
  })
}

/** Runs it in a process of its own, with `open` and `start`; resolves when that ended. */
async function inAnotherProcess(body: string): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const script = join(directory, 'other.mjs')
  const store = resolve(import.meta.dirname, '../sqlite-store.ts')
  const open = `import { openSqliteStore } from ${JSON.stringify(store)}
const open = () => openSqliteStore(${JSON.stringify(path)}, { now: () => 0 })`
  await writeFile(script, [open, START, body].join('\n'))
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const said = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', chunk => {
      said[name] += chunk
    })
  }
  const [code] = await once(child, 'close')
  return { code, ...said }
}

/** Resolves when a call back finds that `holds` does, whether or not anything else goes on meanwhile. */
async function heard(store: Store, holds: () => Promise<boolean>): Promise<void> {
  const { promise, resolve: found, reject } = Promise.withResolvers<void>()
  using _watch = store.watch(() => void holds().then(held => held && found(), reject))
  await promise
}

test('P4: what another process writes is heard of, and is in the journal by then', async () => {
  await using store = await open()
  const arrived = heard(store, async () => {
    const journals = await Promise.all(['a', 'b', 'c'].map(id => store.journal(`thread of ${id}`)))
    return journals.every(({ length }) => length === 1)
  })
  const other = inAnotherProcess(`
    const store = await open()
    for (const id of ['a', 'b', 'c']) {
      await start(store, id)
      await new Promise(done => setTimeout(done, 20))
    }
    // Stays, so that no closing connection writes anything more.
    setInterval(() => {}, 1000)
  `)
  expect(await Promise.race([arrived, other])).toBeUndefined()
})

test('a process that watches ends by itself once it has nothing else to do', async () => {
  const other = await inAnotherProcess(`
    const [watched, written] = [await open(), await open()]
    const busy = setInterval(() => {}, 1000)
    watched.watch(() => {
      console.log('heard')
      clearInterval(busy)
    })
    setTimeout(() => start(written, 'a'), 50)
  `)
  expect(other).toEqual({ code: 0, stdout: expect.stringContaining('heard'), stderr: '' })
})

test('a listener that throws is warned of', async () => {
  await using store = await open()
  const broken = new TypeError('this listener is broken on purpose')
  using _watch = store.watch(() => {
    throw broken
  })
  const warned = once(process, 'warning')
  await start(store, 'a')
  expect(await warned).toEqual([broken])
})

/** As on a file system that tells of nothing, and as where the system has no watches left. */
const DEAF: readonly (readonly [what: string, watch: () => unknown])[] = [
  ['tells of nothing', () => Object.assign(new EventEmitter(), { close: () => {} })],
  [
    'refuses to tell',
    () => {
      throw Object.assign(new Error('no space left for watches'), { code: 'ENOSPC', syscall: 'watch' })
    },
  ],
  [
    'stops to tell',
    () => {
      const files = Object.assign(new EventEmitter(), { close: () => {} })
      setImmediate(() => files.emit('error', new Error('the disk was taken away')))
      return files
    },
  ],
]

/** Lets the store ask `watch` in place of the system, until the test is over. */
function watchBy(watch: (...parameters: Parameters<typeof fs.watch>) => unknown): void {
  const original = fs.watch
  fs.watch = watch as typeof fs.watch
  syncBuiltinESMExports()
  onTestFinished(() => {
    fs.watch = original
    syncBuiltinESMExports()
  })
}

test('a commit that takes long is noticed within 8 ms of its end: no look is rarer while one may be under way', async () => {
  let tell: () => void = () => {}
  watchBy((...parameters) => {
    tell = parameters.at(-1) as () => void
    return Object.assign(new EventEmitter(), { close: () => {} })
  })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  await using store = await open()
  const looks = countLooks()
  using _watch = store.watch(() => {})
  vi.advanceTimersByTime(60_000)
  expect(looks.since()).toBeLessThan(400)
  // Its pages are written; until it can be seen, the system tells of nothing more.
  tell()
  vi.advanceTimersByTime(16)
  looks.since()
  for (let ms = 0; ms < 1_500; ms += 8) {
    vi.advanceTimersByTime(8)
    expect(looks.since()).toBe(1)
  }
  vi.advanceTimersByTime(60_000)
  looks.since()
  vi.advanceTimersByTime(60_000)
  expect(looks.since()).toBeLessThan(70)
})

/** How often `data_version` was looked at, each time since the last time that this was asked. */
function countLooks(): { since(): number } {
  const { all } = StatementSync.prototype
  let looks = 0
  StatementSync.prototype.all = function (this: StatementSync, ...parameters: SQLInputValue[]) {
    if (this.sourceSQL.includes('data_version')) looks += 1
    return Reflect.apply(all, this, parameters)
  } as typeof all
  onTestFinished(() => {
    StatementSync.prototype.all = all
  })
  return {
    since: () => {
      const seen = looks
      looks = 0
      return seen
    },
  }
}

test.each(DEAF)('where the system %s, what others write is heard of all the same', async (_what, watch) => {
  watchBy(watch)
  await using store = await open()
  await using other = await open()
  const arrived = heard(store, async () => (await store.journal('thread of a')).length === 1)
  await sleep(100)
  await start(other, 'a')
  await arrived
})

test.each<readonly [what: string, end: (watch: Disposable, store: Store) => unknown]>([
  ['the last listener', watch => watch[Symbol.dispose]()],
  ['the store', (_watch, store) => store[Symbol.asyncDispose]()],
])('with %s, what was asked of the system is given back', async (_what, end) => {
  const { promise: asked, resolve: ask } = Promise.withResolvers<fs.FSWatcher>()
  const original = fs.watch
  watchBy((...parameters) => {
    const files = original(...parameters)
    ask(files)
    return files
  })
  await using store = await open()
  const watch = store.watch(() => {})
  const closed = once(await asked, 'close')
  await end(watch, store)
  await closed
})

test('once nobody watches, nothing is looked at any more', async () => {
  const looks = countLooks()
  await using store = await open()
  await using other = await open()
  const arrived = heard(store, async () => true)
  await start(other, 'a')
  await arrived
  expect(looks.since()).toBeGreaterThan(0)
  await start(other, 'b')
  await sleep(100)
  expect(looks.since()).toBe(0)
})

test('a look that fails is told as a change, so that whoever reads meets the trouble', async () => {
  const { get, all } = StatementSync.prototype
  await using store = await open()
  const told = Promise.withResolvers<unknown>()
  using _watch = store.watch(told.resolve)
  const fail = () => {
    throw Object.assign(new Error('disk I/O error'), { errcode: 10 })
  }
  Object.assign(StatementSync.prototype, { get: fail, all: fail })
  try {
    expect(await told.promise).toBeNull()
    await expect(store.run('run_1')).rejects.toMatchObject({ code: 'store_io' })
  } finally {
    Object.assign(StatementSync.prototype, { get, all })
  }
})
