/**
 * The effects of time on holds: reminders, escalations, expiries. Each is a compare-and-set on the hold as it was seen.
 * So it happens once, with any number of workers, and never to a decided hold.
 */

import { type DueEvent, nextDue } from '../../core/deadlines/next-due.ts'
import type { Amendment } from '../../core/deciding/amendment.ts'
import type { Hold } from '../../core/hold/hold.ts'
import type { Runtime } from '../../ports/runtime.ts'
import { shownDigest } from '../definitions/call-digest.ts'

/** How many holds one transaction is about. */
const PAGE = 200

/** Fires what is due in the whole store; resolves to what happened, in order. */
export async function expireHolds(runtime: Runtime): Promise<DueEvent[]> {
  const happened: DueEvent[] = []
  for (;;) {
    const holds = await runtime.store.dueHolds(timeOf(runtime), PAGE)
    const fired = await fireDue(runtime, holds)
    happened.push(...fired)
    // If no hold of a page could be fired, another process fires them.
    if (fired.length === 0) return happened
  }
}

/** Fires what is due on one hold: what time has decided comes before what anyone else says. */
export async function fireDueOf(runtime: Runtime, holdId: string): Promise<DueEvent[]> {
  const hold = await runtime.store.hold(holdId)
  return hold ? fireDue(runtime, [hold]) : []
}

/** Fires what is due on these holds, however much has piled up. */
export async function fireDue(runtime: Runtime, holds: readonly Hold[]): Promise<DueEvent[]> {
  const happened: DueEvent[] = []
  let left = holds
  while (left.length > 0) {
    const due = left.flatMap(hold => amendmentOf(runtime, hold))
    const amended = due.length > 0 ? await runtime.store.amend(due) : []
    happened.push(...due.flatMap(({ event }, index) => (amended[index] ? [event] : [])))
    left = amended.filter(hold => hold !== null)
  }
  return happened
}

type Due = Amendment & { readonly event: DueEvent }

function amendmentOf({ clock, ids }: Runtime, hold: Hold): Due[] {
  if (hold.status !== 'open') return []
  const event = nextDue(hold, clock.now(), () => ({
    decision_id: ids.next('decision'),
    digest: shownDigest(ids, hold),
  }))
  return event ? [{ hold_id: hold.id, event, seen: hold }] : []
}

function timeOf({ clock }: Runtime): string {
  return new Date(clock.now()).toISOString()
}
