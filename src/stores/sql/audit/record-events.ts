/** P10: each write is recorded in its own transaction. */
import type { AuditContext } from '../../../core/audit/decision-record.ts'
import {
  type CopiedPart,
  NO_COPY,
  recordedOfCopy,
  recordsOfEvents,
  type UnplacedRecord,
} from '../../../core/audit/event-records.ts'
import type { EventData, JournalEvent } from '../../../core/journal/event.ts'
import type { Json } from '../../../core/text/json.ts'
import { openedData } from '../../rows/event-row.ts'
import { HOLD_COLUMNS, holdIn } from '../../rows/hold-row.ts'
import { sha256 } from '../../sha256.ts'
import type { Dialect } from '../driver/dialect.ts'
import type { Transaction } from '../driver/driver.ts'
import { all, type Work } from '../driver/work.ts'

type Opened = EventData['hold.opened']

/** Inside a transaction: puts on record what these events, just written to this thread, say. */
export function* recordEvents(
  { dialect, put }: Transaction,
  thread: { readonly number: number },
  { events, copy = NO_COPY }: { readonly events: readonly JournalEvent[]; readonly copy?: CopiedPart },
): Work<void> {
  const begun = copy.copied === 0 ? [] : recordedOfCopy(events, copy)
  const recorded = [...begun, ...events.slice(copy.copied)]
  const asked = new AskedFacts()
  const records = recordsOfEvents(recorded, asked, sha256)
  const full = asked.isEmpty
    ? records
    : recordsOfEvents(recorded, yield* readFacts(dialect, thread.number, asked), sha256)
  // `verify` does not ask for them: the events of a copy need no record.
  yield* put(full, begun.length > 0)
}

/** The records of events that say all themselves; `null` if some need facts of other rows. */
export function recordsAlone(events: readonly JournalEvent[]): readonly UnplacedRecord[] | null {
  const asked = new AskedFacts()
  const records = recordsOfEvents(events, asked, sha256)
  return asked.isEmpty ? records : null
}

const digest = (text: string): string => `sha256:${sha256(text)}`

/** Notes which facts the records need, as most need none. */
class AskedFacts implements AuditContext {
  readonly openedHolds: string[] = []
  readonly askedHolds: string[] = []
  readonly digest: (text: string) => string = digest

  get isEmpty(): boolean {
    return this.openedHolds.length === 0 && this.askedHolds.length === 0
  }

  opened(holdId: string): null {
    this.openedHolds.push(holdId)
    return null
  }

  asked(holdId: string): null {
    this.askedHolds.push(holdId)
    return null
  }
}

function* readFacts(dialect: Dialect, thread: number, facts: AskedFacts): Work<AuditContext> {
  const opened = new Map<string, Opened>()
  for (const holdId of facts.openedHolds) {
    const found = yield* findOpened(dialect, thread, holdId)
    if (found) opened.set(holdId, found)
  }
  const asked = yield* readAsked(facts.askedHolds)
  return { opened: holdId => opened.get(holdId) ?? null, asked: holdId => asked.get(holdId) ?? null, digest }
}

/** The database reads no JSON here: PostgreSQL would refuse a text with a NUL in it. */
function* findOpened({ events }: Dialect, thread: number, id: string): Work<Opened | null> {
  const rows = yield* all(
    `SELECT data FROM @events WHERE ${events.behind('?1::bigint', '0')} AND kind = 'hold.opened'
       AND strpos(data, ?2) > 0 ORDER BY ${events.order} DESC`,
    [thread, `"hold_id":${JSON.stringify(id)}`],
  )
  return rows.map(row => openedData(row, id)).find(opened => opened !== null) ?? null
}

function* readAsked(ids: readonly string[]): Work<ReadonlyMap<string, Json>> {
  if (ids.length === 0) return new Map()
  const rows = yield* all(`SELECT ${HOLD_COLUMNS} FROM @holds WHERE id = ANY(?::text[])`, [ids])
  return new Map(rows.map(holdIn).map(hold => [hold.id, hold.arguments]))
}
