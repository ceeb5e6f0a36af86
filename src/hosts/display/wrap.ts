/** Prose for a terminal. Texts are stored without line breaks, and broken here. */

/** Wider lines are hard to read, however wide the terminal is. */
const WIDEST = 100
const NARROWEST = 40

/** How wide prose is in a terminal of so many columns. */
export function proseWidth(columns: number): number {
  return Math.max(NARROWEST, Math.min(WIDEST, columns))
}

/** A blank at which no line is broken. */
export const UNBROKEN = '\u00a0'

/** A word, or words between backquotes: they are one thing to copy. So are words with more than a blank between them. */
const WORD = /(?:`[^`]+`|[^ `]|`| {2,})+/g

/** The lines of a paragraph, none wider than `width` unless one word is. */
export function wrapped(text: string, width: number): string[] {
  return filled(text.match(WORD) ?? [], width).map(line => line.replaceAll(UNBROKEN, ' ').trimEnd())
}

/** A word of a shell command, with its quotes. A flag is kept together with its value. */
const SHELL_WORD = /(?:--?[\w-]+ (?=[^-]))?(?:'[^']*'|"[^"]*"|\S)+/g

const CONTINUED = ' \\'
const INDENT = 2

/** A command that people copy. A shell takes the lines for one, as each but the last ends with a backslash. */
export function wrappedCommand(command: string, width: number): string[] {
  if (command.length <= width) return [command]
  const lines = filled(command.match(SHELL_WORD) ?? [], width - INDENT - CONTINUED.length)
  return lines.map(
    (line, index) => `${index > 0 ? ' '.repeat(INDENT) : ''}${line}${index < lines.length - 1 ? CONTINUED : ''}`,
  )
}

function filled(words: readonly string[], width: number): string[] {
  const lines: string[] = []
  for (const word of words) {
    const line = lines.at(-1)
    if (line !== undefined && line.length + 1 + word.length <= width) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(word)
  }
  return lines
}

export type Pair = readonly [left: string, right: string]

const GAP = 2

/** How wide the left side of these pairs is, if it may take `most`: one that is wider has a line of its own. */
export function leftWidth(pairs: readonly Pair[], most: number): number {
  const widths = pairs.map(([left]) => left.length)
  return Math.max(0, ...widths.filter(width => width <= most))
}

/** Two columns: a term and its meaning, which is wrapped in its own column. */
export function pairLines(pairs: readonly Pair[], left: number, width: number): string[] {
  const margin = INDENT + left + GAP
  return pairs.flatMap(([term, meaning]) => {
    const [first = '', ...more] = wrapped(meaning, Math.max(width - margin, INDENT * 10))
    const below = more.map(line => `${' '.repeat(margin)}${line}`)
    const own = `${' '.repeat(INDENT)}${term}`
    return term.length > left
      ? [own, `${' '.repeat(margin)}${first}`, ...below]
      : [`${own.padEnd(margin)}${first}`.trimEnd(), ...below]
  })
}
