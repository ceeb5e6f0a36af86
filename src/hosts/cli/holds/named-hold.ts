import { RefusedError } from '../../../core/errors.ts'
import type { Hold } from '../../../core/hold/hold.ts'
import type { Holds } from '../../../runtime/face/holds.ts'

type Lookup = Pick<Holds, 'hold' | 'holds'>

/**
 * A hold by its id, or the newest one about a call by the call's id. A call's id works only if no other session has a
 * call of that name: a late approver must never decide the hold of another session. @throws RefusedError
 */
export async function holdNamed(holdpoint: Lookup, name: string): Promise<Hold> {
  const hold = await holdpoint.hold(name)
  if (hold) return hold
  const holds = await holdpoint.holds({ call_id: name })
  const newest = holds.at(-1)
  if (!newest) throw unknown(name, await holdpoint.holds({ status: 'open', limit: MOST_LISTED + 1 }))
  if (holds.some(({ thread_id }) => thread_id !== newest.thread_id)) throw ambiguous(name, holds)
  return newest
}

function unknown(name: string, open: readonly Hold[]): RefusedError {
  const listed = open.slice(0, MOST_LISTED).map(({ id, call_id, tool }) => {
    const about = [call_id, tool].filter(part => part !== null).join(' ')
    return about === '' ? id : `${id} (${about})`
  })
  const waits = open.length === 0 ? 'Nothing waits here' : `Open here: ${listed.join(', ')}`
  const more = open.length > MOST_LISTED ? ', …; `holdpoint holds` lists all' : ''
  return new RefusedError(
    'unknown_hold',
    `There is no hold ${JSON.stringify(name)} in this store, and no call of that name was held.`,
    {
      hint: `${waits}${more}. --store names another store.`,
      details: { holds: open.slice(0, MOST_LISTED).map(({ id }) => id) },
    },
  )
}

/** A model may name a call of every session alike. */
const MOST_LISTED = 10

function ambiguous(name: string, holds: readonly Hold[]): RefusedError {
  const open = holds.filter(({ status }) => status === 'open')
  const listed = (open.length > 0 ? open : holds).slice(-MOST_LISTED)
  const count =
    open.length === 0
      ? 'none of their holds is open'
      : `${open.length} of their ${holds.length} holds ${open.length === 1 ? 'is' : 'are'} open`
  const message = `Calls of several sessions are named ${JSON.stringify(name)}, ${count}, so the name alone decides nothing.`
  return new RefusedError('ambiguous_call', message, {
    hint: `Name the hold: ${listed.map(({ id, run_id, tool, status }) => `${id} (${status}, ${tool}, ${run_id})`).join('; ')}. \`holdpoint holds\` lists what waits.`,
    details: { holds: listed.map(({ id }) => id) },
  })
}
