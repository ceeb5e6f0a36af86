/** Starts with ids of their senders. P2: an id names one start, so the same start sent again, or to two servers at once, is one run. */
import { RefusedError } from '../errors.ts'
import type { Content } from '../message/part.ts'
import { canonicalJson } from '../text/json.ts'
import type { JournalEvent } from './event.ts'

export interface AskedStart {
  readonly agent: string
  /** `null` if the run begins without a message. */
  readonly input: Content | null
  readonly author: string | null
}

/** True if the thread with these first events began with this very start. */
export function isSameStart([began, said]: readonly JournalEvent[], { agent, input, author }: AskedStart): boolean {
  if (began?.kind !== 'run.started' || began.data.profile.agent !== agent) return false
  if (said?.kind !== 'message.received') return input === null
  return said.data.author === author && canonicalJson(said.data.content) === canonicalJson(input)
}

/** The id names another start. */
export function startIdTaken(startId: string, runId: string): RefusedError {
  return new RefusedError(
    'start_id_taken',
    `Run ${runId} was started with the id ${JSON.stringify(startId)}, by another agent or with another input, so nothing was started.`,
    { hint: 'Give each start an id of its own.', details: { run_id: runId } },
  )
}
