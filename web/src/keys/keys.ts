/** Which key does what: what the page listens to, and the help that `?` shows. */
export type Verb =
  | 'next'
  | 'previous'
  | 'open'
  | 'back'
  | 'approve'
  | 'reject'
  | 'edit'
  | 'answer'
  | 'always'
  | 'assign'
  | 'select'
  | 'hold'
  | 'new'
  | 'filter'
  | 'sibling-before'
  | 'sibling-after'
  | 'help'

export interface KeyRow {
  /** A value of `KeyboardEvent.key`. */
  readonly key: string
  readonly verb: Verb
  /** The text in the help. */
  readonly does: string
  /**
   * True if the key begins or gives a decision: then a key that is held down does nothing, and neither does one before
   * the card was read.
   */
  readonly decides?: true
}

export const KEYS: readonly KeyRow[] = [
  { key: 'j', verb: 'next', does: 'the next one' },
  { key: 'k', verb: 'previous', does: 'the one before' },
  { key: 'Enter', verb: 'open', does: 'open' },
  { key: 'Escape', verb: 'back', does: 'back to the list' },
  { key: 'a', verb: 'approve', does: 'approve', decides: true },
  { key: 'r', verb: 'reject', does: 'reject, with a reason', decides: true },
  { key: 'e', verb: 'edit', does: 'change the arguments', decides: true },
  { key: 'g', verb: 'answer', does: 'answer', decides: true },
  { key: 'A', verb: 'always', does: 'always allow', decides: true },
  { key: 's', verb: 'assign', does: 'ask another person' },
  { key: 'x', verb: 'select', does: 'select' },
  { key: 'h', verb: 'hold', does: 'what an agent asks' },
  { key: 'n', verb: 'new', does: 'start an agent' },
  { key: '/', verb: 'filter', does: 'filter the list' },
  { key: '[', verb: 'sibling-before', does: 'the hold before, of the same answer of the agent' },
  { key: ']', verb: 'sibling-after', does: 'the hold behind, of the same answer of the agent' },
  { key: '?', verb: 'help', does: 'this help' },
]

export interface Pressed {
  readonly key: string
  readonly isHeld: boolean
  /** With a key that makes it one of the browser or the system, or while a word is composed. */
  readonly isOthers: boolean
  /** True if the focus is on an element that takes keys itself. */
  readonly isInField: boolean
  /** A button or a link has the focus: `Enter` is its. */
  readonly isOnControl: boolean
}

/** The meaning of a key in this place; `null` if the page does not use it. */
export function rowOf({ key, isHeld, isOthers, isInField, isOnControl }: Pressed): KeyRow | null {
  if (isOthers || isInField || (key === 'Enter' && isOnControl)) return null
  const row = KEYS.find(each => each.key === key) ?? null
  return row?.decides && isHeld ? null : row
}
