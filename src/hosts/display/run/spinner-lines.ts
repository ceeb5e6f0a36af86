import { shortened } from '../../../core/text/text-width.ts'
import { visibleLine } from '../../../core/text/visible-text.ts'
import { shortTime } from '../short-time.ts'
import type { Work } from './activity.ts'

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
/** Between two frames. */
export const FRAME_MS = 120
/** Work that is over within this time needs no line of its own. */
const PATIENCE_MS = 300
const MOST_SHOWN = 3

/** Lines for what runs now: a spinner, the time, and the last line of its output. */
export function spinnerLines(works: readonly Work[], now: number, width: number): string[] {
  const slow = works.filter(({ since }) => now - since >= PATIENCE_MS)
  const frame = FRAMES[Math.floor(now / FRAME_MS) % FRAMES.length] ?? ''
  const lines = slow.slice(0, MOST_SHOWN).flatMap(({ text, since, tail }) => {
    const time = shortTime(now - since)
    const rest = time === '' ? '' : `  ${time}`
    const line = `${frame} ${shortened(visibleLine(text), width - 2 - rest.length)}${rest}`
    return tail === '' ? [line] : [line, `  ${shortened(visibleLine(tail), width - 2)}`]
  })
  return slow.length > MOST_SHOWN ? [...lines, `  and ${slow.length - MOST_SHOWN} more`] : lines
}
