import { RefusedError } from '../../core/errors.ts'
import type { Hold } from '../../core/hold.ts'
import type { Holdpoint } from '../../runtime/holdpoint.ts'

type Holds = Pick<Holdpoint, 'hold' | 'holds'>

/** A hold by its id, or by the id of its call where one open hold has that. @throws RefusedError */
export async function holdNamed(holdpoint: Holds, name: string): Promise<Hold> {
  const hold = await holdpoint.hold(name)
  if (hold) return hold
  const open = await holdpoint.holds({ status: 'open' })
  const [first, ...others] = open.filter(({ call_id }) => call_id === name)
  if (!first) throw unknown(name)
  if (others.length > 0) throw ambiguous(name, [first, ...others])
  return first
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
