import type { Hold } from '../../core/hold/hold.ts'
import { runOf } from '../../core/people/agent-actor.ts'
import type { RunStore } from '../../ports/store/runs.ts'

/** The current requesters of a hold: an agent that continues in a later run of the conversation still counts. */
export async function requestersNow(
  store: Pick<RunStore, 'run'>,
  { kind, requesters }: Hold,
  decidedBy: string,
): Promise<readonly string[]> {
  const by = runOf(decidedBy)
  if (kind !== 'input' || by === null || requesters.includes(decidedBy)) return requesters
  const thread = (await store.run(by))?.thread_id
  const rows = await Promise.all(requesters.map(runOf).map(run => (run === null ? null : store.run(run))))
  const isSame = rows.some(row => row !== null && row.thread_id === thread)
  return isSame ? [...requesters, decidedBy] : requesters
}
