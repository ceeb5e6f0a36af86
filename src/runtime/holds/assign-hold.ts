import type { DueEvent } from '../../core/deadlines/next-due.ts'
import { unreadableHold } from '../../core/deciding/undecidable.ts'
import { unknownHold } from '../../core/deciding/unknown-hold.ts'
import { A_NAME, A_TEXT, checkFields, checkValue, orNothing } from '../../core/given-fields.ts'
import type { Hold } from '../../core/hold/hold.ts'
import { askedPeople } from '../../core/hold/may-decide.ts'
import { holdRefusals } from '../../core/refusals/hold-refusals.ts'
import type { Runtime } from '../../ports/runtime.ts'
import { fireDueOf } from './expire-holds.ts'

/** Gives a hold to another person. */
export interface AssignOptions {
  /** A person or a `@group`; `null` for no one in particular. */
  readonly assignee: string | null
  readonly by: string
  /** Default: `code`. */
  readonly surface?: string
  readonly reason?: string | null
}

/**
 * Changes who is asked, but not who may decide. Due events of the hold happen first, and are reported.
 * @throws RefusedError; then nothing was assigned.
 */
export async function assignHold(
  runtime: Runtime,
  holdId: string,
  options: AssignOptions,
  onDue: (happened: readonly DueEvent[]) => Promise<void>,
): Promise<Hold> {
  const { assignee, by, surface = 'code', reason = null } = asGiven(options)
  await onDue(await fireDueOf(runtime, holdId))
  const hold = await runtime.store.hold(holdId)
  if (!hold) throw unknownHold(holdId)
  const damage = unreadableHold(hold)
  if (damage) throw damage
  refuseUnable(hold, assignee)
  const data = { hold_id: hold.id, call_id: hold.call_id, assignee, by, surface, reason }
  const event = { kind: 'hold.assigned', run_id: hold.run_id, data } as const
  const [assigned] = await runtime.store.amend([{ hold_id: hold.id, event, seen: null }])
  if (!assigned) throw holdRefusals.notOpen(hold.id)
  return assigned
}

function asGiven(options: AssignOptions): AssignOptions {
  checkFields('assign', options, {
    ...{ assignee: orNothing(A_TEXT), by: A_NAME, surface: A_NAME, reason: orNothing(A_TEXT) },
  })
  checkValue('The assignee', options.assignee, orNothing(A_TEXT))
  checkValue('`by` of assign', options.by, A_NAME)
  return options
}

function refuseUnable(hold: Hold, assignee: string | null): void {
  if (assignee !== null && assignee.trim() === '') throw holdRefusals.noAssignee()
  if ((hold.deciders?.people ?? null) === null || assignee === null || assignee.startsWith('@')) return
  const people = askedPeople(hold)
  if (people.includes(assignee)) return
  throw holdRefusals.notAssignable(assignee, hold.id, people.join(', ') || 'nobody that is known')
}
