import type { EventKind } from '../journal/event.ts'

/** The events with words of people and agents; settings and positions are no text to search. */
export const SEARCHED_KINDS: readonly EventKind[] = [
  ...(['message.received', 'message.queued', 'model.answered', 'call.finished'] as const),
  ...(['hold.decided', 'hold.voted', 'hold.unclear', 'hold.assigned', 'cancel.requested', 'note'] as const),
]
