import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Store } from '../../src/ports/store/store.ts'
import { COPIED_TABLES, NOT_COPIED } from '../../src/stores/copy/copied-tables.ts'
import {
  type CopiedWhole,
  type CopyRequest,
  copyStore,
  giveUpCopy,
  planCopy,
} from '../../src/stores/copy/copy-store.ts'
import { openCopySource, openCopyTarget } from '../../src/stores/copy/open-copy.ts'
import { openStore } from '../../src/stores/open-store.ts'
import { aClaim, aHold, aStart } from '../../src/testing/contracts/store-samples.ts'
import { aTaskThatIs } from '../../src/testing/contracts/tasks/sample-task.ts'
import { openDatabase } from '../open-database.ts'
import { openTestDatabase } from '../postgres/database.ts'
import { fillStore } from './fill-store.ts'

const execute = promisify(execFile)
const database = await openTestDatabase()
let directory = ''
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'holdpoint-copy-'))
})
afterAll(async () => {
  await database[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true, maxRetries: 10 })
})

let stores = 0
const aFile = (): string => {
  stores += 1
  return `sqlite:${join(directory, `${stores}.db`)}`
}
const aSchema = (): string => {
  stores += 1
  return `${'url' in database ? database.url : ''}?schema=copy_${stores}`
}
const clock = { now: () => Date.now() }
const open = (url: string): Promise<Store> => openStore(url, { clock, directory })
const aRequest = (): CopyRequest => ({
  by: 'ana',
  surface: 'test',
  now: Date.now(),
  id: `copy_${stores}`,
  isGone: () => false,
})

type Verb<T> = (ends: Parameters<typeof copyStore>[0], request: CopyRequest) => Promise<T>

async function between<T>(from: string, to: string, verb: Verb<T>): Promise<T> {
  const deps = { clock, directory }
  await using source = await openCopySource(from, deps)
  await using target = await openCopyTarget(to, deps)
  return await verb({ source, target }, aRequest())
}

const copy = (from: string, to: string): Promise<CopiedWhole> => between(from, to, copyStore)

let filled: Promise<string> | null = null

/** Filled once: each other one begins as a copy of it. */
async function aFilled(url: string): Promise<string> {
  filled ??= fill(aFile())
  const file = (await filled).slice('sqlite:'.length)
  const own = `${file}.${stores}.copy`
  await copyFile(file, own)
  await copy(`sqlite:${own}`, url)
  return url
}

async function fill(url: string): Promise<string> {
  await using store = await open(url)
  await fillStore(store)
  return url
}

/** One kind of store gives Buffers, the other one Uint8Arrays. */
function withPlainBytes(value: unknown): unknown {
  if (value instanceof Uint8Array) return [...value]
  if (Array.isArray(value)) return value.map(withPlainBytes)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withPlainBytes(each)]))
}

/** All that people and programs read. */
async function told(url: string): Promise<unknown> {
  await using store = await open(url)
  const runs = await store.runs({})
  const threads = [...new Set(runs.map(({ thread_id }) => thread_id))]
  return {
    journals: await Promise.all(threads.map(thread => store.journal(thread))),
    runs,
    holds: await store.holds({}),
    grants: await store.grants({}),
    audit: await store.audit({ limit: 100_000 }),
    tasks: await store.tasks.tasks({}),
    tokens: await store.access.find('sha256:token_1'),
    session: await store.sessions.find('sha256:session_1'),
    subscription: await store.subscriptions.find('push_1'),
    pushKeys: await store.subscriptions.keys(),
    notices: await store.notices.list({ limit: 100 }),
    link: await store.links.find('sha256:1'),
    input: await store.findInput('th_2', 'in_1'),
    imports: await store.bundles.imports('th_1'),
    exported: await store.bundles.exported('th_1'),
    graph: withPlainBytes(await store.graphs.find({ thread_id: 'graph_1', namespace: '', checkpoint_id: '1' })),
    cursor: await store.cursor('notices').read(),
    secret: await store.secret(),
  }
}

type Place = readonly [kind: string, at: () => string]
const FILE: Place = ['a file', aFile]
const POSTGRES: Place = ['PostgreSQL', aSchema]
const PLACES: readonly Place[] = 'url' in database ? [FILE, POSTGRES] : [FILE]

if ('missing' in database) test.skip(`copies to and from PostgreSQL (${database.missing})`, () => {})

describe.each(PLACES)('from %s', (_kind, aSource) => {
  test.each(PLACES)('to %s, all that is there is there, and the source is left', async (_to, aTarget) => {
    const [from, to] = [await aFilled(aSource()), aTarget()]
    const before = (await told(from)) as { readonly audit: readonly unknown[] }
    const copied = await copy(from, to)
    const empty = Object.entries(copied.rows).filter(([, rows]) => rows === 0)
    expect(empty, 'fillStore leaves these tables empty').toEqual([])
    // Its last record says where it went.
    const after = (await told(from)) as { readonly audit: readonly unknown[] }
    expect(after).toEqual({ ...before, audit: [...before.audit, expect.anything()] })
    expect(await told(to)).toEqual(after)
    await using store = await open(to)
    expect(await store.auditHead()).toEqual(copied.audit_head)
    const heads = copied.audit_head ? [copied.audit_head] : []
    const verified = await store.verifyAudit(heads)
    await store.start(aStart({ run: 'run_new', thread: 'th_new' }))
    expect(await store.claim(aClaim({ run_id: 'run_new' }))).toMatchObject({ outcome: 'claimed' })
    await using left = await open(from)
    expect(verified).toEqual(await left.verifyAudit(heads))
    const refused = { code: 'store_moved', message: expect.stringContaining(store.location.display) }
    await expect(left.start(aStart({ run: 'run_late', thread: 'th_late' }))).rejects.toMatchObject(refused)
    await expect(copy(to, to)).rejects.toMatchObject({ code: 'store_not_empty' })
    await expect(left.record([{ kind: 'hold.shown', data: {} }])).rejects.toMatchObject(refused)
  })

  test.each(PLACES)('to %s, a task keeps its host, unless the target is of one machine', async (_to, aTarget) => {
    const [from, to] = [aSource(), aTarget()]
    const hostIn = async (url: string) => {
      await using store = await open(url)
      return (await store.tasks.task('task_1'))?.host ?? null
    }
    await using store = await open(from)
    await aTaskThatIs(store.tasks, 'paused')
    await copy(from, to)
    const isShared = !to.startsWith('sqlite:') && !from.startsWith('sqlite:')
    expect(await hostIn(to)).toBe(isShared ? hostname() : null)
    expect(await hostIn(from)).toBe(from.startsWith('sqlite:') ? null : hostname())
  })

  test('a source in which a run or a task is under way is refused, and goes on', async () => {
    const [from, to] = [aSource(), aFile()]
    await using store = await open(from)
    await store.start(aStart())
    await store.claim(aClaim({ ttl_ms: 60_000 }))
    await aTaskThatIs(store.tasks, 'running')
    const refused = { code: 'store_in_use', details: { runs: ['run_1'], tasks: ['task_1'] } }
    await expect(between(from, to, planCopy)).rejects.toMatchObject(refused)
    await expect(copy(from, to)).rejects.toMatchObject(refused)
    await store.start(aStart({ run: 'run_2', thread: 'th_2' }))
  })

  test('what a process writes that began before the copy is in it, or is refused', async () => {
    const [from, to] = [await aFilled(aSource()), aFile()]
    await using store = await open(from)
    const written: string[] = []
    let refused: unknown = null
    const writing = (async () => {
      for (let n = 0; refused === null; n += 1)
        try {
          await store.start(aStart({ run: `run_w${n}`, thread: `th_w${n}`, status: 'done' }))
          written.push(`run_w${n}`)
          await new Promise(setImmediate)
        } catch (thrown) {
          refused = thrown
        }
    })()
    await copy(from, to)
    await writing
    expect(refused).toMatchObject({ code: 'store_moved' })
    await using moved = await open(to)
    const there = (await moved.runs({})).map(({ id }) => id).filter(id => id.startsWith('run_w'))
    expect(there.toReversed()).toEqual(written)
  })
})

describe.each(PLACES)('to %s', (_kind, aTarget) => {
  test('a copy that is killed at any write goes on, and ends the same', async () => {
    const from = await aFilled(aFile())
    const to = aTarget()
    // In one copy, one after the other: each kill leaves what the ones before it left.
    for (const write of [1, 2]) await copyIn(from, to, { write, when: 'after' })
    await copyIn(from, to, { write: 3, when: 'before' })
    await copyIn(from, to, { write: 5, when: 'after' })
    await expect(open(from).then(store => store.start(aStart({ run: 'x', thread: 'x' })))).rejects.toMatchObject({
      code: 'store_moved',
    })
    const copied = await copy(from, to)
    expect(copied.journal_hash).not.toBeNull()
    expect(await told(to)).toEqual(await told(from))
    expect(await copy(from, to)).toMatchObject({ copy_id: copied.copy_id, rows: copied.rows })
  })

  test.each(['settle', 'finish'])('a copy that is killed around %s goes on', async step => {
    const { writes } = await copyIn(await aFilled(aFile()), aTarget(), { write: 0, when: 'before' })
    const write = step === 'finish' ? writes : writes - 1
    for (const when of ['before', 'after'] as const) {
      const [from, to] = [await aFilled(aFile()), aTarget()]
      await copyIn(from, to, { write, when })
      await copy(from, to)
      expect(await told(to)).toEqual(await told(from))
    }
  })

  test('a store with anything in it is no target', async () => {
    const [from, to] = [await aFilled(aFile()), aTarget()]
    {
      await using store = await open(to)
      await store.start(aStart({ opens: [aHold('hold_1')] }))
    }
    const before = await told(to)
    for (const verb of [planCopy, copyStore])
      await expect(between(from, to, verb)).rejects.toMatchObject({ code: 'store_not_empty' })
    expect(await told(to)).toEqual(before)
    await using store = await open(from)
    await store.start(aStart({ run: 'run_new', thread: 'th_new' }))
  })

  test('a copy that was given up leaves the source as it was, and does not go on', async () => {
    const [from, to] = [await aFilled(aFile()), aTarget()]
    await copyIn(from, to, { write: 5, when: 'after' })
    {
      await using source = await openCopySource(from, { clock, directory })
      await giveUpCopy(source)
      await expect(giveUpCopy(source)).rejects.toMatchObject({ code: 'store_not_copying' })
    }
    await using store = await open(from)
    await store.start(aStart({ run: 'run_new', thread: 'th_new' }))
    await expect(copy(from, to)).rejects.toMatchObject({ code: 'store_not_empty' })
    await copy(from, aTarget())
  })

  test('to look makes and changes nothing', async () => {
    const [from, to] = [await aFilled(aFile()), aTarget()]
    expect(await between(from, to, planCopy)).toMatchObject({ copy_id: null, rows: { threads: 62 } })
    expect(await between(from, to, planCopy)).toMatchObject({ copy_id: null })
    await using store = await open(from)
    await store.start(aStart({ run: 'run_new', thread: 'th_new' }))
  })
})

/** Runs in a process of its own, which is killed at this write; with 0 it comes to its end. */
async function copyIn(
  from: string,
  to: string,
  { write, when }: { readonly write: number; readonly when: 'before' | 'after' },
): Promise<{ readonly writes: number }> {
  const argv = [join(import.meta.dirname, 'copy-process.ts'), from, to, String(write), when]
  if (write === 0) return JSON.parse((await execute(process.execPath, argv)).stdout)
  await expect(execute(process.execPath, argv)).rejects.toMatchObject({ signal: 'SIGKILL' })
  return { writes: 0 }
}

describe('each table of a store', () => {
  const known = new Map([...COPIED_TABLES.map(({ name, columns }) => [name, columns] as const)])
  /** Columns of one kind of store, which follow from the others. */
  const FOLLOWS: ReadonlySet<string> = new Set(['threads.newest', 'grants.scope', 'grants.scope_id', 'grants.hold_id'])

  function expectKnown(found: readonly { readonly table: string; readonly column: string }[]): void {
    const unknown = found.filter(({ table, column }) => {
      if (Object.hasOwn(NOT_COPIED, table)) return false
      // In a file the place of an event is its thread and its seq in one.
      if (`${table}.${column}` === 'events.place') return false
      return !known.get(table)?.includes(column) && !FOLLOWS.has(`${table}.${column}`)
    })
    expect(unknown, 'store copy does not know these: add them to copied-tables.ts').toEqual([])
    const tables = new Set(found.map(({ table }) => table))
    expect([...known.keys()].filter(table => !tables.has(table))).toEqual([])
  }

  test('of a file is copied whole, or left with a reason', async () => {
    const url = aFile()
    await using _store = await open(url)
    using file = openDatabase(url.slice('sqlite:'.length), { readOnly: true })
    const found = file
      .prepare(
        `SELECT t.name AS "table", c.name AS "column" FROM sqlite_schema t, pragma_table_info(t.name) c
         WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite%'`,
      )
      .all()
    expectKnown(found as never)
    expect(existsSync(url.slice('sqlite:'.length))).toBe(true)
  })

  test.runIf('url' in database)('of a schema is copied whole, or left with a reason', async () => {
    const url = aSchema()
    await using _store = await open(url)
    const client = new pg.Client('url' in database ? database.url : '')
    await client.connect()
    const { rows } = await client.query(
      `SELECT table_name AS "table", column_name AS "column" FROM information_schema.columns WHERE table_schema = $1`,
      [`copy_${stores}`],
    )
    await client.end()
    expectKnown(rows)
  })
})
