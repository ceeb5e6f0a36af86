import { copyFile, rm } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { HoldpointError } from '../../src/core/errors.ts'
import type { Holdpoint } from '../../src/index.ts'
import { openStore } from '../../src/stores/open-store.ts'
import type { DatabaseSync } from '../open-database.ts'
import { patienceMs } from '../patience.ts'
import { fillStore } from '../store-copy/fill-store.ts'
import { advanced, ana, aWorkplace, call, started, type Workplace } from './workplace.ts'

interface Column {
  readonly table: string
  readonly column: string
  readonly type: string
  readonly nullable: boolean
}

/** They say nothing of one run: if they are damaged, nothing may go on. */
const OF_ALL = new Set(['secret', 'audit_head', 'store_copy', 'daemon', 'places'])

let place: Workplace
let healthy: { run: string; hold: string; thread: string }
let columns: readonly Column[]
/** How many values were damaged, by table. */
const damaged = new Map<string, number>()

/** A store that has something in each of its tables, and a run that waits. */
beforeAll(async () => {
  place = await aWorkplace(it => ({ script: [{ calls: [call('a', 'deploy')] }, 'Done.'], tools: [it.held('deploy')] }))
  await using store = await openStore(`sqlite:${place.file}`, { directory: place.directory, clock: { now: Date.now } })
  await fillStore(store)
  await using holdpoint = await place.open()
  const { id: run, thread_id: thread } = await started(holdpoint)
  await advanced(holdpoint, run)
  const [hold] = await holdpoint.holds({ run_id: run, status: 'open' })
  healthy = { run, thread, hold: hold?.id ?? '' }
  columns = place.inFile(columnsIn)
  place.inFile(database => database.exec('PRAGMA wal_checkpoint(TRUNCATE)'))
  await copyFile(place.file, `${place.file}.whole`)
})
afterAll(() => place[Symbol.asyncDispose]())

function columnsIn(database: DatabaseSync): Column[] {
  const tables = database
    .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
    .all()
  return tables.flatMap(({ name }) =>
    database
      .prepare(`SELECT name, type, "notnull" AS required, pk FROM pragma_table_info(?)`)
      .all(String(name))
      .filter(({ pk, type }) => !(pk === 1 && type === 'INTEGER'))
      .map(({ name: column, type, required }) => ({
        ...{ table: String(name), column: String(column), type: String(type), nullable: required === 0 },
      })),
  )
}

/** What a disk or a hand may leave in the place of a value. */
const DAMAGE: Readonly<Record<string, readonly (string | bigint | Uint8Array)[]>> = {
  TEXT: ['{"a": ', ''],
  INTEGER: [-1n, 9_223_372_036_854_775_807n],
  BLOB: [new Uint8Array([255])],
}

/** Damages the oldest row that has a value there; false if none does, or if the table refuses it. */
function damage({ table, column }: Column, value: string | bigint | Uint8Array | null): boolean {
  return place.inFile(database => {
    database.exec('PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON')
    try {
      const { changes } = database
        .prepare(
          `UPDATE ${table} SET ${column} = ? WHERE rowid = (SELECT min(rowid) FROM ${table} WHERE ${column} IS NOT NULL)`,
        )
        .run(value)
      return changes === 1
    } catch {
      return false
    }
  })
}

/** Each look at the store that people and programs have. */
const LOOKS: Readonly<Record<string, (holdpoint: Holdpoint) => Promise<unknown>>> = {
  holds: it => it.holds(),
  'open holds': it => it.holds({ status: 'open' }),
  runs: it => it.runs(),
  tree: it => it.runTree(),
  'audit log': async it => Array.fromAsync(it.audit.list()),
  verify: it => it.audit.verify(),
  grants: it => it.grants.list(),
  tokens: it => it.tokens.list(),
  tasks: it => it.tasks.list(),
  threads: it => it.search({ words: 'odd' }),
  due: it => it.expireHolds(),
  'next due': it => it.nextDue(),
  'one run': it => it.run('run_2'),
  'one hold': it => it.hold('hold_2'),
  thread: it => it.thread('th_2'),
  journal: it => it.journal('th_2'),
  messages: it => it.messages('th_2'),
  checkpoints: it => it.checkpoints('th_2'),
}

async function faultsOf(holdpoint: Holdpoint): Promise<string[]> {
  const faults: string[] = []
  for (const [name, look] of Object.entries(LOOKS)) {
    await look(holdpoint).catch(thrown => {
      if (!(thrown instanceof HoldpointError)) faults.push(`${name}: ${thrown}`)
    })
  }
  return faults
}

/** Decides the hold of the run that is whole, and lets it end. */
async function goOn(holdpoint: Holdpoint): Promise<string | null> {
  try {
    await holdpoint.decide(healthy.hold, { verdict: 'approve', ...ana })
    const { status } = await advanced(holdpoint, healthy.run)
    return status === 'done' ? null : `the other run is ${status}`
  } catch (thrown) {
    return `the other run: ${thrown instanceof HoldpointError ? `${thrown.code} ${thrown.message}` : thrown}`
  }
}

async function putWhole(): Promise<void> {
  for (const end of ['-wal', '-shm']) await rm(`${place.file}${end}`, { force: true })
  await copyFile(`${place.file}.whole`, place.file)
}

async function faultsOfDamage(column: Column, value: string | bigint | Uint8Array | null): Promise<string[]> {
  await putWhole()
  if (!damage(column, value)) return []
  damaged.set(column.table, (damaged.get(column.table) ?? 0) + 1)
  const about = `${column.table}.${column.column} = ${value}`
  try {
    await using holdpoint = await place.open()
    const faults = await faultsOf(holdpoint)
    const stopped = OF_ALL.has(column.table) ? null : await goOn(holdpoint)
    return [...faults, ...(stopped === null ? [] : [stopped])].map(each => `${about}: ${each}`)
  } catch (thrown) {
    return thrown instanceof HoldpointError && OF_ALL.has(column.table) ? [] : [`${about}: opening: ${thrown}`]
  }
}

/** Tables whose rows the check of the log reads. */
const CHECKED = [
  'events',
  'holds',
  'grants',
  'audit',
  'notices',
  'access',
  'sessions',
  'runs',
  'tasks',
  'task_invocations',
]

/** Columns that hold JSON. */
function columnsOfJson(): readonly Column[] {
  return place.inFile(database =>
    columns.filter(({ table, column }) => {
      const [row] = database.prepare(`SELECT ${column} AS text FROM ${table} WHERE ${column} IS NOT NULL`).all()
      return CHECKED.includes(table) && /^[[{]/.test(String(row?.['text']))
    }),
  )
}

test('P10: the check of the log names a row whose JSON was damaged, in each column that it reads', async () => {
  const silent: string[] = []
  const json = columnsOfJson()
  for (const column of json) {
    await putWhole()
    expect(damage(column, '{"a": ')).toBe(true)
    await using holdpoint = await place.open()
    const { faults } = await holdpoint.audit.verify()
    if (faults.length === 0) silent.push(`${column.table}.${column.column}`)
  }
  expect(json.length).toBeGreaterThan(8)
  expect(silent).toEqual([])
})

test(
  'one damaged value, in any column of any table, stops no other run, and no look fails but with a clear error',
  async () => {
    const faults: string[] = []
    for (const column of columns)
      for (const value of [...(DAMAGE[column.type] ?? []), ...(column.nullable ? [null] : [])])
        faults.push(...(await faultsOfDamage(column, value)))
    expect([...damaged.values()].reduce((sum, each) => sum + each)).toBeGreaterThan(200)
    expect(columns.length).toBeGreaterThan(150)
    expect(faults).toEqual([])
  },
  15 * patienceMs(),
)
