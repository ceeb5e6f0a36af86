/** A piece that is never split: an escape that `visibleLine` wrote, or one character. */
const PIECE = /\\u\{[0-9a-f]+\}|./gsu

/**
 * P9: the beginning of a visible line, as much as fits into `width`, and how much is not shown: `… +1,234 characters`.
 * A line that fits is left as it is.
 */
export function cutLine(line: string, width: number): string {
  const pieces = line.match(PIECE) ?? []
  if (lengthOf(line) <= width) return line
  // The marker is there in full, however narrow the terminal is.
  const room = width - lengthOf(marker(pieces.length))
  let [shown, length] = [0, 0]
  for (const piece of pieces) {
    length += lengthOf(piece)
    if (length > room) break
    shown += 1
  }
  return `${pieces.slice(0, shown).join('')}${marker(pieces.length - shown)}`
}

function marker(hidden: number): string {
  return `… +${hidden.toLocaleString('en-US')} character${hidden === 1 ? '' : 's'}`
}

/** In characters, not in halves of them. */
function lengthOf(text: string): number {
  return [...text].length
}
