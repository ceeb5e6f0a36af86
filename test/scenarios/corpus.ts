import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import type { SQLInputValue } from 'node:sqlite'
import { type JournalEvent, openHoldpoint } from '../../src/index.ts'
import { SEQ_SPAN } from '../../src/stores/thread-full.ts'
import { type DatabaseSync, openDatabase } from '../open-database.ts'

const CORPUS = resolve(import.meta.dirname, '../journals')

type Row = Readonly<Record<string, SQLInputValue>>

/** A store as an earlier build, or this one, left it (see test/journals/README.md). */
export interface RecordedStore {
  /** Generation and story. */
  readonly name: string
  /** How it came about on the command line; `null` where it was over the library. */
  readonly story: { readonly script: readonly unknown[]; readonly policy?: unknown; readonly config?: unknown } | null
  /** What the build that wrote it made of each run. */
  // biome-ignore lint/suspicious/noExplicitAny: documents are checked by the tests that read them
  readonly runs: readonly any[]
  readonly rows: { readonly threads: readonly Row[]; readonly runs: readonly Row[]; readonly holds: readonly Row[] }
  /** Of all its threads, each in order. */
  readonly events: readonly JournalEvent[]
}

export const RECORDED: readonly RecordedStore[] = readdirSync(CORPUS, { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.jsonl'))
  .toSorted()
  .map(name => {
    const told = readFileSync(join(CORPUS, name.replace(/l$/, '')), 'utf8')
    const events = readFileSync(join(CORPUS, name), 'utf8').trim().split('\n')
    return { ...JSON.parse(told), name: name.replace(/\.jsonl$/, ''), events: events.map(line => JSON.parse(line)) }
  })

/** An event as a store has it: `data` is text, which need not be JSON. */
export interface StoredEvent extends Pick<JournalEvent, 'thread_id' | 'run_id' | 'seq' | 'at'> {
  readonly kind: string
  readonly data: string
}

export function storedEvents({ events }: Pick<RecordedStore, 'events'>): StoredEvent[] {
  return events.map(event => ({ ...event, data: JSON.stringify(event.data) }))
}

export interface Restored extends AsyncDisposable {
  readonly directory: string
  readonly store: string
}

/** Writes a recorded store into a file of its own, with these events in place of its own where they are given. */
export async function restore(
  recorded: RecordedStore,
  { directory, events = storedEvents(recorded) }: { directory?: string; events?: readonly StoredEvent[] } = {},
): Promise<Restored> {
  const place = directory ?? (await mkdtemp(join(tmpdir(), 'holdpoint-corpus-')))
  const store = join(place, '.holdpoint', 'holdpoint.db')
  const here = (text: string) => text.replaceAll('/project', place)
  // Makes the file, with its tables as they are now.
  await (await openHoldpoint({ store: `sqlite:${store}` }))[Symbol.asyncDispose]()
  using database = openDatabase(store)
  database.exec('BEGIN')
  for (const [table, rows] of Object.entries(recorded.rows)) for (const row of rows) insert(database, table, row)
  const numbers = new Map(recorded.rows.threads.map(({ id, number }) => [id, Number(number)]))
  for (const { thread_id, seq, run_id, kind, at, data } of events) {
    const first = (numbers.get(thread_id) ?? 0) * SEQ_SPAN
    insert(database, 'events', { place: first + seq, at: Date.parse(at), run_id, kind, data: here(data) })
  }
  // The machine that wrote it is gone, and somebody freed its leases.
  database.exec('UPDATE runs SET lease_owner = NULL, lease_until = NULL')
  database.exec('COMMIT')
  return { directory: dirname(dirname(store)), store, [Symbol.asyncDispose]: () => rm(place, { recursive: true }) }
}

function insert(database: DatabaseSync, table: string, row: Row): void {
  const columns = Object.keys(row)
  const sql = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`
  database.prepare(sql).run(...Object.values(row))
}
