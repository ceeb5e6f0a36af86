import { type Inline, inlineOf } from './inline.ts'

export interface Table {
  readonly kind: 'table'
  readonly head: readonly (readonly Inline[])[]
  readonly rows: readonly (readonly (readonly Inline[])[])[]
}

/** True if the line is the head of a table: with bars, and above a line of dashes with as many cells. */
export function isTable(lines: readonly string[], at: number): boolean {
  if (!(lines[at] ?? '').includes('|') || !(lines[at + 1] ?? '').includes('-')) return false
  const dashes = cellsOf(lines[at + 1] ?? '')
  return dashes.length === cellsOf(lines[at] ?? '').length && dashes.every(cell => /^:?-+:?$/.test(cell))
}

/** The table whose head is this line, to the first line without a bar. */
export function tableAt(lines: readonly string[], at: number): { readonly block: Table; readonly next: number } | null {
  if (!isTable(lines, at)) return null
  let next = at + 2
  while (lines[next]?.includes('|')) next += 1
  const [head = [], , ...rows] = lines.slice(at, next).map(line => cellsOf(line).map(inlineOf))
  return { block: { kind: 'table', head, rows }, next }
}

/** The texts between the bars; a bar at either end is only a frame, and `\|` is no bar. */
function cellsOf(line: string): readonly string[] {
  const cells = line.split(/(?<!\\)\|/).map(cell => cell.trim().replaceAll('\\|', '|'))
  const from = cells[0] === '' ? 1 : 0
  const to = cells.length > 1 && cells.at(-1) === '' ? -1 : undefined
  return cells.slice(from, to)
}
