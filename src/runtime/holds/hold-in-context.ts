import type { Hold } from '../../core/hold/hold.ts'
import { type HoldView, holdView } from '../../core/hold-view/hold-view.ts'
import { holdRefusals } from '../../core/refusals/hold-refusals.ts'
import type { Principal } from '../../ports/identity.ts'
import type { Runtime } from '../../ports/runtime.ts'
import { asOfNow } from '../lease/as-of-now.ts'
import { stuckNow } from '../lease/stuck-runs.ts'
import { runPath } from '../views/run-path.ts'
import { requestersNow } from './requesters-now.ts'

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
    stuck: hold.decision === null ? null : await stuckNow({ store, liveness }, run_id),
  }
  const refusal = principal.rights.decide ? null : holdRefusals.mayOnlyLook(principal.name).toJSON()
  return holdView(facts, { name: principal.name, member_of: principal.member_of ?? null, now: clock.now(), refusal })
}

/** Oldest first, as the store lists them. */
async function askedBefore(store: Runtime['store'], { id, run_id, call_id }: Hold): Promise<Hold | null> {
  if (call_id === null) return null
  const about = await store.holds({ run_id, call_id })
  return about[about.findIndex(each => each.id === id) - 1] ?? null
}
