/** Notices about holds, for people, programs and channels. Plain JSON; each channel chooses a form for it. */
import type { Hold } from '../hold/hold.ts'
import type { NoticeEvent } from './notice-event.ts'
import type { NoticeText } from './notice-text.ts'

/** One message to one address. */
export interface Notice {
  /** Stays the same however often it is sent: receivers know a repeat by it. */
  readonly id: string
  /** `digest` tells of several holds at once, `test` of none. */
  readonly event: NoticeEvent | 'digest' | 'test'
  /** ISO time of what it tells of. */
  readonly at: string
  /** The person who is told, as deciders name them; `null` for the channel of the project. */
  readonly person: string | null
  /** As of now, not as of the event; `null` in a digest and in a test. */
  readonly hold: Hold | null
  /** Of a digest: those that it tells of, oldest first, as of now. */
  readonly holds: readonly Hold[]
  /** The page of the hold, or of all that waits; `null` without a `base_url`. */
  readonly url: string | null
  readonly text: NoticeText
}
