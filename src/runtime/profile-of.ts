import { RefusedError } from '../core/errors.ts'
import { fold } from '../core/fold.ts'
import type { Profile } from '../core/profile.ts'
import type { Run } from '../core/thread.ts'
import type { Runtime } from './runtime.ts'

/** What the newest run of a thread goes by. @throws RefusedError `unknown_run` */
export async function profileOf(runtime: Runtime, threadId: string): Promise<Profile> {
  return (await newestRun(runtime, threadId)).profile
}

/** @throws RefusedError `unknown_run` */
export async function newestRun(runtime: Runtime, threadId: string): Promise<Run> {
  const { run } = fold(threadId, await runtime.store.journal(threadId))
  if (!run) throw new RefusedError('unknown_run', `No run was ever started on thread ${threadId}.`)
  return run
}
