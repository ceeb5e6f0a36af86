import { fold } from '../../core/journal/fold.ts'
import { openHolds, type Thread } from '../../core/journal/thread.ts'
import { unknownRun } from '../../core/run/unknown-run.ts'
import type { Liveness } from '../../ports/process/liveness.ts'
import type { Store } from '../../ports/store/store.ts'
import { wholeThread } from '../folds/load-thread.ts'
import { asOfNow } from '../lease/as-of-now.ts'
import { stuckNow, stuckRuns } from '../lease/stuck-runs.ts'
import { type CheckpointPlace, eventsUpTo } from './load-checkpoint.ts'
import { type RunView, runView } from './run-view.ts'

interface ViewDeps {
  readonly store: Pick<Store, 'hold' | 'holds' | 'journal' | 'run' | 'now' | 'workers' | 'tasks'>
  readonly liveness: Liveness
}

/** A thread's newest run with its open holds; `null` if none was started. */
export async function viewNow(deps: ViewDeps, thread: Thread): Promise<RunView | null> {
  const { store } = deps
  const run_id = thread.run?.id ?? ''
  const waits = thread.run !== null && thread.run.holds.size > 0
  const holds = waits ? await store.holds({ run_id, status: 'open' }) : []
  const asks = holds.some(({ kind }) => kind === 'question')
  const asked = asks ? await store.holds({ run_id, status: 'decided', kind: 'question' }) : []
  return runView(
    await wholeThread(store, thread),
    holds.map(hold => asOfNow(deps, hold)),
    asked,
  )
}

/** The same, and why it does not go on if it could. */
export async function viewOfThread(deps: ViewDeps, thread: Thread): Promise<RunView | null> {
  const view = await viewNow(deps, thread)
  return view?.status === 'running' ? { ...view, stuck: await stuckNow(deps, view.id) } : view
}

/** A run as it stood, with what was open then. */
export async function viewAt({ store }: ViewDeps, place: CheckpointPlace): Promise<RunView> {
  const thread = fold(place.thread_id, eventsUpTo(place))
  const open = thread.run ? openHolds(thread.run) : []
  const holds = await Promise.all(open.map(({ id }) => store.hold(id)))
  return runView(
    thread,
    holds.filter(hold => hold !== null),
  ) as RunView
}

/** Threads of which a fold is kept. */
interface Folds {
  /** The current thread; `null` if no fold of it is kept. */
  thread(threadId: string): Promise<Thread | null>
}

/**
 * A run in its current or final state, even if newer runs of its thread followed. @throws RefusedError `unknown_run`
 */
export async function viewOf(deps: ViewDeps, runId: string, folds: Folds | null = null): Promise<RunView> {
  const { store } = deps
  const row = await store.run(runId)
  if (!row) throw unknownRun(runId)
  const stuck = (await stuckRuns(deps, [row])).get(runId) ?? null
  const kept = await folds?.thread(row.thread_id)
  if (kept?.run?.id === runId) return { ...((await viewNow(deps, kept)) as RunView), stuck }
  const events = await store.journal(row.thread_id)
  const end = events.findLastIndex(event => event.run_id === runId) + 1
  return { ...((await viewNow(deps, fold(row.thread_id, events.slice(0, end)))) as RunView), stuck }
}
