import { argumentChanges } from '../../core/hold-view/argument-changes.ts'
import type { ChangeLine } from '../../core/hold-view/change-lines.ts'
import type { JsonObject } from '../../core/text/json.ts'
import { type Paint, PLAIN } from '../display/colours.ts'

const STYLES: Record<ChangeLine['what'], Parameters<Paint>[0] | null> = {
  place: 'bold',
  was: 'red',
  is: 'green',
  note: null,
}

/** P9: all that an approver changed in the arguments of a call; empty if nothing. */
export function argumentDifference(before: JsonObject, after: JsonObject, paint: Paint = PLAIN): string {
  return paintedLines(argumentChanges(before, after), paint)
    .map(line => `${line}\n`)
    .join('')
}

/** New lines are green, and old ones are red. */
export function paintedLines(lines: readonly ChangeLine[], paint: Paint): string[] {
  return lines.map(({ what, text }) => painted(STYLES[what], text, paint))
}

function painted(style: Parameters<Paint>[0] | null, text: string, paint: Paint): string {
  return style === null ? text : paint(style, text)
}
