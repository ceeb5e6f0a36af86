import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { HoldKind } from '../../core/hold/hold.ts'
import { plainEvent } from '../../core/journal/event.ts'
import { NO_TIMING } from '../../core/people/due.ts'
import type { Lease } from '../../ports/store/runs.ts'
import type { Store } from '../../ports/store/store.ts'
import { handClock } from '../../testing/kit/hand-clock.ts'
import { numbered } from '../refuse-unkept.ts'
import { MIGRATIONS } from './database/schema/schema.ts'
import { openSqliteStore } from './sqlite-store.ts'

let directory = ''
let path = ''

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'holdpoint-sqlite-'))
  path = join(directory, 'holdpoint.db')
})
afterEach(() => rm(directory, { recursive: true, force: true, maxRetries: 10 }))

const PAGE = 4096
const LINE = 'a line of some length, as a result of a call may have one. '.repeat(16)

const open = (): Promise<Store> => openSqliteStore(path, handClock())

async function started(store: Store): Promise<Lease> {
  await store.start({
    run: { id: 'run_1', agent: 'tester', hold_scope: 'batch' },
    thread_id: 'th_1',
    after: 0,
    events: [line()],
    status: 'running',
    checkpoint_id: null,
  })
  return claimed(store)
}

async function claimed(store: Store): Promise<Lease> {
  const result = await store.claim({ run_id: 'run_1', owner: 'one', ttl_ms: 60_000, evict: 'one' })
  if (result?.outcome !== 'claimed') throw new TypeError('the run is busy')
  return result.lease
}

const line = (run_id = 'run_1') =>
  plainEvent({ kind: 'message.received', run_id, data: { content: LINE, author: null, forced_by: null } })

async function appendLines(store: Store, lease: Lease, from: number, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) await store.append(lease, from + n, { events: [line()] })
}

test('statements are prepared once and used again', async () => {
  const prepare = DatabaseSync.prototype.prepare
  let prepared = 0
  DatabaseSync.prototype.prepare = function (...args) {
    prepared += 1
    return prepare.apply(this, args)
  }
  try {
    await using store = await open()
    const lease = await started(store)
    await appendLines(store, lease, 1, 1)
    await store.journal('th_1')
    const before = prepared
    await appendLines(store, lease, 2, 50)
    for (let n = 0; n < 50; n += 1) await store.journal('th_1', 40)
    expect(before).toBeGreaterThan(5)
    expect(prepared).toBe(before)
  } finally {
    DatabaseSync.prototype.prepare = prepare
  }
})

test('the pages of a journal that are full are never written again', async () => {
  {
    await using store = await open()
    await appendLines(store, await started(store), 1, 1_000)
  }
  const before = await readFile(path)
  {
    await using store = await open()
    await appendLines(store, await claimed(store), 1_001, 100)
  }
  const after = await readFile(path)
  expect(before.length / PAGE).toBeGreaterThan(200)
  expect(after.length / PAGE).toBeGreaterThan(before.length / PAGE + 20)
  const rewritten = Array.from({ length: before.length / PAGE }, (_, n) => n * PAGE).filter(
    at => !before.subarray(at, at + PAGE).equals(after.subarray(at, at + PAGE)),
  )
  // The header, the run's row, the last page of events and the branches above it.
  expect(rewritten.length).toBeLessThanOrEqual(6)
})

test('what was written is in the file when a method returns, before the store is closed', async () => {
  await using store = await open()
  const lease = await started(store)
  await appendLines(store, lease, 1, 3)
  using other = new DatabaseSync(path, { readOnly: true })
  expect(other.prepare('SELECT count(*) AS n FROM events').get()).toEqual({ n: 4 })
  expect(other.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' })
})

/** `Hold`, as database.ts marks our files. */
const APPLICATION = 0x486f6c64

/** A store as an older version left it, with one hold of each kind and a decision that knows of no grants. */
function writeVersion(version: number, kinds: readonly HoldKind[]): void {
  using database = new DatabaseSync(path)
  database.exec(`PRAGMA journal_mode = WAL; ${MIGRATIONS.slice(0, version).join('')}
    PRAGMA user_version = ${version}; PRAGMA application_id = ${APPLICATION};
    INSERT INTO threads (number, id, created_at) VALUES (1, 'th_1', 0);
    INSERT INTO runs (id, thread, agent, status, hold_scope, created_at, updated_at)
      VALUES ('run_1', 1, 'tester', 'waiting', 'call', 0, 0);`)
  const insert = database.prepare(
    `INSERT INTO holds (id, run_id, thread_id, call_id, kind, status, tool, opened_at, asked, decision)
     VALUES (?, 'run_1', 'th_1', 'call_1', ?, ?, 'deploy', 0, ?, ?)`,
  )
  const asked = { arguments: {}, digest: null, message: 'May it?', context: null, choices: null, response_schema: null }
  for (const kind of kinds) insert.run(`hold_${kind}`, kind, 'open', JSON.stringify(asked), null)
  const { grant: _, ...decision } = aDecision
  insert.run('hold_decided', 'approval', 'decided', JSON.stringify(asked), JSON.stringify(decision))
}

test.each([
  ['approval', 'replay_tool_call'],
  ['in_doubt', 'replay_tool_call'],
  ['question', 'use_decision_as_tool_result'],
  ['input', 'use_decision_as_tool_result'],
  ['client_tool', 'use_decision_as_tool_result'],
] as const)('a hold of kind %s that was written without a resume mode has %s', async (kind, resume_mode) => {
  writeVersion(1, [kind])
  await using store = await open()
  expect(await store.hold(`hold_${kind}`)).toMatchObject({ kind, message: 'May it?', resume_mode, tool_schema: null })
})

test.each([1, 2, 3])('a store of version %i is written on as it is', async version => {
  writeVersion(version, ['approval', 'question'])
  await using store = await open()
  const event = { kind: 'cancel.requested', run_id: 'run_1', data: { by: 'ana', reason: null } } as const
  const requested = await store.request({ run_id: 'run_1', event, withdraw: true, unlessWaiting: false })
  expect(requested).toMatchObject({ outcome: 'recorded', events: [{ seq: 1 }, { seq: 2 }, { seq: 3 }] })
  expect(await store.holds({ status: 'open' })).toEqual([])
  expect(await store.run('run_1')).toMatchObject({ status: 'running' })
})

test.each([1, 2])(
  'a hold of version %i is never due, may be decided by everybody, and is its run’s agent’s',
  async version => {
    writeVersion(version, ['approval'])
    await using store = await open()
    expect(await store.nextDue()).toBeNull()
    expect(await store.holds({ agent: 'tester', status: 'open' })).toMatchObject([
      {
        ...NO_TIMING,
        id: 'hold_approval',
        agent: 'tester',
        deciders: null,
        requesters: [],
        destructive: false,
        level: 0,
      },
    ])
    expect(await store.hold('hold_decided')).toMatchObject({ votes: [], decision: aDecision })
    expect(await store.decide([{ ...aDecision, hold_id: 'hold_approval' }])).toMatchObject([{ outcome: 'recorded' }])
  },
)

test.each([1, 2])('a hold of version %i is assigned and escalated as one of today', async version => {
  writeVersion(version, ['approval'])
  await using store = await open()
  const about = { hold_id: 'hold_approval', call_id: 'call_1' }
  const data = { ...about, level: 1, assignee: 'mia', due_at: '2030-01-02T00:00:00.000Z' }
  const event = { kind: 'hold.escalated', run_id: 'run_1', data } as const
  const [amended] = await store.amend([{ hold_id: 'hold_approval', event, seen: { level: 0, reminded: 0 } }])
  expect(amended).toMatchObject({ assignee: 'mia', level: 1 })
  expect(await store.nextDue()).toBe('2030-01-02T00:00:00.000Z')
  expect(await store.holds({ assignee: 'mia' })).toEqual([amended])
})

/** What writeVersion leaves out, as it was when threads could be forked, holds be due, and grants be given. */
function fillVersion3(): void {
  using database = new DatabaseSync(path)
  database.exec(`
    INSERT INTO events VALUES (${2 ** 22 + 1}, 0, 'run_1', 'note', '{"text":"kept"}');
    UPDATE holds SET agent = 'tester', assignee = 'mia', due_at = 1000, wake_at = 1000, on_due = 'reject';
    INSERT INTO grants (id, agent, tool, expires_at, uses, given) VALUES ('grant_1', 'tester', 'deploy', NULL, 7, '{"scope":"run"}');
    UPDATE runs SET checkpoint_id = 'cp_1', lease_owner = 'somebody', lease_until = 5, fence = 3;`)
}

test('a store of version 3 keeps all that is in it, and its runs have no parents', async () => {
  writeVersion(3, ['approval', 'question'])
  fillVersion3()
  await using store = await open()
  expect(await store.runs({})).toMatchObject([
    {
      id: 'run_1',
      parent_run_id: null,
      checkpoint_id: 'cp_1',
      status: 'waiting',
      lease: { owner: 'somebody', fence: 3 },
    },
  ])
  expect(await store.journal('th_1')).toMatchObject([{ seq: 1, kind: 'note', data: { text: 'kept' } }])
  expect(await store.holds({ status: 'open' })).toMatchObject([
    { id: 'hold_approval', assignee: 'mia', on_due: 'reject' },
    { id: 'hold_question', assignee: 'mia' },
  ])
  expect(await store.nextDue()).toBe('1970-01-01T00:00:01.000Z')
  expect(await store.hold('hold_decided')).toMatchObject({ decision: aDecision })
  expect(await store.grants({})).toMatchObject([{ id: 'grant_1', uses: 7 }])
  expect(await store.tasks.create(aTask)).toMatchObject({ status: 'pending' })
})

test('P6: nothing that is said or done of one run looks through the rows of others', async () => {
  const { prepare } = DatabaseSync.prototype
  const prepared: string[] = []
  DatabaseSync.prototype.prepare = function (sql, ...rest) {
    prepared.push(sql)
    return prepare.call(this, sql, ...rest)
  }
  try {
    await using store = await open()
    prepared.length = 0
    const lease = await started(store)
    const hold = (n: number) => ({ ...aHold, id: `hold_${n}`, call_id: `call_${n}` })
    await store.append(lease, 1, { events: [line()], opens: [1, 2, 3, 4].map(hold) })
    await store.decide([{ ...aDecision, hold_id: 'hold_1' }])
    const data = { hold_id: 'hold_3', call_id: 'call_3', assignee: 'ben', by: 'ana', surface: 'test', reason: null }
    const assigned = { kind: 'hold.assigned', run_id: 'run_1', data } as const
    await store.amend([{ hold_id: 'hold_3', event: assigned, seen: null }])
    await store.holds({ status: 'open', run_id: 'run_1' })
    await store.holds({ status: 'open', thread_id: 'th_1' })
    await store.holds({ status: 'open', limit: 50, after: 'hold_1' })
    const rest = { events: [line()], run: { status: 'waiting' }, withdraws: ['hold_2'], release: true } as const
    await store.append(lease, 4, { events: [], rest })
    const event = { kind: 'cancel.requested', run_id: 'run_1', data: { by: 'ana', reason: null } } as const
    await store.request({ run_id: 'run_1', event, withdraw: true, unlessWaiting: false })
    await store.journal('th_1', 2, 10)
    await store.dueHolds('2031-01-01T00:00:00.000Z', 10)
    await store.nextDue()
    await store.grant('grant_1')
    await store.grants({ agent: 'worker', tool: 'deploy', valid_at: '2030-01-01T00:00:00.000Z' })
    await store.revoke({ grant_id: 'grant_1', by: 'ana', surface: 'test' })
    await store.runs({ parent_run_id: 'run_1', limit: 50, after: 'run_1' })
    await store.runs({ run_id: 'run_1' })
    await store.readyRuns({ limit: 4, after: 'run_1' })
    await store.leasedRuns({ limit: 4 })
    await store.tasks.create(aTask)
    const move = { task_id: 'task_1', invocation: 1 } as const
    await store.tasks.move({ ...move, from: ['pending'], to: 'running' })
    await store.tasks.move({ ...move, from: ['running'], to: 'paused' })
    await store.tasks.tasks({ subject: 'run_1' })
    await store.tasks.tasks({ status: 'paused', limit: 50, after: 'task_1' })
    await store.tasks.invocations('task_1')
  } finally {
    DatabaseSync.prototype.prepare = prepare
  }
  using database = new DatabaseSync(path)
  const steps = prepared
    .filter(sql => /^\s*(SELECT|UPDATE)/.test(sql))
    .flatMap(sql => {
      const parameters = Array.from(new Set(numbered(sql).match(/\$\d+/g)), () => 1)
      return database
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all(...parameters)
        .map(({ detail }) => String(detail))
    })
  expect(steps.filter(step => step.startsWith('SEARCH')).length).toBeGreaterThan(10)
  expect(prepared.some(sql => sql.includes('wake_at = ?'))).toBe(true)
  expect(steps.filter(step => step.includes('holds_due'))).toHaveLength(2)
  expect(steps.filter(step => step.includes('runs_not_done'))).toHaveLength(2)
  // A list among the values of a statement has no index.
  expect(steps.filter(step => step.startsWith('SCAN') && !step.startsWith('SCAN json_each'))).toEqual([])
  expect(steps.filter(step => step.includes('TEMP B-TREE'))).toEqual([])
})

const aHold = {
  kind: 'approval',
  run_id: 'run_1',
  tool: 'deploy',
  arguments: {},
  digest: null,
  message: 'May it?',
  context: null,
  choices: null,
  response_schema: null,
  resume_mode: 'replay_tool_call',
  tool_schema: null,
  ...NO_TIMING,
  agent: 'worker',
  destructive: false,
  deciders: null,
  requesters: [],
} as const

const aTask = {
  id: 'task_1',
  kind: 'agent',
  title: 'Write',
  subject: 'run_1',
  details: {},
  workdir: '/project',
  timeout_ms: null,
  argv: ['write'],
  by: 'ana',
  surface: 'test',
} as const

const aDecision = {
  decision_id: 'click-1',
  verdict: 'approve',
  arguments: null,
  value: null,
  reason: null,
  digest: null,
  decided_by: 'ana',
  surface: 'test',
  at: '2030-01-01T00:00:00.000Z',
  grant: null,
} as const

test('missing directories are made', async () => {
  path = join(directory, 'not', 'there', 'yet.db')
  await using store = await open()
  await started(store)
  expect(existsSync(path)).toBe(true)
})

/** Opens the store at once with others who do, and starts a run in it. */
const OPENER = `
import { existsSync, writeFileSync } from 'node:fs'
const { openSqliteStore } = await import(${JSON.stringify(resolve(import.meta.dirname, 'sqlite-store.ts'))})
const [directory, path, name] = process.argv.slice(2)
writeFileSync(directory + '/ready-' + name, '')
const clock = new Int32Array(new SharedArrayBuffer(4))
while (!existsSync(directory + '/go')) Atomics.wait(clock, 0, 0, 1)
const store = await openSqliteStore(path, { now: () => 0 })
await store.start({
  run: { id: 'run_' + name, agent: 'tester', hold_scope: 'batch' }, thread_id: 'th_' + name, after: 0,
  events: [{ kind: 'step.started', run_id: 'run_' + name, data: { step: 1 } }], status: 'running', checkpoint_id: null,
})
await store[Symbol.asyncDispose]()
`

test('several processes that open a new store at once migrate it once, and all work', async () => {
  const script = join(directory, 'opener.mjs')
  await writeFile(script, OPENER)
  const names = ['a', 'b', 'c', 'd']
  const openers = names.map(name => exitOf([script, directory, path, name]))
  const ready = () => names.every(name => existsSync(join(directory, `ready-${name}`)))
  await expect.poll(ready).toBe(true)
  await writeFile(join(directory, 'go'), '')
  expect(await Promise.all(openers)).toEqual(names.map(() => ({ code: 0, stderr: '' })))
  await using store = await open()
  expect((await store.runs({})).map(({ id }) => id).toSorted()).toEqual(names.map(name => `run_${name}`))
})

async function exitOf(args: readonly string[]): Promise<{ code: number | null; stderr: string }> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  let stderr = ''
  child.stderr.on('data', chunk => {
    stderr += chunk
  })
  return new Promise(done => child.on('close', code => done({ code, stderr })))
}

test('a store of a newer version is refused and not touched', async () => {
  {
    await using store = await open()
    await started(store)
  }
  {
    using database = new DatabaseSync(path)
    database.exec('PRAGMA user_version = 99')
  }
  const before = await readFile(path)
  await expect(open()).rejects.toMatchObject({ code: 'store_newer', message: expect.stringContaining('99') })
  expect(await readFile(path)).toEqual(before)
})

test.each([
  ['a text file', 'store_not_a_database', () => writeFile(path, 'These are my notes. '.repeat(100))],
  ['a directory', 'store_unopenable', () => mkdtemp(join(directory, 'holdpoint.db')).then(made => (path = made))],
])('%s is refused as a store and not touched', async (_what, code, make) => {
  await make()
  await expect(open()).rejects.toMatchObject({ code, hint: expect.any(String), message: expect.stringContaining(path) })
})

test('an event that is not JSON makes its journal corrupt, and no other one', async () => {
  {
    await using store = await open()
    await appendLines(store, await started(store), 1, 3)
    await store.start({
      run: { id: 'run_2', agent: 'tester', hold_scope: 'batch' },
      thread_id: 'th_2',
      after: 0,
      events: [line('run_2')],
      status: 'running',
      checkpoint_id: null,
    })
  }
  {
    using database = new DatabaseSync(path)
    database.exec('UPDATE events SET data = \'{"content": \' WHERE place % 4194304 = 2')
  }
  await using store = await open()
  await expect(store.journal('th_1')).rejects.toMatchObject({ code: 'corrupt_journal' })
  expect(await store.journal('th_2')).toHaveLength(1)
})
