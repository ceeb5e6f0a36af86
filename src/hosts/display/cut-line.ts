import { charactersOf, textWidth } from '../../core/text/text-width.ts'

/** An escape that `visibleLine` wrote: it is never split. */
const ESCAPE = /(\\u\{[0-9a-f]+\})/

/**
 * P9: the beginning of a visible line, as much as fits into `width` columns, and how much is not shown: `… +1,234
 * characters`. A line that fits is left as it is.
 */
export function cutLine(line: string, width: number): string {
  if (textWidth(line) <= width) return line
  const pieces = piecesOf(line)
  // The marker is there in full, however narrow the terminal is.
  const shown = fitting(pieces, width - marker(pieces.length).length)
  return `${pieces.slice(0, shown).join('')}${marker(pieces.length - shown)}`
}

/** P9: the same with the end of the line too: `echo ok … +1,234 characters … ; rm -rf /`. */
export function cutMiddle(line: string, width: number): string {
  if (textWidth(line) <= width) return line
  const pieces = piecesOf(line)
  const room = Math.floor((width - marker(pieces.length).length - ' … '.length) / 2)
  const [head, tail] = [fitting(pieces, room), fitting(pieces.toReversed(), room)]
  const end = pieces.slice(pieces.length - tail).join('')
  return `${pieces.slice(0, head).join('')}${marker(pieces.length - head - tail)} … ${end}`
}

function piecesOf(line: string): string[] {
  return line.split(ESCAPE).flatMap(part => (ESCAPE.test(part) ? [part] : charactersOf(part)))
}

/** How many of the pieces, from the first on. */
function fitting(pieces: readonly string[], room: number): number {
  let [shown, length] = [0, 0]
  for (const piece of pieces) {
    length += textWidth(piece)
    if (length > room) break
    shown += 1
  }
  return shown
}

function marker(hidden: number): string {
  return `… +${hidden.toLocaleString('en-US')} character${hidden === 1 ? '' : 's'}`
}
