import type { Amount } from '../count.ts'
import { signatureOf } from './repetition.ts'
import type { ToolCall } from './tool-call.ts'

/** The number of refusals of the same call in a row after which a person looks at it, or the run ends. */
export const ENOUGH_REFUSALS = 3

/** How often each call was refused since the model last did something that worked. By call and by code of the refusal. */
export type Refusals = Readonly<Record<string, Amount>>

/** The number of remembered calls. A model that insists repeats itself long before. */
const MOST_CALLS = 64

type Refused = Pick<ToolCall, 'name' | 'arguments'>

/**
 * Counts the calls of a finished step. The same call several times in one step is one refusal: the model had not seen
 * the first. Once a person has decided about a call, its count begins with that decision.
 */
export function countRefusals(before: Refusals, calls: readonly ToolCall[], decided: ReadonlySet<string>): Refusals {
  const works = calls.some(({ status, error }) => status === 'succeeded' && error === null)
  const counts = new Map(works ? [] : Object.entries(before))
  const refused = calls.flatMap(call => {
    const { error, status, attempt } = call
    if (status !== 'failed' || attempt > 0 || error === null) return []
    return [{ key: keyOf(call, error.code), isDecided: decided.has(call.id) }]
  })
  for (const [key, same] of Map.groupBy(refused, each => each.key)) {
    const times = same.some(({ isDecided }) => isDecided) ? 0 : (counts.get(key) ?? 0)
    // The newest one is the last to be forgotten.
    counts.delete(key)
    counts.set(key, times + 1)
  }
  return Object.fromEntries([...counts].slice(-MOST_CALLS))
}

/** How often this call was refused like this, in a row. */
export function timesRefused(refusals: Refusals, call: Refused, code: string): number {
  const key = keyOf(call, code)
  return Object.hasOwn(refusals, key) ? (refusals[key] ?? 0) : 0
}

function keyOf(call: Refused, code: string): string {
  return `${code} ${signatureOf(call)}`
}
