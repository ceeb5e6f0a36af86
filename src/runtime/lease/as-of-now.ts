import { stillRunning } from '../../core/doubt/started-work.ts'
import type { Hold } from '../../core/hold/hold.ts'
import type { Runtime } from '../../ports/runtime.ts'
import { idempotencyKey, workStanding } from './work-standing.ts'

export async function holdAsOfNow(runtime: Pick<Runtime, 'liveness' | 'store'>, id: string): Promise<Hold | null> {
  const hold = await runtime.store.hold(id)
  return hold && asOfNow(runtime, hold)
}

/** Adds to an open hold in doubt whether the work that its call had started still runs. */
export function asOfNow<H extends Hold>({ liveness }: Pick<Runtime, 'liveness'>, hold: H): H {
  const { started, status, call_id } = hold
  if (started === undefined || status !== 'open' || call_id === null) return hold
  const key = idempotencyKey(hold.thread_id, call_id)
  const state = workStanding(liveness, started, key)
  const command = started.what === 'command' ? (liveness.commandOf?.(key) ?? null) : null
  const known = { standing: state, status: command?.last_status ?? null, printed: command?.printed ?? null }
  return { ...hold, still_running: stillRunning(started, known) }
}
