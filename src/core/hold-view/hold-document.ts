import type { Hold } from '../hold/hold.ts'

/** The keys under which every document names a hold and its session. */
export interface HoldIds {
  /** The same as `id`. */
  readonly hold_id: string
  /** The same as `thread_id`. */
  readonly session_id: string
}

/** A hold as documents tell of it: with the keys that lists share (docs/design/documents.md#ids). */
export function holdDocument<T extends Hold>(hold: T): T & HoldIds {
  return { hold_id: hold.id, session_id: hold.thread_id, ...hold }
}
