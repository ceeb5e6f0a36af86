import type { Amount } from '../../core/count.ts'
import { runRefusals } from '../../core/refusals/run-refusals.ts'
import type { Runtime } from '../../ports/runtime.ts'
import type { PrunedThread } from '../../ports/store/retention.ts'

/** Chooses the threads that a prune deletes. */
export interface PruneOptions {
  /** ISO time: finished threads in which nothing happened since. */
  readonly before: string
  /** Counts, and deletes nothing. */
  readonly dryRun?: boolean
  /** The requester, and the surface. */
  readonly by: string
  readonly surface: string
  /** Called now and then with the counts so far. */
  readonly onProgress?: (soFar: Pruned) => void
  /** Aborting it ends the work; what was deleted by then is deleted. */
  readonly signal?: AbortSignal
}

/** The deleted amounts; `bytes` are those of journals and holds, which the store uses again. */
export type Pruned = { readonly threads: Amount } & Omit<PrunedThread, 'thread_id'>

const NOTHING: Pruned = { threads: 0, runs: 0, holds: 0, events: 0, grants: 0, tasks: 0, bytes: 0 }

/**
 * Deletes the output of tasks after their rows. If the process ends in between, the next prune removes the rest.
 * @throws RefusedError `invalid_prune`; then nothing was deleted.
 */
export async function pruneStore({ store, sweepTasks }: Runtime, options: PruneOptions): Promise<Pruned> {
  const { before, dryRun: dry_run = false, by, surface } = options ?? {}
  if (Number.isNaN(Date.parse(before))) throw runRefusals.invalidPrune('`before` is no ISO time')
  if (typeof by !== 'string' || by.trim() === '' || typeof surface !== 'string')
    throw runRefusals.invalidPrune('it is not said who does it')
  let soFar = NOTHING
  for (let after: string | null = '0'; after !== null && !options.signal?.aborted; ) {
    const page = await store.prune({ before, dry_run, by, surface, after })
    soFar = { ...page.threads.reduce(added, soFar), tasks: soFar.tasks + page.tasks.length }
    after = page.next
    if (after !== null) options.onProgress?.(soFar)
  }
  if (!dry_run) await sweepTasks?.()
  return soFar
}

function added(sum: Pruned, { runs, holds, events, grants, bytes }: PrunedThread): Pruned {
  return {
    ...sum,
    threads: sum.threads + 1,
    runs: sum.runs + runs,
    holds: sum.holds + holds,
    events: sum.events + events,
    grants: sum.grants + grants,
    bytes: sum.bytes + bytes,
  }
}
