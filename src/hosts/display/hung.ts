import type { Io } from '../process/io.ts'
import { wrapped } from './wrap.ts'

/** Columns of the terminal; without one no line is broken. */
export function columnsOf({ isTerminal, width }: Pick<Io, 'isTerminal' | 'width'>): number {
  return isTerminal ? width() : Number.POSITIVE_INFINITY
}

export function errColumnsOf({ isErrTerminal, width }: Pick<Io, 'isErrTerminal' | 'width'>): number {
  return isErrTerminal ? width() : Number.POSITIVE_INFINITY
}

/** Indent of the rest of a broken line, so that it does not look like a line of its own. */
export const HANGS = 4

/** A text with each line that is too wide broken at blanks. */
export function hung(text: string, columns: number): string {
  return text
    .split('\n')
    .flatMap(line => hungLines(line, columns))
    .join('\n')
}

function hungLines(line: string, columns: number): string[] {
  if (line.length <= columns) return [line]
  const [indent = ''] = /^ */.exec(line) ?? []
  const margin = Math.max(indent.length, HANGS)
  const [first = '', ...more] = wrapped(line.slice(indent.length), columns - margin)
  return [indent + first, ...more.map(rest => ' '.repeat(margin) + rest)]
}
