import { JOINERS } from './joiners.ts'
import type { Json } from './json.ts'

const HIDDEN = String.raw`[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]`

/**
 * Characters that a terminal would obey or hide: controls, format characters (bidi, zero width, tags), characters that
 * fonts leave out, and every blank that is not a space. Made when it is used: such classes take a millisecond to read.
 */
const hidden = madeOnce('[ ]')
const hiddenButLayout = madeOnce(String.raw`[ \n\t]`)

function madeOnce(shown: string): () => RegExp {
  let made: RegExp | null = null
  return () => {
    made ??= new RegExp(`(?!${[shown, ...JOINERS].join('|')})${HIDDEN}`, 'gu')
    return made
  }
}

/** P9: text as it is, with each character that could hide something written as `\u{…}`. */
export function visibleText(text: string): string {
  return text.replaceAll(hiddenButLayout(), escaped)
}

/** Escapes like `visibleText` for one line: line breaks and tabs are shown too. */
export function visibleLine(text: string): string {
  return text.replaceAll(hidden(), escaped)
}

/**
 * The prose of a model for a terminal: as `visibleText`, but emoji keep the two invisible characters that join them and
 * colour them.
 */
export function visibleProse(text: string): string {
  return text.replaceAll(hiddenButLayout(), character => (EMOJI_PARTS.has(character) ? character : escaped(character)))
}

const EMOJI_PARTS: ReadonlySet<string> = new Set(['\u200d', '\ufe0f'])

/** JSON over several lines that hides nothing and still is the same JSON: such characters are written as `\\uXXXX`. */
export function visibleJson(value: Json): string {
  return escapedAsJson(JSON.stringify(value, null, 2))
}

/**
 * Escapes each character of a JSON text that could hide something as `\\uXXXX`; the value is the same, and line breaks
 * between values stay.
 */
export function escapedAsJson(json: string): string {
  return json.replaceAll(hiddenButLayout(), character =>
    [...Array(character.length).keys()]
      .map(index => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}

function escaped(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`
}

/** A piece of a text, or hidden characters in a row, written as `\u{…}`. */
export interface VisiblePart {
  readonly text: string
  readonly isMark: boolean
}

/** The limit of separate marks: with more, the whole is one text. */
const MOST_MARKS = 2_000

/** With the piece as it was. */
export interface SourcedPart extends VisiblePart {
  readonly source: string
}

/** `visibleText` in pieces, for a surface that sets marks apart from text that only looks like one. */
export function visibleParts(text: string): readonly SourcedPart[] {
  const parts: SourcedPart[] = []
  const add = (source: string) => parts.push({ text: source, source, isMark: false })
  let end = 0
  for (const { index, 0: marks } of text.matchAll(hiddenInRow())) {
    if (parts.length > MOST_MARKS) return [{ text: visibleText(text), source: text, isMark: false }]
    if (index > end) add(text.slice(end, index))
    parts.push({ text: visibleText(marks), source: marks, isMark: true })
    end = index + marks.length
  }
  if (end < text.length) add(text.slice(end))
  return parts
}

const hiddenInRow = () => new RegExp(`(?:${hiddenButLayout().source})+`, 'gu')

/** A document on one line, with its end. Programs read the same JSON, and a terminal obeys and hides none of it. */
export function jsonLine(document: unknown): string {
  return `${escapedAsJson(JSON.stringify(document))}\n`
}
