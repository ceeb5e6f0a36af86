import type { RunView } from '../../../runtime/views/run-view.ts'
import type { Running } from '../offer/offer.ts'

export interface RestWait {
  /** So long at most. */
  readonly seconds: number
  readonly signal: AbortSignal
  /** Told of each event of the run: one line for people. */
  readonly onProgress: (message: string) => void
}

/** The run once it waits or is done; as it is then, if that takes too long or no caller waits any more. */
export async function restedRun({ holdpoint }: Running, runId: string, wait: RestWait): Promise<RunView> {
  const { thread_id } = await holdpoint.run(runId)
  // Read before the row: a rest that comes after it is an event behind it.
  const since = await holdpoint.newestSeq(thread_id)
  const rests = async () => (await holdpoint.runs({ run_id: runId }))[0]?.status !== 'running'
  const signal = AbortSignal.any([wait.signal, AbortSignal.timeout(wait.seconds * 1000)])
  if (wait.seconds === 0 || (await rests())) return holdpoint.run(runId)
  for await (const event of holdpoint.follow(thread_id, { since, signal })) {
    if ('ephemeral' in event) continue
    wait.onProgress(event.kind)
    if (await rests()) break
  }
  return holdpoint.run(runId)
}
