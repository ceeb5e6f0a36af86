/**
 * The effects of time on holds: reminders, escalations, expiries. Each is a compare-and-set on the hold as it was seen.
 * So it happens once, with any number of workers, and never to a decided hold.
 */

import { togetherOrEach } from '../../async/together-or-each.ts'
import { clockJump } from '../../core/deadlines/clock-jump.ts'
import { type DueEvent, nextDue } from '../../core/deadlines/next-due.ts'
import type { Amendment } from '../../core/deciding/amendment.ts'
import { unreadableHold } from '../../core/deciding/undecidable.ts'
import type { Hold } from '../../core/hold/hold.ts'
import { isOfStore } from '../../core/store-write.ts'
import type { Runtime } from '../../ports/runtime.ts'
import { shownDigest } from '../definitions/call-digest.ts'

/** Fires due events of one hold: decisions by time precede anyone else's. */
export async function fireDueOf(runtime: Runtime, holdId: string): Promise<DueEvent[]> {
  const hold = await runtime.store.hold(holdId)
  return hold ? fireDue(runtime, [hold]) : []
}

/** Fires what is due on these holds, however much has piled up. @throws what one of them failed with, after all others */
export async function fireDue(runtime: Runtime, holds: readonly Hold[]): Promise<DueEvent[]> {
  const { happened, failed } = await fireEach(
    runtime,
    holds.filter(({ unreadable }) => !unreadable),
  )
  if (failed[0]) throw failed[0].thrown
  return happened
}

export interface Fired {
  /** In order. */
  readonly happened: DueEvent[]
  readonly failed: readonly { readonly hold: Hold; readonly thrown: unknown }[]
}

/** Like `fireDue`, with the failures as well. */
export async function fireEach(runtime: Runtime, holds: readonly Hold[]): Promise<Fired> {
  const happened: DueEvent[] = []
  const failed = holds.flatMap(hold => failureOf(hold))
  let left = holds.filter(({ unreadable }) => !unreadable)
  while (left.length > 0) {
    const now = await runtime.store.now()
    const due = left.flatMap(hold => amendmentOf(runtime, hold, now))
    const ends = await togetherOrEach(due, { act: amendments => runtime.store.amend(amendments), isOfAll: isOfStore })
    left = ends.flatMap((end, place) => {
      const { event, seen } = due[place] as Due
      if ('thrown' in end) failed.push({ hold: seen, thrown: end.thrown })
      else if (end.result) happened.push(event)
      return 'result' in end && end.result ? [end.result] : []
    })
  }
  return { happened, failed }
}

function failureOf(hold: Hold): { hold: Hold; thrown: unknown }[] {
  const thrown = unreadableHold(hold)
  return thrown ? [{ hold, thrown }] : []
}

type Due = Amendment & { readonly event: DueEvent; readonly seen: Hold }

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
