import type { ChangeLine } from '../../core/hold-view/blocks/change-lines.ts'
import type { Paint, Style } from './screen.ts'

/** How lines about a hold look in a terminal. */
export const LINE_STYLES: Record<ChangeLine['what'], Style | null> = {
  place: 'bold',
  was: 'red',
  is: 'green',
  command: 'bold',
  bad: 'red',
  warn: 'magenta',
  prose: null,
  choice: null,
  note: null,
}

/** New lines are green, and old ones are red. */
export function paintedLines(lines: readonly ChangeLine[], paint: Paint): string[] {
  return lines.map(({ what, text }) => painted(LINE_STYLES[what], text, paint))
}

function painted(style: Style | null, text: string, paint: Paint): string {
  return style === null ? text : paint(style, text)
}
