import { charactersOf, textWidth } from './text-width.ts'

/** An escape that `visibleLine` wrote: it is never split. */
const ESCAPE = /(\\u\{[0-9a-f]+\})/

/**
 * P9: the beginning of a visible line, as much as fits into `width` columns, and how much is not shown: `… +1,234
 * characters`. A line that fits is left as it is.
 */
export function cutLine(line: string, width: number): string {
  if (textWidth(line) <= width) return line
  const pieces = line.split(ESCAPE).flatMap(part => (ESCAPE.test(part) ? [part] : charactersOf(part)))
  // The marker is there in full, however narrow the terminal is.
  const room = width - marker(pieces.length).length
  let [shown, length] = [0, 0]
  for (const piece of pieces) {
    length += textWidth(piece)
    if (length > room) break
    shown += 1
  }
  return `${pieces.slice(0, shown).join('')}${marker(pieces.length - shown)}`
}

function marker(hidden: number): string {
  return `… +${hidden.toLocaleString('en-US')} character${hidden === 1 ? '' : 's'}`
}
