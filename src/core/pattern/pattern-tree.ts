/** A regular expression as a tree. A character is a code point, as with the flag u. */
export type PatternTree =
  | { readonly kind: 'one'; readonly fits: (character: string) => boolean }
  | { readonly kind: 'place'; readonly holds: Place }
  | { readonly kind: 'all'; readonly parts: readonly PatternTree[] }
  | { readonly kind: 'any'; readonly choices: readonly PatternTree[] }
  /** `max`: `null` for no end. */
  | { readonly kind: 'repeat'; readonly part: PatternTree; readonly min: number; readonly max: number | null }

/** Whether the expression holds between two characters; `null` is the end of the text. */
export type Place = (before: string | null, after: string | null) => boolean
