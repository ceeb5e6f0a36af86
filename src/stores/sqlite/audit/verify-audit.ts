/**
 * P10: the audit log against itself and against the journals, page by page, so that memory and other work of the
 * process do not suffer. New records are read too: an event and its record become visible at once.
 */
import type { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { type AuditRecord, isByItself, RECORDED_KINDS } from '../../../core/audit/audit.ts'
import { type AuditHead, type AuditVerification, ChainReader, FaultList } from '../../../core/audit/audit-chain.ts'
import type { Database } from '../database/database.ts'
import { loadSqlite } from '../database/load-sqlite.ts'
import { notedHead, readAudit, sha256 } from '../tables/audit-table.ts'
import { AuditedJournals, type StoredEvent } from './audited-journals.ts'
import { misstatedHold } from './decided-rows.ts'

const PAGE = 500

/** `noted` are heads that were kept elsewhere. */
export async function verifyAudit(database: Database, noted: readonly AuditHead[]): Promise<AuditVerification> {
  const { DatabaseSync } = await loadSqlite()
  // Without a name: a temporary file that is gone with its connection.
  const scratch = new DatabaseSync('')
  try {
    scratch.exec(SCRATCH)
    const verifying = new Verifying(database, scratch, noted)
    await verifying.readLog()
    await verifying.readJournals()
    return verifying.finish()
  } finally {
    scratch.close()
  }
}

/** Facts to remember of a log that may be longer than memory. */
const SCRATCH = `
  PRAGMA journal_mode = OFF;
  PRAGMA synchronous = OFF;
  CREATE TABLE seen (place INTEGER PRIMARY KEY);
  CREATE TABLE gone (seq INTEGER PRIMARY KEY, thread_id TEXT NOT NULL, event_seq INTEGER NOT NULL);
  CREATE TABLE pruned (thread_id TEXT PRIMARY KEY, seq INTEGER NOT NULL);
  CREATE TABLE unrecorded (place INTEGER PRIMARY KEY, thread_id TEXT NOT NULL, seq INTEGER NOT NULL, kind TEXT NOT NULL);
`

class Verifying {
  readonly #database: Database
  readonly #scratch: DatabaseSync
  readonly #journals: AuditedJournals
  readonly #faults = new FaultList()
  readonly #chain: ChainReader
  #read = 0
  #newestByItself = 0

  constructor(database: Database, scratch: DatabaseSync, noted: readonly AuditHead[]) {
    this.#database = database
    this.#scratch = scratch
    this.#journals = new AuditedJournals(database)
    this.#chain = new ChainReader(sha256, this.#faults, [database.read(() => notedHead(database)), ...noted])
  }

  /** From the last position read to the end. */
  async readLog(): Promise<void> {
    while (this.#readPage() === PAGE) await setImmediate()
  }

  /** Events that must be on record, and were not seen there. */
  async readJournals(): Promise<void> {
    const note = this.#scratch.prepare('INSERT INTO unrecorded (place, thread_id, seq, kind) VALUES (?, ?, ?, ?)')
    const seen = this.#scratch.prepare('SELECT 1 FROM seen WHERE place = ?')
    for (let after = 0, page: readonly StoredEvent[]; ; ) {
      page = this.#database.read(() => this.#journals.page(after, { kinds: RECORDED_KINDS, limit: PAGE }))
      for (const { place, event } of page.filter(each => this.#journals.mustBeOnRecord(each)))
        if (!seen.get(place)) note.run(place, event.thread_id, event.seq, event.kind)
      if (page.length < PAGE) return
      after = page.at(-1)?.place ?? after
      await setImmediate()
    }
  }

  /** Events from meanwhile are on record since. */
  finish(): AuditVerification {
    while (this.#readPage() > 0);
    const { seq } = this.#database.read(() => notedHead(this.#database))
    if (this.#newestByItself > seq) this.#unfounded(this.#newestByItself)
    this.#tellGone()
    this.#tellUnrecorded()
    return { ...this.#chain.end(), ...this.#faults.found }
  }

  #readPage(): number {
    return this.#database.read(() => {
      const rows = readAudit(this.#database, this.#read, PAGE)
      this.#scratch.exec('BEGIN')
      for (const row of rows) {
        const record = this.#chain.take(row)
        if (record) this.#found(row.seq, record)
      }
      this.#scratch.exec('COMMIT')
      this.#read = rows.at(-1)?.seq ?? this.#read
      return rows.length
    })
  }

  /** `seq` is the row's position, even if the record says another one. */
  #found(seq: number, record: AuditRecord): void {
    const { kind, thread_id, event_seq } = record
    if (isByItself(kind) !== (event_seq === null)) this.#unfounded(seq)
    else if (event_seq !== null) this.#foundOfEvent(seq, { ...record, event_seq })
    else this.#newestByItself = seq
    if (kind === 'thread.pruned' && thread_id !== null)
      this.#scratch.prepare('INSERT OR REPLACE INTO pruned (thread_id, seq) VALUES (?, ?)').run(thread_id, seq)
  }

  #foundOfEvent(seq: number, record: AuditRecord & { readonly event_seq: number }): void {
    const { event_seq, thread_id } = record
    const stored = this.#journals.find(thread_id ?? '', event_seq)
    if (stored === null) {
      this.#scratch
        .prepare('INSERT OR REPLACE INTO gone (seq, thread_id, event_seq) VALUES (?, ?, ?)')
        .run(seq, thread_id ?? '', event_seq)
      return
    }
    const about = { seq, thread_id, event_seq }
    const where = `event ${event_seq} of thread ${thread_id}`
    const { changes } = this.#scratch.prepare('INSERT OR IGNORE INTO seen (place) VALUES (?)').run(stored.place)
    if (changes === 0) this.#faults.add('twice_on_record', `Record ${seq} is one more of ${where}.`, about)
    const difference = this.#journals.difference(stored, record)
    if (difference)
      this.#faults.add(
        'event_altered',
        `What is in the journal as ${where} has another ${difference} than record ${seq}.`,
        about,
      )
    else this.#compareHold(stored, about)
  }

  #compareHold({ event }: StoredEvent, about: { seq: number; thread_id: string | null; event_seq: number }): void {
    const hold = misstatedHold(this.#database, event)
    if (hold === null) return
    const message = `The hold ${hold} tells of another decision than event ${about.event_seq} of thread ${about.thread_id}.`
    this.#faults.add('hold_altered', message, about)
  }

  #unfounded(seq: number): void {
    this.#faults.add('unfounded', `Record ${seq} follows from nothing that this store knows of.`, { seq })
  }

  /** A thread that was pruned since is gone with good cause. */
  #tellGone(): void {
    const gone = this.#scratch.prepare(
      `SELECT * FROM gone WHERE NOT EXISTS
         (SELECT 1 FROM pruned WHERE pruned.thread_id = gone.thread_id AND pruned.seq > gone.seq) ORDER BY seq`,
    )
    for (const row of gone.iterate()) {
      const [seq, thread_id, event_seq] = [Number(row['seq']), String(row['thread_id']), Number(row['event_seq'])]
      const message = `Record ${seq} is of event ${event_seq} of thread ${thread_id}, which is not in its journal.`
      this.#faults.add('event_missing', message, { seq, thread_id, event_seq })
    }
  }

  #tellUnrecorded(): void {
    const unrecorded = this.#scratch.prepare(
      'SELECT * FROM unrecorded WHERE place NOT IN (SELECT place FROM seen) ORDER BY place',
    )
    for (const row of unrecorded.iterate()) {
      const [thread_id, event_seq] = [String(row['thread_id']), Number(row['seq'])]
      const message = `Event ${event_seq} of thread ${thread_id} (${row['kind']}) is not on record.`
      this.#faults.add('not_on_record', message, { thread_id, event_seq })
    }
  }
}
