import { hash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { aDecision, aHold, anEvent } from '../../../testing/contracts/sample-journal.ts'
import type { Hold } from '../../hold/hold.ts'
import type { JournalEvent, NewEvent } from '../../journal/event.ts'
import { type AuditRecord, auditEntry, entryOf, type NewAuditEntry } from '../audit.ts'
import { type AuditRow, type AuditVerification, chainHash, EMPTY_CHAIN, recordText } from '../audit-chain.ts'
import { differingField, isMisstated, type StoredEvent } from '../event-on-record.ts'
import { AuditCheck, type AuditNotes, type GoneEvent, type UnrecordedEvent } from './audit-check.ts'
import { holdNamedBy } from './hold-on-record.ts'

const sha256 = (text: string) => hash('sha256', text, 'hex')
const AT = '2030-01-01T00:00:00.000Z'

function notesInMemory(): AuditNotes {
  const seen = new Set<number>()
  const gone: GoneEvent[] = []
  const pruned = new Map<string, number>()
  const unrecorded: UnrecordedEvent[] = []
  return {
    addSeen: place => !seen.has(place) && seen.add(place) !== undefined,
    isSeen: place => seen.has(place),
    addGone: event => gone.push(event),
    gone: () => gone,
    setPruned: (threadId, seq) => pruned.set(threadId, seq),
    prunedAt: threadId => pruned.get(threadId) ?? null,
    addUnrecorded: event => unrecorded.push(event),
    unrecorded: () => unrecorded,
  }
}

/** One thread, as a store has it. */
function stored(event: NewEvent, seq: number, changes: Partial<StoredEvent> = {}): StoredEvent {
  const whole = { ...event, seq, at: AT, thread_id: 'th_1' } as JournalEvent
  const text = JSON.stringify(event.data)
  return { place: seq, event: whole, text, audited_after: 0, runs_audited_after: 0, ...changes }
}

type Content = Omit<AuditRecord, 'seq'>

function recordOf({ event, text }: StoredEvent): Content {
  const entry = auditEntry(event, { opened: () => null, asked: () => null })
  if (entry === null) throw new TypeError('the event has no record')
  return { ...entry, at: AT, kind: event.kind, event_seq: event.seq, event_hash: sha256(text) }
}

const byItself = (entry: NewAuditEntry): Content => ({
  ...entryOf(entry),
  at: AT,
  kind: entry.kind,
  event_seq: null,
  event_hash: null,
})

function logOf(records: readonly Content[]): AuditRow[] {
  let before = EMPTY_CHAIN.hash
  return records.map((content, index) => {
    const record = recordText({ seq: index + 1, ...content })
    before = chainHash(sha256, before, record)
    return { seq: index + 1, record, hash: before }
  })
}

interface Fed {
  readonly log: readonly AuditRow[]
  readonly journal: readonly StoredEvent[]
  readonly hold?: Hold | null
  /** Rows that were written while the journals were read. */
  readonly meanwhile?: readonly AuditRow[]
  /** The `seq` of the head that the store notes. */
  readonly noted?: number
}

function check({ log, journal, hold = null, meanwhile = [], noted = 99 }: Fed): AuditVerification {
  const checking = new AuditCheck(sha256, notesInMemory(), { noted: [], key: null })
  const take = (row: AuditRow) => {
    const read = checking.takeRow(row)
    const found = journal.find(({ event }) => event.seq === read?.record.event_seq) ?? null
    if (read) checking.takeRecord(read, { stored: found, hold: found && holdNamedBy(found.event) ? hold : null })
  }
  for (const row of log) take(row)
  for (const event of journal) checking.takeEvent(event)
  for (const row of meanwhile) take(row)
  return checking.end({ seq: noted, hash: '' })
}

const faultsOf = (fed: Fed) => check(fed).faults.map(({ code, seq, event_seq }) => [code, seq, event_seq])

const decision = aDecision('approve', { digest: 'sha256:1' })
const journal = [
  stored(anEvent('run.started'), 1),
  stored(anEvent('call.started'), 2),
  stored(anEvent('hold.decided', { hold_id: 'hold_1', decision }), 3),
  stored(anEvent('model.answered'), 4),
]
const records = journal.slice(0, 3).map(recordOf)
const log = logOf(records)
const hold = aHold({ status: 'decided', decision })
const shown = byItself({ kind: 'hold.shown', hold_id: 'hold_1', data: {} })
const pruned = byItself({ kind: 'thread.pruned', thread_id: 'th_1', data: {} })

describe('the check of an audit log', () => {
  test('finds nothing if records, journals and holds agree', () => {
    expect(check({ log, journal, hold })).toMatchObject({ faults: [], fault_count: 0, count: 3, head: { seq: 3 } })
  })

  test('names a link of the chain that was altered', () => {
    expect(faultsOf({ log: log.with(1, { ...log[1]!, hash: sha256('') }), journal, hold })).toEqual([
      ['altered', 2, null],
    ])
  })

  test('names an event with other data than its record is bound to', () => {
    const altered = journal.with(1, { ...journal[1]!, text: '{}' })
    expect(faultsOf({ log, journal: altered, hold })).toEqual([['event_altered', 2, 2]])
  })

  test('names an event that its journal does not have', () => {
    expect(faultsOf({ log, journal: journal.toSpliced(1, 1), hold })).toEqual([['event_missing', 2, 2]])
  })

  test('excuses missing events only by a pruning that is on record after them', () => {
    expect(faultsOf({ log: logOf([...records, pruned]), journal: [] })).toEqual([])
    expect(faultsOf({ log: logOf([pruned, ...records.slice(0, 1)]), journal: [] })).toEqual([['event_missing', 2, 1]])
  })

  test('names an event that is twice on record', () => {
    expect(faultsOf({ log: logOf([...records, records[1]!]), journal, hold })).toEqual([['twice_on_record', 4, 2]])
  })

  test('names an event that is not on record', () => {
    expect(faultsOf({ log: logOf(records.toSpliced(1, 1)), journal, hold })).toEqual([['not_on_record', null, 2]])
  })

  test('waits for the record of an event that was written during the check', () => {
    expect(faultsOf({ log: log.slice(0, 2), meanwhile: log.slice(2), journal, hold })).toEqual([])
  })

  test('asks for no record of a copied event', () => {
    const copied = journal.map(event => ({ ...event, audited_after: 3 }))
    expect(faultsOf({ log: [], journal: copied })).toEqual([])
  })

  test('asks for no record of a run that is older than such records', () => {
    const old = journal.map(event => ({ ...event, runs_audited_after: 3 }))
    expect(faultsOf({ log: [], journal: old })).toEqual([
      ['not_on_record', null, 2],
      ['not_on_record', null, 3],
    ])
  })

  test('names a hold that tells of another decision than its event', () => {
    const other = aHold({ status: 'decided', decision: aDecision('reject') })
    expect(faultsOf({ log, journal, hold: other })).toEqual([['hold_altered', 3, 3]])
  })

  test('names a record without an event, of a kind that follows from one', () => {
    const rootless = { ...records[1]!, event_seq: null, event_hash: null }
    expect(faultsOf({ log: logOf([rootless]), journal: [] })).toEqual([['unfounded', 1, null]])
  })

  test('names a record with an event, of a kind that follows from none', () => {
    expect(faultsOf({ log: logOf([{ ...shown, event_seq: 1 }]), journal: [] })).toEqual([['unfounded', 1, null]])
  })

  test('names a record by itself that is newer than the noted head', () => {
    expect(faultsOf({ log: logOf([...records, shown]), journal, hold, noted: 4 })).toEqual([])
    expect(faultsOf({ log: logOf([...records, shown]), journal, hold, noted: 3 })).toEqual([['unfounded', 4, null]])
  })
})

describe('an event and its record', () => {
  const whole = { seq: 2, ...records[1]! }

  test('fit if the record says less than the event', () => {
    const { attempt: _, ...less } = whole.data
    expect(differingField(sha256, journal[1]!, { ...whole, data: less })).toBe(null)
  })

  test.each([
    ['actor', { actor: 'mallory' }],
    ['at', { at: '2031-01-01T00:00:00.000Z' }],
    ['kind', { kind: 'call.finished' as const }],
    ['attempt', { data: { ...whole.data, attempt: 7 } }],
  ])('differ in %s', (field, change) => {
    expect(differingField(sha256, journal[1]!, { ...whole, ...change })).toBe(field)
  })

  test('an event whose data is unreadable differs in content, and ends no hold', () => {
    const { event } = journal[2]!
    const unreadable = { ...journal[2]!, text: 'nothing', event: { ...event, data: null } as unknown as JournalEvent }
    expect(differingField(sha256, unreadable, { seq: 3, ...records[2]! })).toBe('content')
    expect(holdNamedBy(unreadable.event)).toBe(null)
  })

  test('a hold of another thread is not compared', () => {
    const elsewhere = aHold({ thread_id: 'th_2', status: 'decided', decision: aDecision('reject') })
    expect(isMisstated(elsewhere, journal[2]!.event)).toBe(false)
  })
})
