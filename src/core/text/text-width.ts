/** Characters that take two columns of a terminal: the wide and fullwidth ones of Unicode's EastAsianWidth.txt, whole blocks at a time. */
const WIDE =
  /[\u1100-\u115f\u2329\u232a\u2630-\u2637\u268a-\u268f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{191ff}\u{1aff0}-\u{1b2ff}\u{1d300}-\u{1d37f}\u{1f1ae}\u{1f200}-\u{1f2ff}\u{1f6d9}\u{1f7da}\u{1fa70}-\u{1faff}\u{20000}-\u{3fffd}]/u
/** A picture of two columns, however many code points it is made of. */
const EMOJI = /\p{Emoji_Presentation}|\ufe0f|\u20e3/u
const NO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]*$/u
const UNSEEN = /[\p{Mn}\p{Me}\p{Cf}]/gu
/**
 * Characters with a column of their own after the first one of their cluster: signs of Indic vowels, Hangul that begins
 * a syllable, a halfwidth voice mark.
 */
const SPACING = /\p{Mc}|[\u1100-\u115f\ua960-\ua97f\uac00-\ud7a3\uff01-\uffef]/u
/** ASCII, Latin letters, and the dashes, quotes, arrows, lines and boxes of which no emoji is. */
const NARROW = /^[ -~\u00a1-\u00a8\u00aa-\u00ac\u00af-\u024f\u2010-\u2027\u2030-\u203a\u2190-\u2193\u2500-\u259f]*$/

let segmenter: Intl.Segmenter | null = null

/**
 * Splits text into characters as people count them. The segmenter is loaded late: that takes half as long as the start
 * of Node.
 */
function graphemes(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  return segmenter.segment(text)
}

/** The columns that a line takes in a terminal. It has no escape sequences in it. */
export function textWidth(line: string): number {
  if (NARROW.test(line)) return line.length
  let width = 0
  for (const { segment } of graphemes(line)) width += widthOf(segment)
  return width
}

/** The beginning of a line that fits into so many columns. */
export function fitInto(line: string, columns: number): string {
  if (textWidth(line) <= columns) return line
  let [fitting, width] = ['', 0]
  for (const { segment } of graphemes(line)) {
    width += widthOf(segment)
    if (width > columns) break
    fitting += segment
  }
  return fitting
}

/** Cuts a line to so many columns, with `…` in place of the rest. */
export function shortened(line: string, columns: number): string {
  return textWidth(line) <= columns ? line : `${fitInto(line, Math.max(0, columns - 1))}…`
}

/** A line followed by spaces, up to so many columns. */
export function padded(line: string, columns: number): string {
  return `${line}${' '.repeat(Math.max(0, columns - textWidth(line)))}`
}

/** The characters of a line as people count them: an emoji of several code points is one. */
export function charactersOf(line: string): string[] {
  return NARROW.test(line) ? [...line] : Array.from(graphemes(line), ({ segment }) => segment)
}

function widthOf(grapheme: string): number {
  if (NO_WIDTH.test(grapheme)) return 0
  const [first = '', ...others] = grapheme.replace(UNSEEN, '')
  const base = EMOJI.test(grapheme) ? 2 : columnsOf(first)
  return others.reduce((width, other) => width + (SPACING.test(other) ? columnsOf(other) : 0), base)
}

function columnsOf(character: string): number {
  return WIDE.test(character) ? 2 : 1
}
