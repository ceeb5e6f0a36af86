import type { AgentSummary } from '../../../../runtime/face/agents.ts'
import type { App } from '../../../compose/compose.ts'

/** Messages that who attaches is shown. */
const LAST_MESSAGES = 20
/** Looked through for them, from the end. */
export const LAST_EVENTS = 400

/** Of events that come in order, those from the last messages on. */
export function lastSaid<E extends { readonly kind: string }>(events: readonly E[]): readonly E[] {
  const said = events.filter(({ kind }) => kind === 'model.answered' || kind.startsWith('message.'))
  const first = said.at(-LAST_MESSAGES)
  return said.length < LAST_MESSAGES || first === undefined ? events : events.slice(events.indexOf(first))
}

/** The `seq` behind which the last messages of an agent are. */
export async function firstShown({ holdpoint, store }: App, { session_id }: AgentSummary): Promise<number> {
  if (session_id === null) return 0
  const newest = await holdpoint.newestSeq(session_id)
  const from = Math.max(0, newest - LAST_EVENTS)
  const [first] = lastSaid(await store.journal(session_id, from, LAST_EVENTS))
  return first ? first.seq - 1 : from
}
