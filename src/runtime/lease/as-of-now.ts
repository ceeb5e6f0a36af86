import { stillRunning } from '../../core/doubt/started-work.ts'
import type { Hold } from '../../core/hold/hold.ts'
import type { Runtime } from '../../ports/runtime.ts'
import { idempotencyKey, workStanding } from './work-standing.ts'

/** An open hold in doubt says whether what its call had started still runs. */
export function asOfNow<H extends Hold>({ liveness }: Pick<Runtime, 'liveness'>, hold: H): H {
  const { started, status, call_id } = hold
  if (started === undefined || status !== 'open' || call_id === null) return hold
  const key = idempotencyKey(hold.thread_id, call_id)
  const standing = workStanding(liveness, started, key)
  const last = started.what === 'command' ? liveness.commandOf?.(key)?.last_status : null
  return { ...hold, still_running: stillRunning(started, { standing, status: last }) }
}
