import { styleText } from 'node:util'
import { textWidth } from '../../core/text/text-width.ts'
import type { Io } from '../process/io.ts'
import { systemClock } from '../process/system-clock.ts'

/** A terminal as a list needs it. */
export interface Screen {
  /** Milliseconds since 1970. */
  readonly now: number
  /** In columns. */
  readonly width: number
  readonly paint: Paint
}

/** `null` if stdout is no terminal: then nothing is cut, and times are as they are. */
export function screenFor(host: {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly io: Io
}): Screen | null {
  return host.io.isTerminal ? { now: systemClock.now(), width: host.io.width(), paint: paintFor(host) } : null
}

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'magenta' | 'cyan'

/** Puts text into a colour. Text is made visible before, never after. */
export type Paint = (style: Style, text: string) => string

export const PLAIN: Paint = (_style, text) => text

const COLOURED: Paint = (style, text) => styleText(style, text, { validateStream: false })

/** Whether the terminal knows colours; FORCE_COLOR forces a yes, and NO_COLOR a no, as in Node itself. */
export function paintFor({ env, io }: { env: Readonly<Record<string, string | undefined>>; io: Io }): Paint {
  const forced = env['FORCE_COLOR']
  if (forced !== undefined) return ['', '1', '2', '3', 'true'].includes(forced) ? COLOURED : PLAIN
  return io.isTerminal && !env['NO_COLOR'] && env['TERM'] !== 'dumb' ? COLOURED : PLAIN
}

/** P10: whether a reader sees all of these lines at once. In a terminal, the beginning of longer text scrolls away. */
export function fitsScreen(text: string, io: Pick<Io, 'isTerminal' | 'width' | 'height'>): boolean {
  return !io.isTerminal || rowsOf(text, io.width()) <= io.height()
}

/** How many rows a terminal needs for it. */
export function rowsOf(text: string, columns: number): number {
  const lines = text.replace(/\n$/, '').split('\n')
  return lines.reduce((rows, line) => rows + Math.max(1, Math.ceil(textWidth(line) / columns)), 0)
}
