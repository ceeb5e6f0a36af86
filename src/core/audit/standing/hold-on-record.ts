/** P10: compares the row of a hold with the recorded events. */

import type { Hold } from '../../hold/hold.ts'
import { rowText, termsText } from '../../hold/hold-digests.ts'
import type { EventKind, JournalEvent } from '../../journal/event.ts'
import { wakeTime } from '../../people/due.ts'
import type { AuditFaultCode, Sha256 } from '../audit-chain.ts'
import { isMisstated, type StoredEvent } from '../event-on-record.ts'

/** The rows that a store has of the hold that an event names. */
export interface HoldOnRecord {
  readonly hold: Hold | null
  /** True if the journal has an event by which the hold ended. */
  readonly hasEnd: boolean
  /** When the store looks at the hold again, in milliseconds since 1970; `null` for never. Default: unknown. */
  readonly wakesAt?: number | null
}

type Fault = readonly [code: AuditFaultCode, problem: string]

const NAMING: readonly EventKind[] = ['hold.opened', 'hold.decided', 'hold.expired', 'hold.withdrawn', 'hold.escalated']

/** The hold whose row is compared with this event; `null` if it names none, or its data was made unreadable. */
export function holdNamedBy({ kind, data }: JournalEvent): string | null {
  if (!NAMING.includes(kind)) return null
  const id: unknown = (data as { readonly hold_id?: unknown } | null)?.hold_id
  return typeof id === 'string' ? id : null
}

/** The fault of the row; `null` if it fits. A row of another thread proves nothing. */
export function faultOfHold(stored: StoredEvent, record: HoldOnRecord, sha256: Sha256): Fault | null {
  const { hold } = record
  const { event } = stored
  const id = holdNamedBy(event)
  if (id === null) return null
  if (hold === null) return ['hold_missing', `There is no row any more of the hold ${id} of`]
  // A damaged row is named once, by itself.
  if (hold.thread_id !== event.thread_id || hold.unreadable) return null
  if (isMisstated(hold, event)) return ['hold_altered', `The hold ${id} tells of another decision than`]
  const altered = ALTERED[event.kind]
  const field = altered?.(stored, { ...record, hold }, sha256) ?? null
  return field === null ? null : ['hold_altered', `The hold ${id} has another ${field} than`]
}

type Row = HoldOnRecord & { readonly hold: Hold }

type Data<K extends EventKind> = Extract<JournalEvent, { kind: K }>['data']
type Altered = (stored: StoredEvent, row: Row, sha256: Sha256) => string | null

/** The field of the row that differs from the event. */
const ALTERED: Partial<Record<EventKind, Altered>> = {
  'hold.opened': (stored, { hold, hasEnd, wakesAt }, sha256) =>
    otherCall(stored.event, hold, sha256) ??
    (ENDED.includes(hold.status) && !hasEnd ? 'status' : otherTerms(stored, hold, sha256)) ??
    otherAlarm(stored, hold, wakesAt),
  'hold.decided': releasedOtherwise,
  'hold.expired': releasedOtherwise,
  'hold.withdrawn': (_, { hold }) => (hold.status === 'open' ? 'status' : null),
  'hold.escalated': ({ event }, { hold }) => {
    const { level, due_at } = event.data as Data<'hold.escalated'>
    return hold.level === level && !isSameTime(hold.due_at, due_at) ? 'deadline' : null
  },
}

/** An approval of a call is of the digest that was opened. */
function releasedOtherwise({ event }: StoredEvent, { hold }: Row): string | null {
  const { decision } = event.data as Data<'hold.decided'>
  return hold.kind !== 'input' && decision.verdict === 'approve' && decision.digest !== hold.digest ? 'digest' : null
}

/** P9: tool, schema, arguments or preview are not those of the digest. A hold of an older version did not keep the schema. */
function otherCall({ data, run_id }: JournalEvent, hold: Hold, sha256: Sha256): string | null {
  const opened = { ...(data as Data<'hold.opened'>), run_id }
  const other = SAME.find(key => opened[key] !== hold[key])
  const digestOf = (text: string) => `sha256:${sha256(text)}`
  const call = rowText(hold, digestOf)
  if (other || call === null || hold.digest === null) return other ?? null
  return digestOf(call) === hold.digest ? null : 'call'
}

/** The terms of a copy were set elsewhere. */
function otherTerms({ event, audited_after }: StoredEvent, hold: Hold, sha256: Sha256): string | null {
  const { terms, due_at } = event.data as Data<'hold.opened'>
  if (event.seq <= audited_after) return null
  if (terms !== undefined && terms !== `sha256:${sha256(termsText(hold))}`) return 'request'
  return due_at !== undefined && hold.level === 0 && !isSameTime(hold.due_at, due_at) ? 'deadline' : null
}

/**
 * Checks the time at which the store looks at the hold: a deadline is carried out then. Older versions did not record
 * it.
 */
function otherAlarm(
  { event, audited_after }: StoredEvent,
  hold: Hold,
  wakesAt: number | null | undefined,
): string | null {
  const { due_at } = event.data as Data<'hold.opened'>
  if (event.seq <= audited_after || due_at === undefined || wakesAt === undefined || hold.status !== 'open') return null
  return wakesAt === wakeTime(hold) ? null : 'next time'
}

const SAME = ['kind', 'call_id', 'digest', 'run_id'] as const
const ENDED: readonly Hold['status'][] = ['decided', 'expired', 'withdrawn']

function isSameTime(one: string | null, other: string | null): boolean {
  return (one && Date.parse(one)) === (other && Date.parse(other))
}
