/** Threads that go on elsewhere, in a store that shares nothing with this one. */

import {
  BUNDLE_FORMAT,
  BUNDLE_VERSION,
  type BundledThread,
  type BundleHeader,
  JOURNAL_GENERATION,
} from '../../core/bundle/bundle.ts'
import { checkBundle } from '../../core/bundle/check-bundle.ts'
import { type ChangedBy, plainEvent } from '../../core/journal/event.ts'
import { fold } from '../../core/journal/fold.ts'
import { openHolds, type Run } from '../../core/journal/thread.ts'
import { isAgentActor } from '../../core/people/agent-actor.ts'
import { bundleRefusals } from '../../core/refusals/bundle-refusals.ts'
import type { Exported, Imported } from '../../core/run/exported.ts'
import type { ProfileChanges } from '../../core/run/profile.ts'
import { outcomeOf } from '../../core/run/termination.ts'
import { withoutPlaces } from '../../core/run/widening.ts'
import type { BundleProgress, ExportAttempt, ThreadExport } from '../../ports/store/thread-bundles.ts'
import { refuseWidening, unchanged } from '../definitions/refuse-widening.ts'
import type { WatchfulRuntime } from '../lease/lease-watch.ts'
import { type CheckpointPlace, loadCheckpoint } from '../views/load-checkpoint.ts'

/** A portable checkpoint, neither written down nor encrypted yet. */
export interface Bundle {
  readonly header: BundleHeader
  readonly thread: BundledThread
}

/** The person who moves a thread, and the surface on which they do it. */
export interface Mover {
  readonly by: string
  readonly surface: string
}

/** The options of an import. */
export interface ImportOptions extends Mover {
  /** True if a key proved the origin of the bundle. */
  readonly authenticated: boolean
  /** Changes for the rest of the run here, such as new file locations. */
  readonly changes?: ProfileChanges
  readonly onProgress?: BundleProgress
}

/** The options of an export. */
export interface ExportOptions extends Mover {
  /** The version that is named in the bundle. */
  readonly holdpoint: string
  /**
   * Keeps the bundle where it is safe, before its thread leaves this store: if it throws, nothing leaves. It is called again
   * if the thread changed meanwhile.
   */
  readonly keep?: (bundle: Bundle) => Promise<void>
  readonly onProgress?: BundleProgress
}

export class RuntimeBundles {
  readonly #runtime: WatchfulRuntime

  constructor(runtime: WatchfulRuntime) {
    this.#runtime = runtime
  }

  async export(checkpointId: string, { holdpoint, keep, ...mover }: ExportOptions): Promise<Bundle> {
    if (isAgentActor(mover.by)) throw bundleRefusals.agentCannotExport(mover.by)
    const place = await loadCheckpoint(this.#runtime.store, checkpointId)
    const { thread_id, run_id } = place
    const { run, seq: after } = fold(thread_id, place.events)
    refuseUnmovable(run as Run, { ...place, checkpoint_id: checkpointId })
    await this.#refuseParent(run_id)
    const bundle_id = this.#runtime.ids.next('bundle')
    const request = { thread_id, run_id, checkpoint_id: checkpointId, after, bundle_id, ...mover }
    if (!keep) return this.#leave(request, holdpoint)
    const draft = await this.#leave({ ...request, isDraft: true }, holdpoint)
    await keep(draft)
    const bundle = await this.#leave({ ...request, exported_at: draft.header.created_at }, holdpoint)
    if (!isSameBundle(bundle, draft)) await keep(bundle)
    return bundle
  }

  async #leave(request: ThreadExport, holdpoint: string): Promise<Bundle> {
    const attempt = await this.#attempt(request)
    if (attempt.outcome === 'busy') throw bundleRefusals.busy(attempt.owner, request.run_id)
    return { header: headerOf(attempt.exported, holdpoint), thread: attempt.thread }
  }

  /** A run with children stays here: the other store would never learn of them. */
  async #refuseParent(runId: string): Promise<void> {
    const children = await this.#runtime.store.runs({ parent_run_id: runId })
    const [child] = children.filter(({ status }) => status !== 'done')
    if (child) throw bundleRefusals.hasChildren(runId, child.id)
  }

  /** A lease that may be taken from its owner keeps nobody waiting. */
  async #attempt(request: ThreadExport): Promise<ExportAttempt> {
    const { store, leases } = this.#runtime
    const first = await store.bundles.export(request)
    if (first.outcome !== 'busy') return first
    return (await leases.free(request.run_id)) ? store.bundles.export(request) : first
  }

  async import({ header, thread }: Bundle, options: ImportOptions): Promise<Imported> {
    if (isAgentActor(options.by)) throw bundleRefusals.agentCannotImport(options.by)
    const { run, standings } = checkBundle(header, thread)
    const { bundle_id, thread_id, run_id, checkpoint_id } = header
    const { by, surface, authenticated, changes = {}, onProgress } = options
    const isOver = run.termination !== null || Object.keys(changes).length === 0
    const changed = await this.#refuseWidening({ run, thread }, changes, { by, surface })
    const imported = await this.#runtime.store.bundles.import({
      ...thread,
      ...(onProgress && { onProgress }),
      ...{ bundle_id, thread_id, run_id, checkpoint_id, by, surface, data: { authenticated } },
      runs: thread.runs.map(each => ({ ...each, ...(standings.get(each.id) ?? { status: 'done', ended: null }) })),
      // A finished run never changes; the next run of its thread begins with the settings of this store.
      behind: isOver ? [] : [plainEvent({ kind: 'run.configured', run_id, data: { changes, ...changed } })],
    })
    for (const event of await this.#runtime.store.journal(thread_id, imported.seq)) this.#runtime.tell(event)
    return imported
  }

  /** The mover of a run sets the location of its files; all other changes need the right to decide in it (P1). */
  async #refuseWidening(
    { run, thread }: { readonly run: Run; readonly thread: BundledThread },
    changes: ProfileChanges,
    mover: Mover,
  ): Promise<ChangedBy> {
    const open = new Set(openHolds(run).map(({ id }) => id))
    const holds = thread.holds.filter(({ id }) => open.has(id))
    const before = { ...unchanged(run), holds }
    return refuseWidening(this.#runtime, before, withoutPlaces(run.profile, changes), mover)
  }
}

function isSameBundle(one: Bundle, other: Bundle): boolean {
  const [left, right] = [one, other].map(bundle => JSON.stringify(bundle))
  return left === right
}

function headerOf(exported: Exported, holdpoint: string): BundleHeader {
  const { bundle_id, thread_id, run_id, checkpoint_id, exported_at: created_at } = exported
  return {
    ...{ format: BUNDLE_FORMAT, version: BUNDLE_VERSION, bundle_id, thread_id, run_id, checkpoint_id, created_at },
    ...{ holdpoint, journal: JOURNAL_GENERATION, encryption: null },
  }
}

/** A run moves only from a checkpoint that can be resumed. */
function refuseUnmovable(
  run: Run,
  { run_id, seq, checkpoint_id }: CheckpointPlace & { readonly checkpoint_id: string },
): void {
  const newest = run.checkpoint?.id ?? null
  if (run.id !== run_id || (run.announced?.seq ?? 0) > seq) throw bundleRefusals.superseded(checkpoint_id, newest)
  if (run.termination && outcomeOf(run.termination) === 'completed') throw bundleRefusals.alreadyCompleted(run_id)
}
