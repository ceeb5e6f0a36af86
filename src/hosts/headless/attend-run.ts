import { eachChange } from '../../async/each-change.ts'
import type { Holdpoint } from '../../runtime/face/holdpoint.ts'
import type { Runs } from '../../runtime/face/runs.ts'
import type { AdvanceOptions, AdvanceResult } from '../../runtime/views/face-options.ts'
import { systemClock } from '../process/system-clock.ts'

/** Advances the run, or waits while another process does, until it rests or the signal is aborted. */
export async function attendRun(
  holdpoint: Runs & Pick<Holdpoint, 'watch'>,
  runId: string,
  options: AdvanceOptions,
): Promise<AdvanceResult> {
  const { signal } = options
  const first = await holdpoint.advance(runId, options)
  if (first.status !== 'busy') return first
  const watches = [(onChange: () => void) => holdpoint.watch(onChange)]
  for await (const _ of eachChange({ clock: systemClock, watches, signal })) {
    if (signal?.aborted) break
    const result = await holdpoint.advance(runId, options)
    if (result.status !== 'busy') return result
  }
  return holdpoint.run(runId)
}
