/** A key, or a character, as a person pressed it. */
export interface Key {
  readonly kind: 'key'
  /** `left`, `return`, `tab` and the like; a printed character is `text`, and with ctrl or meta its letter. */
  readonly name: string
  /** The character; empty for a key that prints none. */
  readonly text: string
  readonly ctrl: boolean
  readonly meta: boolean
  readonly shift: boolean
  /** It was the only one that came at once from the terminal. */
  readonly isAlone: boolean
  /** The same key as the one before, sooner than a finger does it: the key is held down. */
  readonly isRepeat: boolean
  /** The number of the read that brought it, and when that was, in milliseconds. */
  readonly read: number
  readonly at: number
}

/** Text between the marks of a bracketed paste: never a key, even if it reads like one. */
export interface Paste {
  readonly kind: 'paste'
  readonly text: string
  readonly read: number
  readonly at: number
}

export type Input = Key | Paste
