import { LeaseLostError } from '../../core/errors.ts'
import type { JournalEvent, NewEvent } from '../../core/journal/event.ts'

/** The events that other processes may write during an advance. */
const OF_OTHERS: ReadonlySet<string> = new Set<NewEvent['kind']>([
  'hold.decided',
  'hold.voted',
  'hold.unclear',
  'hold.assigned',
  'hold.reminded',
  'hold.escalated',
  'hold.expired',
  'hold.withdrawn',
  'message.queued',
  'cancel.requested',
])

/** P7: an event that only an owner writes shows that another owner took over. @throws LeaseLostError */
export function refuseTakeover(runId: string, events: readonly JournalEvent[]): void {
  if (!events.every(({ kind }) => OF_OTHERS.has(kind))) throw new LeaseLostError(runId)
}
