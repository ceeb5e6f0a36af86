import type { HoldView } from '../api/documents.ts'
import type { Seen } from '../decide/guard.ts'

interface ShownHold {
  readonly hold: HoldView
  readonly seen: () => Seen
}

/** By id: the open holds that this page shows in full now. Nothing else is decided by a command. */
export const shownHolds: Map<string, ShownHold> = new Map()
