/** Notices about holds and runs, for people, programs and channels. Plain JSON; each channel chooses a form for it. */
import type { Hold } from '../hold/hold.ts'
import type { HoldResult } from '../hold-view/hold-result.ts'
import type { NoticeEvent } from './notice-event.ts'
import type { NoticeText, WaitingRun } from './notice-text.ts'

/** One message to one address. */
export interface Notice {
  /** Stays the same however often it is sent: receivers recognize a repeat by it. */
  readonly id: string
  /** `digest` is about several holds at once, `test` about none. */
  readonly event: NoticeEvent | 'digest' | 'test'
  /** ISO time of the event that it reports. */
  readonly at: string
  /** The recipient, as deciders name people; `null` for the channel of the project. */
  readonly person: string | null
  /** The current hold, not that at the event; `null` in a digest and in a test. */
  readonly hold: Hold | null
  /** What the decision led to by now; `null` before it, in a digest and in a test. */
  readonly result: HoldResult | null
  /** The current holds of a digest, oldest first. */
  readonly holds: readonly Hold[]
  /** The run that waits for the provider of its model; `null` in all other notices. */
  readonly run: WaitingRun | null
  /** The page of the hold or of the session of the run, or of all that waits; `null` without a `base_url`. */
  readonly url: string | null
  readonly text: NoticeText
}
