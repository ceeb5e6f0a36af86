/**
 * The effects of time on holds: reminders, escalations, expiries. Each is a compare-and-set on the hold as it was seen.
 * So it happens once, with any number of workers, and never to a decided hold.
 */

import { clockJump } from '../../core/deadlines/clock-jump.ts'
import { type DueEvent, nextDue } from '../../core/deadlines/next-due.ts'
import type { Amendment } from '../../core/deciding/amendment.ts'
import type { Hold } from '../../core/hold/hold.ts'
import { isoTime } from '../../core/text/iso-time.ts'
import type { Runtime } from '../../ports/runtime.ts'
import { shownDigest } from '../definitions/call-digest.ts'

/** How many holds one transaction is about. */
const PAGE = 200

/** Fires what is due in the whole store; resolves to what happened, in order. */
export async function expireHolds(runtime: Runtime): Promise<DueEvent[]> {
  const happened: DueEvent[] = []
  for (;;) {
    const holds = await runtime.store.dueHolds(isoTime(await runtime.store.now()), PAGE)
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
    const now = await runtime.store.now()
    const due = left.flatMap(hold => amendmentOf(runtime, hold, now))
    const amended = due.length > 0 ? await runtime.store.amend(due) : []
    happened.push(...due.flatMap(({ event }, index) => (amended[index] ? [event] : [])))
    left = amended.filter(hold => hold !== null)
  }
  return happened
}

type Due = Amendment & { readonly event: DueEvent }

function amendmentOf(runtime: Runtime, hold: Hold, now: number): Due[] {
  const { ids } = runtime
  if (hold.status !== 'open') return []
  const event = nextDue(hold, now, () => ({
    decision_id: ids.next('decision'),
    digest: shownDigest(ids, hold),
  }))
  if (event === null || (approves(event) && isInDoubt(runtime, hold, now))) return []
  return [{ hold_id: hold.id, event, seen: hold }]
}

function approves(event: DueEvent): boolean {
  return event.kind === 'hold.expired' && event.data.on_due === 'auto_approve'
}

/** P1: a clock that was set approves nothing by itself: a worker watches it for a minute first. */
function isInDoubt({ clock, liveness, isClockTrusted }: Runtime, hold: Hold, now: number): boolean {
  if (isClockTrusted?.()) return false
  return clockJump(hold, { now, steady: clock.steady(), boot: liveness.boot }) !== 0
}
