import { A_TEXT, checkFields, type Rules } from '../../core/given-fields.ts'
import { isAgentActor } from '../../core/people/agent-actor.ts'
import { runRefusals } from '../../core/refusals/run-refusals.ts'
import { unknownRun } from '../../core/run/unknown-run.ts'
import type { Runtime } from '../../ports/runtime.ts'

/** The person who frees a lease, and the surface on which they do it. */
export interface ReleaseOptions {
  readonly by: string
  readonly surface: string
}

/** The lease that a run had. Its owner can write nothing more (P7); a call that it had begun is in doubt (P3). */
export interface ReleasedLease {
  readonly run_id: string
  readonly owner: string
  /** The deadline for the owner's next renewal, ISO time. */
  readonly until: string
}

const OPTIONS: Rules<ReleaseOptions> = { by: A_TEXT, surface: A_TEXT }

/**
 * Releases the lease of an owner on a lost host, which no process here can check. @throws RefusedError `unknown_run`,
 * `not_leased`, `agent_cannot_release`, or `owner_alive`; then nothing was changed.
 */
export async function releaseLease(
  { store, liveness }: Pick<Runtime, 'store' | 'liveness'>,
  runId: string,
  options: ReleaseOptions,
): Promise<ReleasedLease> {
  const { by: actor, surface } = checkFields('release', options ?? {}, OPTIONS)
  if (isAgentActor(actor)) throw runRefusals.agentCannotRelease(actor)
  const row = await store.run(runId)
  if (row === null) throw unknownRun(runId)
  const { lease, thread_id } = row
  if (lease === null) throw runRefusals.notLeased(runId)
  if (liveness.isAlive(lease.owner))
    throw runRefusals.ownerAlive(runId, `its process (${lease.owner}) lives on this machine`)
  const { owner, until } = lease
  const record = { kind: 'lease.released', thread_id, run_id: runId, actor, surface, data: { owner, until } } as const
  if (!(await store.reclaim({ run_id: runId, ...lease }, record)))
    throw runRefusals.ownerAlive(runId, `its owner (${owner}) renewed its lease just now`)
  return { run_id: runId, owner, until }
}
