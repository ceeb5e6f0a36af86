import type { Problem } from './problem.ts'

export interface RateLimit {
  /** So many at once, and so many more each second. */
  readonly perSecond: number
  /** The sender whose requests are counted, in words. Default: one caller. */
  readonly of?: string
  /** Milliseconds since any fixed time. */
  readonly now: () => number
}

interface Named {
  readonly name: string
}

interface Bucket {
  left: number
  at: number
}

/** A token bucket for each caller. Callers that come no more are forgotten. */
export function requestRate({ perSecond, of = 'caller', now }: RateLimit): (caller: Named) => Problem | null {
  const buckets = new Map<string, Bucket>()
  return ({ name }) => {
    const at = now()
    const bucket = buckets.get(name) ?? { left: perSecond, at }
    // A clock that is set back takes nothing away.
    const passed = Math.max(0, at - bucket.at)
    bucket.left = Math.min(perSecond, bucket.left + (passed / 1000) * perSecond)
    bucket.at = at
    if (buckets.size > MOST_CALLERS) buckets.clear()
    buckets.set(name, bucket)
    if (bucket.left < 1) return tooFast(of, perSecond)
    bucket.left -= 1
    return null
  }
}

const MOST_CALLERS = 10_000

function tooFast(of: string, perSecond: number): Problem {
  return {
    status: 429,
    code: 'too_many_requests',
    detail: `One ${of} may send ${perSecond} requests a second.`,
    hint: 'Send it again after a second.',
    headers: { 'retry-after': '1' },
  }
}
