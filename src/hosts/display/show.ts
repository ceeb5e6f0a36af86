/** A thing for people to read, in parts: its facts, and sections. */
import { visibleLine } from '../../core/text/visible-text.ts'
import type { Io } from '../process/io.ts'
import { columnsOf, HANGS, hung } from './hung.ts'
import { type Paint, paintFor } from './screen.ts'
import { padColumns } from './table.ts'
import { wrapped } from './wrap.ts'

/** By their names, in order; `null` if there is none to tell. */
export type Facts = Readonly<Record<string, string | null>>

/** One part; left out if it has no lines. */
type Part = readonly string[]

const GAP = 2

export class Show {
  readonly paint: Paint
  readonly columns: number

  constructor(context: { readonly io: Io; readonly env: Readonly<Record<string, string | undefined>> }) {
    this.paint = paintFor(context)
    this.columns = columnsOf(context.io)
  }

  /** With an empty line between the parts. */
  text(parts: readonly Part[]): string {
    return parts
      .filter(part => part.length > 0)
      .map(part => `${part.join('\n')}\n`)
      .join('\n')
  }

  section(name: string, lines: Part, indent = '  '): string[] {
    return lines.length === 0 ? [] : [this.paint('bold', `${name}:`), ...lines.map(line => `${indent}${line}`)]
  }

  facts(facts: Facts): string[] {
    return factLines(facts, this.columns, name => this.paint('dim', name))
  }
}

/** Facts below one another. A word that does not fit after its name is on the line below. */
export function factLines(facts: Facts, columns: number, styled: (name: string) => string): string[] {
  const left = Math.max(...Object.keys(facts).map(({ length }) => length))
  const margin = left + GAP
  return Object.entries(facts).flatMap(([name, told]) => {
    if (told === null) return []
    const text = visibleLine(told)
    const named = `${styled(name.padEnd(left))}${' '.repeat(GAP)}`
    if (margin + text.length <= columns) return [`${named}${text}`]
    const [first = '', ...more] = wrapped(text, columns - margin)
    if (margin + first.length > columns) return [styled(name), ...hung(' '.repeat(HANGS) + text, columns).split('\n')]
    return [`${named}${first}`, ...more.map(rest => ' '.repeat(margin) + rest)]
  })
}

/** Cells as lines, each column as wide as its widest cell. */
export function rowLines(rows: readonly (readonly string[])[]): string[] {
  return padColumns(rows).map(row => row.join('  ').trimEnd())
}
