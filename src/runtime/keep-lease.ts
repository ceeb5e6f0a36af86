import type { Lease } from '../ports/store.ts'
import type { Runtime } from './runtime.ts'

/** Renews a lease while its run is worked on. Its signal is aborted by `signal`, and when the lease is lost (P7). */
export function keepLease(
  runtime: Runtime,
  lease: Lease,
  ttlMs: number,
  signal: AbortSignal,
): Disposable & { signal: AbortSignal } {
  const lost = new AbortController()
  const timer = setInterval(() => {
    // A renewal that failed is tried again; a lease that is lost shows at the next write as well.
    runtime.store.renew(lease, ttlMs).catch((thrown: unknown) => {
      if (isLost(thrown)) lost.abort(thrown)
    })
  }, ttlMs / 3)
  timer.unref()
  return { signal: AbortSignal.any([signal, lost.signal]), [Symbol.dispose]: () => clearInterval(timer) }
}

function isLost(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === 'lease_lost'
}
