import type { AgentSummary } from '../../../../runtime/face/agents.ts'
import type { App } from '../../../compose/compose.ts'

/** Messages that who attaches is shown. */
const LAST_MESSAGES = 20
/** Looked through for them, from the end. */
const LAST_EVENTS = 400

/** The `seq` behind which the last messages of an agent are. */
export async function firstShown({ holdpoint, store }: App, { session_id }: AgentSummary): Promise<number> {
  if (session_id === null) return 0
  const newest = await holdpoint.newestSeq(session_id)
  const from = Math.max(0, newest - LAST_EVENTS)
  const events = await store.journal(session_id, from, LAST_EVENTS)
  const said = events.filter(({ kind }) => kind === 'model.answered' || kind.startsWith('message.'))
  const first = said.at(-LAST_MESSAGES)
  return said.length < LAST_MESSAGES ? from : (first?.seq ?? 1) - 1
}
