/** P10: records as sentences, with what the journals know of their holds and calls. */
import type { AuditRecord } from '../../core/audit/audit.ts'
import { DECISIONS, type RecordMatter, tellRecord, UNKNOWN_MATTER } from '../../core/audit/tell-record.ts'
import type { Hold } from '../../core/hold/hold.ts'
import { callAct, headline } from '../../core/hold-view/blocks/act-words.ts'
import { resultOf } from '../../core/hold-view/hold-result.ts'
import type { JournalEvent } from '../../core/journal/event.ts'
import { callOutcome } from '../../core/run/outcome/call-outcome.ts'
import type { Store } from '../../ports/store/store.ts'
import { unlessCorrupt } from '../views/run-inputs.ts'
import type { AuditedRecord } from './audit.ts'

type Read = Pick<Store, 'hold' | 'run' | 'journal'>

/** Reads each hold, run and journal of a page once. */
export async function tellRecords(store: Read, rows: readonly AuditedRecord[]): Promise<AuditedRecord[]> {
  const holds = new Map<string, Promise<Hold | null>>()
  const runs = new Map<string, ReturnType<Read['run']>>()
  const journals = new Map<string, Promise<readonly JournalEvent[]>>()
  const readable = async (id: string) => (await unlessCorrupt(() => store.journal(id))) ?? []
  const matterOf = async (record: AuditRecord): Promise<RecordMatter> => {
    const { hold_id, run_id, thread_id, kind } = record
    const hold = hold_id === null ? null : await once(holds, hold_id, id => store.hold(id))
    const run = hold === null && run_id !== null ? await once(runs, run_id, id => store.run(id)) : null
    const isTold = DECISIONS.has(kind) || kind.startsWith('call.')
    const events = isTold && thread_id !== null ? await once(journals, thread_id, readable) : []
    return { ...matterIn(record, hold, events), agent: hold?.agent ?? run?.agent ?? null }
  }
  return Promise.all(
    rows.map(async row =>
      row.record === null ? row : { ...row, told: tellRecord(row.record, await matterOf(row.record)) },
    ),
  )
}

async function once<V>(known: Map<string, Promise<V>>, key: string, read: (key: string) => Promise<V>): Promise<V> {
  const found = known.get(key) ?? read(key)
  known.set(key, found)
  return found
}

function matterIn(
  { kind, call_id }: AuditRecord,
  hold: Hold | null,
  events: readonly JournalEvent[],
): Omit<RecordMatter, 'agent'> {
  if (hold === null) return call_id === null ? UNKNOWN_MATTER : callMatter(call_id, events)
  return { title: headline(hold), result: DECISIONS.has(kind) ? resultOf(hold, events) : null, outcome: null }
}

/** An older thread may have calls that its journal lacks. */
function callMatter(callId: string, events: readonly JournalEvent[]): Omit<RecordMatter, 'agent'> {
  const answer = events.findLast(
    event => event.kind === 'model.answered' && event.data.calls.some(({ id }) => id === callId),
  )
  const call = answer?.kind === 'model.answered' ? answer.data.calls.find(({ id }) => id === callId) : undefined
  const finished = events.findLast(event => event.kind === 'call.finished' && event.data.call_id === callId)
  const output = finished?.kind === 'call.finished' ? finished.data.output : null
  return {
    title: call ? callAct(call.name, call.arguments) : null,
    result: null,
    outcome: callOutcome(output, call?.arguments ?? null),
  }
}
