import { textWidth } from '../../core/text/text-width.ts'
import type { Io } from '../process/io.ts'

/** P10: whether a reader sees all of these lines at once. In a terminal, the beginning of longer text scrolls away. */
export function fitsScreen(text: string, io: Pick<Io, 'isTerminal' | 'width' | 'height'>): boolean {
  return !io.isTerminal || rowsOf(text, io.width()) <= io.height()
}

/** How many rows a terminal needs for it. */
export function rowsOf(text: string, columns: number): number {
  const lines = text.replace(/\n$/, '').split('\n')
  return lines.reduce((rows, line) => rows + Math.max(1, Math.ceil(textWidth(line) / columns)), 0)
}
