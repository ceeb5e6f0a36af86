import type { Io } from '../process/io.ts'
import { wrapped } from './wrap.ts'

/** Columns of the terminal; without one no line is broken. */
export function columnsOf({ isTerminal, width }: Pick<Io, 'isTerminal' | 'width'>): number {
  return isTerminal ? width() : Number.POSITIVE_INFINITY
}

export function errColumnsOf({ isErrTerminal, width }: Pick<Io, 'isErrTerminal' | 'width'>): number {
  return isErrTerminal ? width() : Number.POSITIVE_INFINITY
}

/** How far the rest of a broken line is set in, so that it does not look like a line of its own. */
const HANGS = 4

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

export type Fact = readonly [name: string, text: string]

const GAP = 2

/**
 * Facts below one another: `left` columns for the names, as `styled` shows them. A word that does not fit beside its name
 * stands below it.
 */
export function factLines(
  facts: readonly Fact[],
  { left, columns, styled }: { left: number; columns: number; styled: (name: string) => string },
): string[] {
  const margin = left + GAP
  return facts.flatMap(([name, text]) => {
    const named = styled(name.padEnd(left))
    if (margin + text.length <= columns) return [`${named}${' '.repeat(GAP)}${text}`]
    const [first = '', ...more] = wrapped(text, columns - margin)
    if (margin + first.length > columns) return [styled(name), ...hung(' '.repeat(HANGS) + text, columns).split('\n')]
    return [`${named}${' '.repeat(GAP)}${first}`, ...more.map(rest => ' '.repeat(margin) + rest)]
  })
}
