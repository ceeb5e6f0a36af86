/** A million runs that wait cost the others nothing: each statement finds its rows by an index. */
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Store } from '../../../src/ports/store/store.ts'
import { openPostgresStore } from '../../../src/stores/postgres/postgres-store.ts'
import { openTestDatabase } from '../database.ts'
import { copyMillion, writeFirst } from './million-runs.ts'
import { genericPlanOf, type Plan, planOf, readingOf } from './plan.ts'
import { RecordedStatements, type Statement } from './recorded-statements.ts'
import { moveThread, readMuch, readPages, writeAll } from './verbs.ts'

const SCHEMA = 'million'
/** Of 8 KB: what a page of 50 rows may read, with the ways through the indexes. */
const MOST_PAGES = 1_000

/** Tables that grow with what is done. All others have a row for each of a few things. */
const GROWING = [
  'threads',
  'events',
  'inputs',
  'runs',
  'holds',
  'audit',
  'tasks',
  'task_invocations',
  'notices',
  'links',
  'graph_checkpoints',
  'graph_channels',
  'graph_writes',
]

const database = await openTestDatabase()
afterAll(() => database[Symbol.asyncDispose]())

if ('missing' in database) test.skip(`plans in PostgreSQL (${database.missing})`, () => {})
else explaining(database.url)

function explaining(url: string): void {
  let client: pg.Client
  let store: Store
  beforeAll(async () => {
    client = new pg.Client(url)
    await client.connect()
    store = await openPostgresStore(`${url}?schema=${SCHEMA}`)
    await writeFirst(store)
    await copyMillion(client, SCHEMA)
  }, 600_000)
  afterAll(async () => {
    await store[Symbol.asyncDispose]()
    await client.end()
  })

  async function recorded(verbs: (store: Store) => Promise<void>): Promise<readonly Statement[]> {
    using statements = new RecordedStatements()
    await verbs(store)
    return statements.all
  }

  /** The plan that PostgreSQL may take: that of the prepared statement only if it seems no dearer. */
  async function plansOf(statement: Statement): Promise<readonly Plan[]> {
    const plan = await planOf(client, statement)
    const generic = await genericPlanOf(client, statement)
    return generic.cost <= plan.cost ? [plan, generic] : [plan]
  }

  async function scansOf(statements: readonly Statement[]): Promise<readonly string[]> {
    const found: string[] = []
    for (const statement of statements)
      for (const { scanned } of await plansOf(statement))
        if (scanned.some(table => GROWING.includes(table))) found.push(`${scanned.join(', ')}: ${statement.text}`)
    return found
  }

  test('what pages and workers ask is found by an index, in few pages', async () => {
    const statements = await recorded(readPages)
    expect(statements.length).toBeGreaterThan(40)
    expect(await scansOf(statements)).toEqual([])
    const dear: string[] = []
    for (const statement of statements.filter(({ text }) => text.startsWith('SELECT'))) {
      const { pages, milliseconds } = await readingOf(client, statement)
      if (pages > MOST_PAGES) dear.push(`${pages} pages, ${milliseconds} ms: ${statement.text}`)
    }
    expect(dear).toEqual([])
  })

  test('what is written reads no table from end to end', async () => {
    const statements = await recorded(writeAll)
    expect(statements.length).toBeGreaterThan(60)
    expect(statements.filter(({ text }) => text.includes('FOR UPDATE OF t, r SKIP LOCKED'))).toHaveLength(1)
    expect(await scansOf(statements)).toEqual([])
  })

  test('a thread that moves reads no table from end to end', async () => {
    expect(await scansOf(await recorded(moveThread))).toEqual([])
  })

  test('what operators ask goes through an index, part by part; only a count of all that waits reads all that waits', async () => {
    const scans = await scansOf(await recorded(readMuch))
    expect(scans.filter(scan => !scan.includes('(SELECT count(*)'))).toEqual([])
  })
}
