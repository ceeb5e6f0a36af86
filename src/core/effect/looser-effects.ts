/** Compares two sets of rules on effects as they are written. */
import { type EffectRules, NO_EFFECT_RULES } from './effect-rules.ts'

/**
 * True if `after` may let an effect pass that `before` asks about or refuses: false is certain, and true includes each
 * uncertain case (P1).
 */
export function mayLetMoreHappen(before: EffectRules | undefined, after: EffectRules | undefined): boolean {
  // With rules, commands that cannot be read run in a box, where they are asked about without them.
  if (before === undefined) return after !== undefined
  const is = after ?? NO_EFFECT_RULES
  return (
    !coversNoMore(is.write, before.write) ||
    !coversNoMore(is.delete, before.delete) ||
    !coversNoMore(before.never, is.never) ||
    !reachesNoMore(is.hosts, before.hosts) ||
    (is.git === 'commit' && before.git !== 'commit') ||
    (is.drift === 'rerun' && before.drift !== 'rerun')
  )
}

/** The last pattern decides on a path, so taking one away or adding one with `!` at any place covers less. */
function coversNoMore(narrow: readonly string[], wide: readonly string[]): boolean {
  let at = 0
  for (const pattern of narrow) {
    const next = wide.findIndex((each, index) => index >= at && (each === pattern || isOut(each)))
    const isSame = next !== -1 && wide[next] === pattern
    if (isSame) at = next + 1
    else if (!isOut(pattern)) return false
  }
  return !wide.slice(at).some(isOut)
}

/** A rule with `!` wins over each other one, so their order does not count. */
function reachesNoMore(narrow: readonly string[], wide: readonly string[]): boolean {
  return (
    narrow.every(rule => isOut(rule) || wide.includes(rule)) &&
    wide.every(rule => !isOut(rule) || narrow.includes(rule))
  )
}

function isOut(pattern: string): boolean {
  return pattern.startsWith('!')
}
