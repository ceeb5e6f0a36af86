import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { AuditNotes, GoneEvent, UnrecordedEvent } from '../../../core/audit/standing/audit-check.ts'
import type { EventKind } from '../../../core/journal/event.ts'
import { loadSqlite } from '../database/load-sqlite.ts'

const SCHEMA = `
  PRAGMA journal_mode = OFF;
  PRAGMA synchronous = OFF;
  CREATE TABLE seen (place INTEGER PRIMARY KEY);
  CREATE TABLE gone (seq INTEGER PRIMARY KEY, thread_id TEXT NOT NULL, event_seq INTEGER NOT NULL);
  CREATE TABLE pruned (thread_id TEXT PRIMARY KEY, seq INTEGER NOT NULL);
  CREATE TABLE unrecorded (place INTEGER PRIMARY KEY, thread_id TEXT NOT NULL, seq INTEGER NOT NULL, kind TEXT NOT NULL);
`

/** Notes in a temporary file without a name, which is deleted when it is closed. */
export class ScratchNotes implements AuditNotes, Disposable {
  readonly #scratch: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()

  private constructor(scratch: DatabaseSync) {
    this.#scratch = scratch
    scratch.exec(SCHEMA)
  }

  static async open(): Promise<ScratchNotes> {
    const { DatabaseSync } = await loadSqlite()
    return new ScratchNotes(new DatabaseSync(''))
  }

  /** Many notes at once. */
  transaction<T>(work: () => T): T {
    this.#scratch.exec('BEGIN')
    const result = work()
    this.#scratch.exec('COMMIT')
    return result
  }

  addSeen(place: number): boolean {
    return Number(this.#statement('INSERT OR IGNORE INTO seen (place) VALUES (?)').run(place).changes) > 0
  }

  isSeen(place: number): boolean {
    return this.#statement('SELECT 1 FROM seen WHERE place = ?').get(place) !== undefined
  }

  addGone({ seq, thread_id, event_seq }: GoneEvent): void {
    this.#statement('INSERT OR REPLACE INTO gone (seq, thread_id, event_seq) VALUES (?, ?, ?)').run(
      seq,
      thread_id,
      event_seq,
    )
  }

  *gone(): Iterable<GoneEvent> {
    for (const row of this.#statement('SELECT seq, thread_id, event_seq FROM gone ORDER BY seq').iterate())
      yield { seq: Number(row['seq']), thread_id: String(row['thread_id']), event_seq: Number(row['event_seq']) }
  }

  setPruned(threadId: string, seq: number): void {
    this.#statement('INSERT OR REPLACE INTO pruned (thread_id, seq) VALUES (?, ?)').run(threadId, seq)
  }

  prunedAt(threadId: string): number | null {
    const row = this.#statement('SELECT seq FROM pruned WHERE thread_id = ?').get(threadId)
    return row ? Number(row['seq']) : null
  }

  addUnrecorded({ place, thread_id, event_seq, kind }: UnrecordedEvent): void {
    this.#statement('INSERT INTO unrecorded (place, thread_id, seq, kind) VALUES (?, ?, ?, ?)').run(
      ...[place, thread_id, event_seq, kind],
    )
  }

  *unrecorded(): Iterable<UnrecordedEvent> {
    for (const row of this.#statement('SELECT * FROM unrecorded ORDER BY place').iterate())
      yield {
        place: Number(row['place']),
        thread_id: String(row['thread_id']),
        event_seq: Number(row['seq']),
        kind: row['kind'] as EventKind,
      }
  }

  [Symbol.dispose](): void {
    this.#scratch.close()
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known) return known
    const statement = this.#scratch.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }
}
