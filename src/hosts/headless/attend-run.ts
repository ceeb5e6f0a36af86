import { setTimeout as delay } from 'node:timers/promises'
import type { Holdpoint } from '../../runtime/holdpoint.ts'
import type { AdvanceOptions, AdvanceResult } from '../../runtime/views/face-options.ts'

/** Nobody tells of a lease that runs out. */
const SAFETY_MS = 1000

/** Advances the run, or waits where another process does, until it rests or the signal is aborted. */
export async function attendRun(holdpoint: Holdpoint, runId: string, options: AdvanceOptions): Promise<AdvanceResult> {
  for (;;) {
    const result = await holdpoint.advance(runId, options)
    if (result.status !== 'busy') return result
    if (options.signal?.aborted) return holdpoint.run(runId)
    await nextChange(holdpoint, options.signal)
  }
}

async function nextChange(holdpoint: Holdpoint, signal: AbortSignal | undefined): Promise<void> {
  const awake = new AbortController()
  const wake = () => awake.abort()
  using _ = holdpoint.watch(wake)
  const until = signal ? AbortSignal.any([awake.signal, signal]) : awake.signal
  await delay(SAFETY_MS, undefined, { signal: until }).catch(() => {})
}
