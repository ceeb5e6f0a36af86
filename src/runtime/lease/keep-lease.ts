import type { Clock } from '../../ports/clock.ts'
import type { Runtime } from '../../ports/runtime.ts'
import type { Lease } from '../../ports/store/runs.ts'
import { untilWritten } from './until-written.ts'

/** How long an owner elsewhere may be silent before others take over, in milliseconds of their steady clocks. */
export const LEASE_MS = 30_000

export interface KeptLease extends Disposable {
  /** Aborted by the signal that it was made with, and when the lease is lost. */
  readonly signal: AbortSignal
  /**
   * P7: call it before an effect. An owner may have slept for as long as a lease, so it makes sure that no other took over.
   * @throws LeaseLostError
   */
  assure(): Promise<void>
}

/** Renews a lease while its run is worked on. */
export function keepLease(runtime: Runtime, lease: Lease, ttlMs: number, signal: AbortSignal): KeptLease {
  const lost = new AbortController()
  const { store, clock } = runtime
  let renewed = readClocks(clock)
  const renew = async () => {
    const began = readClocks(clock)
    await store.renew(lease, ttlMs)
    renewed = began
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
      if (elapsedSince(renewed, clock) >= ttlMs) await untilWritten(renew, { clock, signal, forMs: ttlMs })
    },
    [Symbol.dispose]: () => clearInterval(timer),
  }
}

interface Reading {
  readonly steady: number
  readonly wall: number
}

function readClocks(clock: Clock): Reading {
  return { steady: clock.steady(), wall: clock.now() }
}

/** The longer of the two times: a steady clock may stop while a machine sleeps, and one extra question does no harm. */
function elapsedSince({ steady, wall }: Reading, clock: Clock): number {
  return Math.max(clock.steady() - steady, Math.abs(clock.now() - wall))
}

function isLost(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === 'lease_lost'
}
