/** What must be true of a store when all is over: rows, journals and the audit log say the same. */
import { explainRun } from '../../src/core/audit/explain/explain-run.ts'
import type { Store } from '../../src/ports/store/store.ts'
import { must, shown } from './broken.ts'
import type { Observer } from './observer.ts'

/** Each hold has one outcome, on record once. */
const OUTCOMES: Readonly<Record<string, string>> = {
  'hold.decided': 'decided',
  'hold.expired': 'expired',
  'hold.withdrawn': 'withdrawn',
}

/** @throws Broken */
export async function checkAudit(store: Store, observer: Observer): Promise<void> {
  const { faults } = await store.verifyAudit()
  must(faults.length === 0, 'P10', () => shown(faults))
  const onRecord = new Map<string, string[]>()
  for (const { record } of await store.audit({ limit: 1_000_000 })) {
    const { kind, hold_id } = JSON.parse(record) as { kind: string; hold_id: string | null }
    const outcome = OUTCOMES[kind]
    if (outcome && hold_id !== null) onRecord.set(hold_id, [...(onRecord.get(hold_id) ?? []), outcome])
  }
  for (const { id, status } of await store.holds({})) {
    const outcomes = onRecord.get(id)?.join() ?? 'open'
    must(outcomes === status, 'P10', () => `${id} is ${status}, on record as ${outcomes}`)
  }
  for (const { id, thread_id } of await store.runs({})) {
    const explained = explainRun(id, observer.threadOf(thread_id).events)
    must(explained?.faults.length === 0, 'P10', () => shown(explained?.faults))
  }
}
