import { charactersOf, fitInto, textWidth } from '../../../core/text/text-width.ts'
import type { Paint, Style } from '../../display/screen.ts'

/** The lines of a text, broken between words. A word that is wider than a line is broken anywhere. */
export function flowed(spans: Line, width: number, indent = ''): Line[] {
  const room = Math.max(1, width)
  if (textWidth(lineText(spans)) <= room) return [spans]
  const rows = new Rows(room, indent)
  for (const piece of spans.flatMap(wordsOf)) rows.put(piece)
  return rows.all
}

class Rows {
  readonly all: Span[][] = [[]]
  readonly #room: number
  readonly #indent: string
  #used = 0
  /** Columns of the row that are no words. */
  #start = 0

  constructor(room: number, indent: string) {
    this.#room = room
    this.#indent = textWidth(indent) < room ? indent : ''
  }

  put(piece: Span): void {
    const wide = textWidth(piece.text)
    const isBlank = piece.text.trim() === ''
    const fits = this.#used + wide <= this.#room
    // Blanks at which a line is broken are gone.
    if (isBlank && (!fits || (this.all.length > 1 && this.#used === this.#start))) return
    if (!fits && this.#used > this.#start) this.#next()
    const [first = '', ...more] = chopped(piece.text, this.#room - this.#start)
    this.#add(first, piece)
    for (const rest of more) {
      this.#next()
      this.#add(rest, piece)
    }
  }

  #add(text: string, { style }: Span): void {
    this.all.at(-1)?.push({ text, style })
    this.#used += textWidth(text)
  }

  #next(): void {
    this.all.push(this.#indent === '' ? [] : [{ text: this.#indent, style: null }])
    this.#start = textWidth(this.#indent)
    this.#used = this.#start
  }
}

/** Cuts the line to so many columns. */
export function cutTo(spans: Line, columns: number): Line {
  let left = columns
  return spans.map(({ text, style }) => {
    const fits = fitInto(text, Math.max(0, left))
    left -= textWidth(fits)
    return { text: fits, style }
  })
}

/** Text in rows that are exactly as wide as there is room: for arguments, of which every blank counts. */
export function chopped(text: string, width: number): string[] {
  const room = Math.max(2, width)
  if (textWidth(text) <= room) return [text]
  const isPlain = text.length === textWidth(text)
  if (isPlain)
    return Array.from({ length: Math.ceil(text.length / room) }, (_, at) => text.slice(at * room, (at + 1) * room))
  const rows = ['']
  let used = 0
  for (const character of charactersOf(text)) {
    const wide = textWidth(character)
    if (used + wide > room) {
      rows.push('')
      used = 0
    }
    rows[rows.length - 1] += character
    used += wide
  }
  return rows
}

function wordsOf({ text, style }: Span): Span[] {
  return (text.match(/\s+|\S+/g) ?? []).map(word => ({ text: word, style }))
}

/** A piece of a line in one style. Its text is visible already. */
export interface Span {
  readonly text: string
  readonly style: Style | null
}

/** A line of the screen: it is cut while it has no colours yet. */
export type Line = readonly Span[]

export function line(text: string, style: Style | null = null): Line {
  return [{ text, style }]
}

export function lineText(spans: Line): string {
  return spans.map(({ text }) => text).join('')
}

export function painted(spans: Line, paint: Paint): string {
  return spans.map(({ text, style }) => (style === null || text === '' ? text : paint(style, text))).join('')
}
