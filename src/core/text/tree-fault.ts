import { messageOf } from '../errors.ts'

/** Deeper than people nest on purpose, and far from the depth at which recursion fails. */
const DEEPEST = 100

/**
 * Why JSON cannot write a value that a parser made, in words that continue "it"; `null` if it can. YAML names a value
 * once and repeats it anywhere, also within itself.
 */
export function treeFault(value: unknown): string | null {
  const heights = new Map<object, number>()
  const around = new Set<object>()
  try {
    return heightOf(value, { heights, around }) > DEEPEST ? TOO_DEEP : null
  } catch (thrown) {
    if (thrown instanceof Fault) return thrown.message
    throw thrown
  }
}

/** True if a parser gave up because its text nests too deeply. */
export function isTooDeepToParse(thrown: unknown): boolean {
  return messageOf(thrown).includes('call stack size exceeded')
}

const TOO_DEEP = `is nested more than ${DEEPEST} levels deep`

class Fault extends Error {}

interface Visited {
  /** Levels below each value that was seen in full. */
  readonly heights: Map<object, number>
  /** The values that the present one is in. */
  readonly around: Set<object>
}

function heightOf(value: unknown, visited: Visited): number {
  const { heights, around } = visited
  if (typeof value !== 'object' || value === null) return 0
  if (around.has(value)) throw new Fault('refers to itself')
  if (around.size > DEEPEST) throw new Fault(TOO_DEEP)
  const known = heights.get(value)
  if (known !== undefined) return known
  around.add(value)
  const height = 1 + Object.values(value).reduce<number>((most, inner) => Math.max(most, heightOf(inner, visited)), 0)
  around.delete(value)
  heights.set(value, height)
  return height
}
