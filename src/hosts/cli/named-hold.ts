import { RefusedError } from '../../core/errors.ts'
import type { Hold } from '../../core/hold.ts'
import type { Holdpoint } from '../../runtime/holdpoint.ts'

type Holds = Pick<Holdpoint, 'hold' | 'holds'>

/**
 * A hold by its id, or by the id of its call where one open hold has that; where none has, one that was open once, so
 * that whoever comes second is told who was first. @throws RefusedError
 */
export async function holdNamed(holdpoint: Holds, name: string): Promise<Hold> {
  const hold = await holdpoint.hold(name)
  if (hold) return hold
  const open = await holdpoint.holds({ status: 'open' })
  const [first, ...others] = open.filter(({ call_id }) => call_id === name)
  if (!first) return closedHold(holdpoint, name)
  if (others.length > 0) throw ambiguous(name, [first, ...others])
  return first
}

async function closedHold(holdpoint: Holds, callId: string): Promise<Hold> {
  const [hold, ...others] = (await holdpoint.holds()).filter(({ call_id }) => call_id === callId)
  if (hold && others.length === 0) return hold
  throw unknown(callId)
}

function unknown(name: string): RefusedError {
  return new RefusedError('unknown_hold', `${JSON.stringify(name)} is no hold in this store, and no call that waits.`, {
    hint: '`holdpoint holds` lists what waits here; --store names another store.',
  })
}

function ambiguous(name: string, holds: readonly Hold[]): RefusedError {
  const ids = holds.map(({ id }) => id)
  return new RefusedError('ambiguous_call', `${holds.length} calls that wait are called ${JSON.stringify(name)}.`, {
    hint: `Name the hold: ${holds.map(({ id, run_id, tool }) => `${id} (${tool}, ${run_id})`).join('; ')}.`,
    details: { holds: ids },
  })
}
