import { RefusedError } from '../../core/errors.ts'
import { fold } from '../../core/journal/fold.ts'
import type { Run } from '../../core/journal/thread.ts'
import type { Profile } from '../../core/run/profile.ts'
import type { Runtime } from '../../ports/runtime.ts'

/** The profile of a thread's newest run. @throws RefusedError `unknown_run` */
export async function profileOf(runtime: Runtime, threadId: string): Promise<Profile> {
  return (await newestRun(runtime, threadId)).profile
}

/** @throws RefusedError `unknown_run` */
export async function newestRun(runtime: Runtime, threadId: string): Promise<Run> {
  const { run } = fold(threadId, await runtime.store.journal(threadId))
  if (!run) throw new RefusedError('unknown_run', `No run was ever started on thread ${threadId}.`)
  return run
}
