import type { Run } from '../../core/journal/thread.ts'
import { runRefusals } from '../../core/refusals/run-refusals.ts'
import type { Profile } from '../../core/run/profile.ts'
import type { Runtime } from '../../ports/runtime.ts'
import { loadThread } from '../folds/load-thread.ts'

/** The profile of a thread's newest run. @throws RefusedError `unknown_run` */
export async function profileOf(runtime: Runtime, threadId: string): Promise<Profile> {
  return (await newestRun(runtime, threadId)).profile
}

/** @throws RefusedError `unknown_run` */
export async function newestRun(runtime: Runtime, threadId: string): Promise<Run> {
  const { run } = (await loadThread(runtime.store, threadId)).thread
  if (!run) throw runRefusals.unknownRun(threadId)
  return run
}
