/** Starts with ids of their senders. P2: an id names one start, so the same start sent again, or to two servers at once, is one run. */
import type { Content } from '../message/part.ts'
import { canonicalJson } from '../text/json.ts'
import { wellFormed } from '../text/kept-text.ts'
import type { JournalEvent } from './event.ts'

export interface AskedStart {
  readonly agent: string
  /** `null` if the run begins without a message. */
  readonly input: Content | null
  readonly author: string | null
}

/** True if the thread with these first events began with this very start. */
export function isSameStart([began, message]: readonly JournalEvent[], { agent, input, author }: AskedStart): boolean {
  if (began?.kind !== 'run.started' || began.data.profile.agent !== agent) return false
  if (message?.kind !== 'message.received') return input === null
  return message.data.author === author && canonicalJson(message.data.content) === canonicalJson(wellFormed(input))
}
