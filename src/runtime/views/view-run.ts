import type { StuckRun } from '../../core/advancing/stuck-run.ts'
import type { Hold } from '../../core/hold/hold.ts'
import type { JournalEvent } from '../../core/journal/event.ts'
import { fold } from '../../core/journal/fold.ts'
import { openHolds, type Thread } from '../../core/journal/thread.ts'
import { unknownRun } from '../../core/run/unknown-run.ts'
import type { Liveness } from '../../ports/process/liveness.ts'
import type { RunRow } from '../../ports/store/runs.ts'
import type { Store } from '../../ports/store/store.ts'
import { loadThread, wholeThread } from '../folds/load-thread.ts'
import { asOfNow } from '../lease/as-of-now.ts'
import { stuckNow, stuckRuns } from '../lease/stuck-runs.ts'
import { type CheckpointPlace, eventsUpTo } from './load-checkpoint.ts'
import { type RunOutline, type RunView, runOutline, runView } from './run-view.ts'

interface ViewDeps {
  readonly store: Pick<Store, 'hold' | 'holds' | 'journal' | 'keptFold' | 'run' | 'now' | 'workers' | 'tasks'>
  readonly liveness: Liveness
}

/** A thread's newest run with its open holds; `null` if none was started. */
export async function viewNow(deps: ViewDeps, thread: Thread): Promise<RunView | null> {
  const { holds, asked } = await holdsOf(deps, thread)
  return runView(await wholeThread(deps.store, thread), holds, asked)
}

/** The open holds of a thread's newest run, and its questions of before if it asks one. */
async function holdsOf(deps: ViewDeps, { run }: Thread): Promise<Readonly<Record<'holds' | 'asked', readonly Hold[]>>> {
  const { store } = deps
  const run_id = run?.id ?? ''
  const waits = run !== null && run.holds.size > 0
  const holds = waits ? await store.holds({ run_id, status: 'open' }) : []
  const asks = holds.some(({ kind }) => kind === 'question')
  const asked = asks ? await store.holds({ run_id, status: 'decided', kind: 'question' }) : []
  return { holds: holds.map(hold => asOfNow(deps, hold)), asked }
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
  const { row, stuck } = await rowOf(deps, runId)
  const followed = await folds?.thread(row.thread_id)
  const thread = followed?.run?.id === runId ? followed : threadAt(row, await deps.store.journal(row.thread_id))
  return { ...((await viewNow(deps, thread)) as RunView), stuck }
}

/** The same without messages. From a kept fold, a run with a long journal is read as fast as a short one. */
export async function outlineOf(deps: ViewDeps, runId: string, folds: Folds | null = null): Promise<RunOutline> {
  const { row, stuck } = await rowOf(deps, runId)
  const followed = await folds?.thread(row.thread_id)
  const thread = followed?.run?.id === runId ? followed : await lightThread(deps, row)
  const { holds, asked } = await holdsOf(deps, thread)
  return { ...(runOutline(thread, holds, asked) as RunOutline), stuck }
}

async function rowOf(deps: ViewDeps, runId: string): Promise<{ row: RunRow; stuck: StuckRun | null }> {
  const row = await deps.store.run(runId)
  if (!row) throw unknownRun(runId)
  return { row, stuck: (await stuckRuns(deps, [row])).get(runId) ?? null }
}

/** A kept fold has the newest run of its thread alone. */
async function lightThread({ store }: ViewDeps, row: RunRow): Promise<Thread> {
  const { thread, events } = await loadThread(store, row.thread_id)
  if (thread.run?.id === row.id) return thread
  return threadAt(row, events[0]?.seq === 1 ? events : await store.journal(row.thread_id))
}

/** The thread with the run as its newest. */
function threadAt({ id, thread_id }: RunRow, events: readonly JournalEvent[]): Thread {
  const end = events.findLastIndex(event => event.run_id === id) + 1
  return fold(thread_id, events.slice(0, end))
}
