import { overrides } from '../audit/decision-record.ts'
import type { Hold } from '../hold/hold.ts'
import type { EventData } from '../journal/event.ts'

/** P1: marks a hold of an older version whose call policy never allows. The rule in its journal shows it. */
export function markedNever(
  hold: Hold,
  opened: Pick<EventData['hold.opened'], 'because' | 'plugin'> | null | undefined,
): Hold {
  const isUnmarked = hold.kind === 'approval' && !hold.overrides_never
  return isUnmarked && overrides(opened ?? null) ? { ...hold, overrides_never: true } : hold
}
