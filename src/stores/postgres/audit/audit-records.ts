/**
 * P10: what is written goes on record in the same transaction, without its place in the log: no writer waits for another
 * at the end of the chain. `Sealer` gives the places.
 */
import type { NewAuditEntry } from '../../../core/audit/audit.ts'
import type { AuditContext } from '../../../core/audit/decision-record.ts'
import {
  type CopiedPart,
  NO_COPY,
  recordedOfCopy,
  recordsOfEntries,
  recordsOfEvents,
  type UnplacedRecord,
} from '../../../core/audit/event-records.ts'
import { pendingText } from '../../../core/audit/seal-records.ts'
import type { EventData, JournalEvent } from '../../../core/journal/event.ts'
import type { Json } from '../../../core/text/json.ts'
import { openedData } from '../../rows/event-row.ts'
import { HOLD_COLUMNS, holdIn } from '../../rows/hold-row.ts'
import { sha256 } from '../../sha256.ts'
import type { Query, Statements } from '../database/pool.ts'

type Opened = EventData['hold.opened']

/** Inside a transaction: puts on record what these events, just written to this thread, say. */
export async function auditEvents(
  query: Statements,
  thread: { readonly number: number },
  { events, copy = NO_COPY }: { readonly events: readonly JournalEvent[]; readonly copy?: CopiedPart },
): Promise<void> {
  const begun = copy.copied === 0 ? [] : recordedOfCopy(events, copy)
  const recorded = [...begun, ...events.slice(copy.copied)]
  const asked = new AskedFacts()
  const records = recordsOfEvents(recorded, asked, sha256)
  const told = asked.isEmpty ? records : recordsOfEvents(recorded, await readFacts(query, thread, asked), sha256)
  insertPending(query, told)
}

/** The records of events that say all themselves; `null` if some can be told from other rows alone. */
export function recordsAlone(events: readonly JournalEvent[]): readonly UnplacedRecord[] | null {
  const asked = new AskedFacts()
  const records = recordsOfEvents(events, asked, sha256)
  return asked.isEmpty ? records : null
}

/** Inside a transaction: puts on record what follows from no event. `at` is in milliseconds since 1970. */
export function auditEntries(query: Statements, entries: readonly NewAuditEntry[], at: number): void {
  insertPending(query, recordsOfEntries(entries, at))
}

function insertPending(query: Statements, records: readonly UnplacedRecord[]): void {
  if (records.length === 0) return
  query.send(
    `INSERT INTO @audit_pending (at, record)
     SELECT r.at, r.record FROM unnest($1::bigint[], $2::text[]) WITH ORDINALITY AS r (at, record, place) ORDER BY r.place`,
    [records.map(({ at }) => Date.parse(at)), records.map(pendingText)],
  )
}

const digest = (text: string): string => `sha256:${sha256(text)}`

/** Notes which facts the records need, as most need none. */
class AskedFacts implements AuditContext {
  readonly openedHolds = new Set<string>()
  readonly askedHolds = new Set<string>()
  readonly digest: (text: string) => string = digest

  get isEmpty(): boolean {
    return this.openedHolds.size === 0 && this.askedHolds.size === 0
  }

  opened(holdId: string): null {
    this.openedHolds.add(holdId)
    return null
  }

  asked(holdId: string): null {
    this.askedHolds.add(holdId)
    return null
  }
}

async function readFacts(query: Query, thread: { readonly number: number }, facts: AskedFacts): Promise<AuditContext> {
  const opened = new Map<string, Opened>()
  for (const holdId of facts.openedHolds) {
    const found = await findOpened(query, thread, holdId)
    if (found) opened.set(holdId, found)
  }
  const asked = await readAsked(query, [...facts.askedHolds])
  return { opened: holdId => opened.get(holdId) ?? null, asked: holdId => asked.get(holdId) ?? null, digest }
}

/** PostgreSQL reads no JSON here: it would refuse a text with a NUL in it. */
async function findOpened(query: Query, { number }: { readonly number: number }, id: string): Promise<Opened | null> {
  const { rows } = await query(
    `SELECT data FROM @events WHERE thread = $1 AND kind = 'hold.opened' AND strpos(data, $2) > 0 ORDER BY seq DESC`,
    [number, `"hold_id":${JSON.stringify(id)}`],
  )
  return rows.map(row => openedData(row, id)).find(opened => opened !== null) ?? null
}

async function readAsked(query: Query, ids: readonly string[]): Promise<ReadonlyMap<string, Json>> {
  if (ids.length === 0) return new Map()
  const { rows } = await query(`SELECT ${HOLD_COLUMNS} FROM @holds WHERE id = ANY($1::text[])`, [ids])
  return new Map(rows.map(holdIn).map(hold => [hold.id, hold.arguments]))
}
