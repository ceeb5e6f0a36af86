import { readFileSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'

export interface Cost {
  readonly ms: number
  /** Handed to the kernel for writing, by this process, meanwhile. */
  readonly written: number
  /** What the run's events hold. */
  readonly journalBytes: number
}

/** The cheapest that could be: the same bytes in two rows a step, each in a commit of its own, in the same journal mode. */
export function bareCommits(path: string, steps: number, journalBytes: number): Cost {
  using commits = new BareCommits(path, Math.round(journalBytes / steps / 2))
  const [before, start] = [writtenBytes(), performance.now()]
  for (let commit = 0; commit < steps * 2; commit += 1) commits.time()
  return { ms: performance.now() - start, written: writtenBytes() - before, journalBytes }
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

export function writtenBytes(): number {
  return Number(/^wchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1] ?? Number.NaN)
}
