import type { Colour, ColourSpan } from './colour-span.ts'

/** How a place of a text looks. It never changes what the text is. */
export interface Look {
  /** In code units. */
  readonly from: number
  readonly to: number
  readonly className: string
}

const CLASSES: Readonly<Record<Colour, string>> = {
  keyword: 'text-code-keyword',
  string: 'text-code-string',
  number: 'text-code-number',
  comment: 'text-code-comment',
  name: 'text-code-name',
}

/** Colours as looks of a text, with those that win over them: `above`, in order. */
export function looksOf(colours: readonly ColourSpan[], above: readonly Look[] = []): readonly Look[] {
  const below = colours.flatMap(({ from, to, colour }) => {
    const pieces: Look[] = []
    let start = from
    for (const look of above) {
      if (look.from > start) pieces.push({ from: start, to: Math.min(to, look.from), className: CLASSES[colour] })
      start = Math.max(start, look.to)
    }
    return [...pieces, { from: start, to, className: CLASSES[colour] }].filter(piece => piece.from < piece.to)
  })
  return [...below, ...above].toSorted((one, other) => one.from - other.from)
}
