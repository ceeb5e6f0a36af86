/** How much of a card a person has had before them. A key that comes too early is not meant for it. */
export interface Seen {
  /** Since it was drawn, in milliseconds. */
  readonly ageMs: number
  /** Its end has been in view. */
  readonly endWasSeen: boolean
  /** It is not what it was when the person opened it. */
  readonly hasChanged: boolean
  /** Others can be decided beside it: no key can tell which one is meant. Default: false. */
  readonly isOneOfSeveral?: boolean
}

/** A key that was meant for the card before is pressed within this time. */
export const YOUNG_MS = 300

export type KeyObjection = 'young' | 'unseen' | 'several'

export function objectionToKey({ ageMs, endWasSeen, isOneOfSeveral }: Omit<Seen, 'hasChanged'>): KeyObjection | null {
  if (isOneOfSeveral) return 'several'
  if (ageMs < YOUNG_MS) return 'young'
  return endWasSeen ? null : 'unseen'
}
