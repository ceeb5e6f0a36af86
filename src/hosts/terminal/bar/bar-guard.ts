/**
 * When a key at the bar may decide. Pure, so that its rules are tested with properties. P1: no key that was meant for
 * something else decides; P9: a decision is for what stood there when the key was read.
 */
import type { Key } from '../keys/decode-keys.ts'

/** So long after a change of what the bar shows no key decides: it may have been meant for what stood there before. */
export const SETTLE_MS = 300

export interface BarFacts {
  /** The read whose key went to the bar. */
  readonly focusedIn: number
  /** When the bar last showed something else than before, in milliseconds. */
  readonly changedAt: number
  /** The hold that was drawn, and the one that waits now: hold, digest and level in one text. */
  readonly drawn: string | null
  readonly waits: string | null
  /** All of it was on the screen. */
  readonly isSeen: boolean
  /** A word that has to be typed; `null` if none. */
  readonly word: string | null
}

export type Guarded =
  | { readonly may: 'decide' }
  /** The rest must be seen first. */
  | { readonly may: 'scroll' }
  /** The word has to be typed first. */
  | { readonly may: 'spell' }
  | { readonly may: 'nothing'; readonly because: string }

type GuardedKey = Pick<Key, 'read' | 'at' | 'isAlone' | 'isRepeat'>

const RULES: readonly ((key: GuardedKey, bar: BarFacts) => string | null)[] = [
  (_, { drawn }) => (drawn === null ? 'nothing is shown to decide about' : null),
  ({ isAlone }) => (isAlone ? null : 'several keys came at once'),
  ({ read }, { focusedIn }) => (read === focusedIn ? 'it came together with the key before it' : null),
  ({ isRepeat }) => (isRepeat ? 'the key was held down' : null),
  ({ at }, { changedAt }) => (at - changedAt < SETTLE_MS ? 'what is shown had just changed' : null),
  (_, { drawn, waits }) => (drawn === waits ? null : 'something else waits now'),
]

/** A key that lets something run. */
export function guardApproval(key: GuardedKey, bar: BarFacts): Guarded {
  const because = refusal(key, bar)
  if (because !== null) return { may: 'nothing', because }
  if (!bar.isSeen) return { may: 'scroll' }
  return { may: bar.word === null ? 'decide' : 'spell' }
}

/** A key that refuses it, or only leads on to a line of text: what was not seen whole may be refused. */
export function guardRefusal(key: GuardedKey, bar: BarFacts): Guarded {
  const because = refusal(key, bar)
  return because === null ? { may: 'decide' } : { may: 'nothing', because }
}

function refusal(key: GuardedKey, bar: BarFacts): string | null {
  for (const rule of RULES) {
    const because = rule(key, bar)
    if (because !== null) return because
  }
  return null
}
