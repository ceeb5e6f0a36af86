import type { Json } from './json.ts'

/**
 * The two joiners, U+200C and U+200D, where writing uses them: there they change how their neighbours look, so they hide
 * nothing. The rules are those of Unicode's UAX #31 (A1, A2, B), and one for emoji. Patterns of regular expressions.
 */
const ARABIC = String.raw`\u0620\u0622-\u063f\u0641-\u064a\u066e-\u0673\u0675-\u06d3\u06fa-\u06ff\u0750-\u077f`
/** Letters that do not join to the next one. */
const ENDS_A_STROKE = String.raw`\u0621-\u0625\u0627\u0629\u062f-\u0632\u0648\u0671-\u0677\u0688-\u0699\u06c0\u06c3-\u06cb\u06cd\u06cf\u06d2\u06d3\u06ee\u06ef`
const INDIC = String.raw`\u0900-\u0dff`
const VIRAMA = String.raw`[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca]`
const PICTURE = String.raw`(?=[\u2190-\u{1faff}])\p{Extended_Pictographic}`

const JOINERS: readonly string[] = [
  // Persian: keeps two letters apart that would join.
  String.raw`\u200c(?<=(?![${ENDS_A_STROKE}])[${ARABIC}]\p{Mn}{0,4}\u200c)(?=[${ARABIC}])`,
  // Hindi and its relatives: half of a letter, or a whole one beside its sign.
  String.raw`\u200c(?<=[${INDIC}]${VIRAMA}\u200c)(?=[${INDIC}])`,
  String.raw`\u200d(?<=[${INDIC}]${VIRAMA}\u200d)(?![\u200c\u200d])`,
  String.raw`\u200d(?<=[\u0980-\u09ff]\u200d)(?=\u09cd)`,
  // Several pictures as one.
  String.raw`\u200d(?<=${PICTURE}[\ufe0f\p{Emoji_Modifier}]?\u200d)(?=${PICTURE})`,
  // A sign that is a letter or a picture, as a picture.
  String.raw`\ufe0f(?<=(?!\p{Emoji_Presentation})${PICTURE}\ufe0f)`,
]

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
