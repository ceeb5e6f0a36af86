import { readFileSync } from 'node:fs'
import { DatabaseSync, type SQLOutputValue, type StatementSync } from 'node:sqlite'

export interface Cost {
  readonly ms: number
  /** Of this process, in user and in system. */
  readonly cpuMs: number
  /** Handed to the kernel for writing, by this process, meanwhile. */
  readonly written: number
  /** What the run's events hold. */
  readonly journalBytes: number
}

/** The cheapest that could be: the same bytes in two rows a step, each in a commit of its own, in the same journal mode. */
export function bareCommits(path: string, steps: number, journalBytes: number): Cost {
  using commits = new BareCommits(path, Math.round(journalBytes / steps / 2))
  const spent = meter()
  for (let commit = 0; commit < steps * 2; commit += 1) commits.time()
  return { ...spent(), journalBytes }
}

/**
 * The floor of what a step keeps: the events and the records of a run that is over, written once more into the same tables,
 * with the same commits, and nothing else done.
 */
export function sameRows(path: string, source: string, journalBytes: number): Cost {
  using from = new DatabaseSync(source, { readOnly: true })
  using to = new DatabaseSync(path)
  to.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  for (const table of ['events', 'audit'])
    to.exec(String(from.prepare('SELECT sql FROM sqlite_schema WHERE name = ?').get(table)?.['sql']))
  const event = to.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?)')
  const record = to.prepare('INSERT INTO audit VALUES (?, ?, ?)')
  const [commits, begin, commit] = [commitsIn(from), to.prepare('BEGIN IMMEDIATE'), to.prepare('COMMIT')]
  const spent = meter()
  for (const { events, records } of commits) {
    begin.run()
    for (const row of events) event.run(...row)
    for (const row of records) record.run(...row)
    commit.run()
  }
  return { ...spent(), journalBytes }
}

interface Written {
  readonly events: SQLOutputValue[][]
  readonly records: SQLOutputValue[][]
}

/** A step is written before its inference, which a checkpoint ends, and before its call is started. */
function commitsIn(database: DatabaseSync): Written[] {
  const rows = (sql: string) =>
    database
      .prepare(sql)
      .all()
      .map(row => Object.values(row))
  const records = new Map(
    rows(`SELECT json_extract(record, '$.event_seq'), seq, record, hash FROM audit`).map(([seq, ...row]) => [seq, row]),
  )
  const commits: Written[] = [{ events: [], records: [] }]
  for (const row of rows('SELECT * FROM events ORDER BY place')) {
    const [place, , , kind] = row
    const record = records.get(Number(place) % 2 ** 22)
    commits.at(-1)?.events.push(row)
    if (record) commits.at(-1)?.records.push(record)
    if (kind === 'checkpoint.named' || kind === 'call.started') commits.push({ events: [], records: [] })
  }
  return commits
}

/** From now until the result is called. */
export function meter(): () => Omit<Cost, 'journalBytes'> {
  const [written, cpu, start] = [writtenBytes(), process.cpuUsage(), performance.now()]
  return () => {
    const ms = performance.now() - start
    const { user, system } = process.cpuUsage(cpu)
    return { ms, cpuMs: (user + system) / 1_000, written: writtenBytes() - written }
  }
}

/** Rows of so many bytes, each in a commit of its own. */
export class BareCommits implements Disposable {
  readonly #database: DatabaseSync
  readonly #insert: StatementSync
  readonly #data: string

  constructor(path: string, bytes = 1_024) {
    this.#database = new DatabaseSync(path)
    this.#database.exec(
      'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE rows (id INTEGER PRIMARY KEY, data TEXT NOT NULL)',
    )
    this.#insert = this.#database.prepare('INSERT INTO rows (data) VALUES (?)')
    this.#data = 'x'.repeat(bytes)
  }

  /** Milliseconds that one took. */
  time(): number {
    const start = performance.now()
    this.#insert.run(this.#data)
    return performance.now() - start
  }

  [Symbol.dispose](): void {
    this.#database.close()
  }
}

export function journalBytesIn(path: string): number {
  using reader = new DatabaseSync(path, { readOnly: true })
  const sum = reader.prepare('SELECT sum(length(data) + length(kind) + length(run_id)) AS bytes FROM events').get()
  return Number(sum?.['bytes'])
}

function writtenBytes(): number {
  return Number(/^wchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1] ?? Number.NaN)
}
