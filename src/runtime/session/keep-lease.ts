import type { Runtime } from '../../ports/runtime.ts'
import type { Lease } from '../../ports/store/runs.ts'

/** How long an owner may be silent before others take over, in milliseconds. */
export const LEASE_MS = 30_000

export interface KeptLease extends Disposable {
  /** Aborted by the signal that it was made with, and when the lease is lost. */
  readonly signal: AbortSignal
  /**
   * P7: call it before an effect. An owner may have slept until its lease expired, so it makes sure that no other took
   * over. @throws LeaseLostError
   */
  assure(): Promise<void>
}

/** Renews a lease while its run is worked on. */
export function keepLease(runtime: Runtime, lease: Lease, ttlMs: number, signal: AbortSignal): KeptLease {
  const lost = new AbortController()
  let until = Date.parse(lease.until)
  const renew = async () => {
    until = Date.parse((await runtime.store.renew(lease, ttlMs)).until)
  }
  const timer = setInterval(() => {
    // A renewal that failed is tried again; a lease that is lost shows at the next write as well.
    renew().catch((thrown: unknown) => {
      if (isLost(thrown)) lost.abort(thrown)
    })
  }, ttlMs / 3)
  timer.unref()
  return {
    signal: AbortSignal.any([signal, lost.signal]),
    assure: async () => {
      if (runtime.clock.now() >= until) await renew()
    },
    [Symbol.dispose]: () => clearInterval(timer),
  }
}

function isLost(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === 'lease_lost'
}
