import { useEffect, useState } from 'react'
import type { ColourSpan } from './colour-span.ts'
import type { Language } from './language-of.ts'

/** A longer text stays without colours: they would cost more than they help. */
const MOST_UNITS = 200_000
const MOST_LINES = 2_000
/** In code units. Such a line was written by a program. */
const LONGEST_LINE = 2_000

export type Highlight = (text: string) => readonly ColourSpan[]

/**
 * What `colour` makes of a text with the highlighter of its language. `null` until then, and if it has no colours: the
 * text is in view before them, and nothing waits for them. `colour` must always be the same function.
 */
export function useColours<T>(
  text: string,
  language: Language | null,
  colour: (text: string, highlight: Highlight) => T,
): T | null {
  const [colours, setColours] = useState<T | null>(null)
  useEffect(() => {
    setColours(null)
    if (language === null || !isShort(text)) return
    let isShown = true
    void import('./highlight.ts').then(
      ({ highlight }) =>
        // After what the browser has to draw now.
        setTimeout(() => isShown && setColours(() => colour(text, part => highlight(part, language)))),
      // The server may have another version by now. The code is readable without colours.
      () => undefined,
    )
    return () => {
      isShown = false
    }
  }, [text, language, colour])
  return colours
}

function isShort(text: string): boolean {
  if (text.length > MOST_UNITS) return false
  const lines = text.split('\n')
  return lines.length <= MOST_LINES && lines.every(line => line.length <= LONGEST_LINE)
}
