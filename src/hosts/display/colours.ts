import { styleText } from 'node:util'
import type { Io } from '../process/io.ts'

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'magenta' | 'cyan'

/** Puts text into a colour. Text is made visible before, never after. */
export type Paint = (style: Style, text: string) => string

export const PLAIN: Paint = (_style, text) => text

const COLOURED: Paint = (style, text) => styleText(style, text, { validateStream: false })

/** In a terminal that knows colours; FORCE_COLOR says yes anyway, and NO_COLOR no, as in Node itself. */
export function paintFor({ env, io }: { env: Readonly<Record<string, string | undefined>>; io: Io }): Paint {
  const forced = env['FORCE_COLOR']
  if (forced !== undefined) return ['', '1', '2', '3', 'true'].includes(forced) ? COLOURED : PLAIN
  return io.isTerminal && !env['NO_COLOR'] && env['TERM'] !== 'dumb' ? COLOURED : PLAIN
}
