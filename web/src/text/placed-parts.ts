import { lookAlikeParts } from '../../../src/core/hold-view/blocks/look-alikes.ts'
import { type SourcedPart, visibleParts } from '../../../src/core/text/visible-text.ts'
import type { Look } from './colours/looks-of.ts'

export const NO_LOOKS: readonly Look[] = []

/** A piece of a text as it is drawn. */
export interface PlacedPart {
  /** The place in the text, in code units. */
  readonly at: number
  readonly text: string
  /** P9: why it is set apart, whatever else it would look like. */
  readonly mark: 'hidden' | 'alike' | null
  readonly look: string | null
}

/** The pieces of a text, in order: marks first, and the looks in what is left. */
export function placedParts(text: string, looks: readonly Look[]): readonly PlacedPart[] {
  let at = 0
  const parts = visibleParts(text)
  // Too many marks are one text with them: the places of looks are others there.
  const isExact = parts.every(part => part.isMark || part.text === part.source)
  return parts.flatMap(markedPieces).flatMap(({ text: piece, source, mark }) => {
    const place = at
    at += source.length
    return mark === null
      ? withLooks(piece, place, isExact ? looks : NO_LOOKS)
      : [{ at: place, text: piece, mark, look: null }]
  })
}

interface MarkedPiece extends Pick<PlacedPart, 'text' | 'mark'> {
  readonly source: string
}

function markedPieces({ text, source, isMark }: SourcedPart): readonly MarkedPiece[] {
  if (isMark) return [{ text, source, mark: 'hidden' }]
  return lookAlikeParts(text).map(part => ({
    text: part.text,
    source: part.text,
    mark: part.isMark ? 'alike' : null,
  }))
}

function withLooks(text: string, at: number, looks: readonly Look[]): readonly PlacedPart[] {
  const parts: PlacedPart[] = []
  let done = 0
  const add = (to: number, look: string | null) => {
    if (to > done) parts.push({ at: at + done, text: text.slice(done, to), mark: null, look })
    done = Math.max(done, to)
  }
  for (const { from, to, className } of looks) {
    if (to <= at || from >= at + text.length) continue
    add(from - at, null)
    add(Math.min(to - at, text.length), className)
  }
  add(text.length, null)
  return parts
}
