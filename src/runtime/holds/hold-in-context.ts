import { RefusedError } from '../../core/errors.ts'
import type { Hold } from '../../core/hold/hold.ts'
import { type HoldView, holdView } from '../../core/hold-view/hold-view.ts'
import type { Principal } from '../../ports/identity.ts'
import type { Runtime } from '../../ports/runtime.ts'
import type { HoldQuery } from '../../ports/store/holds.ts'
import { asOfNow } from '../lease/as-of-now.ts'
import { runPath } from '../views/run-path.ts'
import { requestersNow } from './requesters-now.ts'

export async function holdAsOfNow(runtime: Runtime, id: string): Promise<Hold | null> {
  const hold = await runtime.store.hold(id)
  return hold && asOfNow(runtime, hold)
}

export async function holdsAsOfNow(runtime: Runtime, query: HoldQuery): Promise<readonly Hold[]> {
  return (await runtime.store.holds(query)).map(hold => asOfNow(runtime, hold))
}

/** `null` if there is no such hold, or if the principal may not see it: both look the same from outside. */
export async function holdInContext(
  { store, clock, liveness }: Pick<Runtime, 'store' | 'clock' | 'liveness'>,
  id: string,
  principal: Principal,
): Promise<HoldView | null> {
  const hold = principal.rights.see ? await store.hold(id) : null
  if (hold === null) return null
  const { run_id, thread_id } = hold
  const facts = {
    hold: { ...asOfNow({ liveness }, hold), requesters: await requestersNow(store, hold, principal.name) },
    events: await store.journal(thread_id),
    path: await runPath(store, run_id),
    answered: await store.holds({ run_id, status: 'decided', kind: 'question' }),
    before: await askedBefore(store, hold),
  }
  const refusal = principal.rights.decide ? null : mayOnlyLook(principal).toJSON()
  return holdView(facts, { name: principal.name, member_of: principal.member_of ?? null, now: clock.now(), refusal })
}

/** Oldest first, as the store lists them. */
async function askedBefore(store: Runtime['store'], { id, run_id, call_id }: Hold): Promise<Hold | null> {
  if (call_id === null) return null
  const about = await store.holds({ run_id, call_id })
  return about[about.findIndex(each => each.id === id) - 1] ?? null
}

function mayOnlyLook({ name }: Principal): RefusedError {
  return new RefusedError('may_only_look', `${name} may look at holds, and decides none.`, {
    hint: 'Have somebody else decide, or ask for the right to decide.',
  })
}
