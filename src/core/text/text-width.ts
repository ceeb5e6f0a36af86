/** Characters that take two columns of a terminal: those of East Asia, and emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\ufe0f/u
const NO_WIDTH = /^[\p{Mark}\p{Cf}]*$/u
const ASCII = /^[ -~]*$/

let segmenter: Intl.Segmenter | null = null

/** Characters as people count them. Only text beyond ASCII needs it. */
function graphemes(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  return segmenter.segment(text)
}

/** The columns that a line takes in a terminal. It has no escape sequences in it. */
export function textWidth(line: string): number {
  if (ASCII.test(line)) return line.length
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

/** The same, with `…` in place of what does not fit. */
export function shortened(line: string, columns: number): string {
  return textWidth(line) <= columns ? line : `${fitInto(line, Math.max(0, columns - 1))}…`
}

/** Spaces behind a line, up to so many columns. */
export function padded(line: string, columns: number): string {
  return `${line}${' '.repeat(Math.max(0, columns - textWidth(line)))}`
}

/** The characters of a line as people count them: an emoji of several code points is one. */
export function charactersOf(line: string): string[] {
  return ASCII.test(line) ? [...line] : Array.from(graphemes(line), ({ segment }) => segment)
}

function widthOf(grapheme: string): number {
  if (NO_WIDTH.test(grapheme)) return 0
  return WIDE.test(grapheme) ? 2 : 1
}
