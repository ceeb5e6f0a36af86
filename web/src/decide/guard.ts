/** How much of a card a person has seen. A key that is pressed too early is not meant for it. */
export interface Seen {
  /** Since it was drawn, in milliseconds. */
  readonly ageMs: number
  /** True once the end of the card was in view. */
  readonly endWasSeen: boolean
  /** True if the hold changed after the person opened it. */
  readonly hasChanged: boolean
  /** True if others can be decided on the same screen: a key would be ambiguous. Default: false. */
  readonly isOneOfSeveral?: boolean
}

/** A key that was meant for the card before is pressed within this time. */
export const YOUNG_MS = 300

/** A second click or key that was meant for the card before. */
const DOUBLE_MS = 500
let advancedAt = Number.NEGATIVE_INFINITY

/** Call it when the page opens the next card by itself. */
export function noteAdvance(): void {
  advancedAt = performance.now()
}

/** True while a click may still be meant for the card before. */
export function isJustAdvanced(): boolean {
  return performance.now() - advancedAt < DOUBLE_MS
}

export type KeyObjection = 'young' | 'unseen' | 'several'

export function objectionToKey({ ageMs, endWasSeen, isOneOfSeveral }: Omit<Seen, 'hasChanged'>): KeyObjection | null {
  if (isOneOfSeveral) return 'several'
  if (ageMs < YOUNG_MS) return 'young'
  return endWasSeen ? null : 'unseen'
}
