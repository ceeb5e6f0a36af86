import type { Hold } from '../hold/hold.ts'
import type { NewEvent } from '../journal/event.ts'

/** Records why no person needs to decide this hold any more. */
export function withdrawal({ id: hold_id, run_id, call_id }: Hold, because: string): NewEvent {
  return { kind: 'hold.withdrawn', run_id, data: { hold_id, call_id, because } }
}
