import type { Move } from '../../core/journal/next-move.ts'
import { openHolds } from '../../core/journal/thread.ts'
import type { RunSession } from '../session/run-session.ts'

/**
 * Finishes a call without its tool. A hold that still is open is withdrawn with it: a decision on a call that is over
 * would fit nowhere. If a person decides it meanwhile, nothing of this happens.
 */
export async function settleCall(
  session: RunSession,
  { call, release }: Extract<Move, { type: 'settle' }>,
): Promise<null> {
  const { status, output, parts, error } = release
  const open = openHolds(session.run).find(({ call_id }) => call_id === call.id)
  if (open) {
    session.beginRest()
    session.stage('hold.withdrawn', { hold_id: open.id, call_id: call.id, because: 'its call is over' })
  }
  session.stage('call.finished', { call_id: call.id, status, output, ...(parts && { parts }), error })
  if (open) await session.flush()
  return null
}
