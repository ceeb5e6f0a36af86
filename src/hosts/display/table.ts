import { padded, shortened, textWidth } from '../../core/text/text-width.ts'
import { cutLine } from './cut-line.ts'
import type { Screen, Style } from './screen.ts'

export interface Column {
  readonly head: string
  /** Down to so many columns its cells are cut in a terminal that is too narrow. Left out: never, as for an id. */
  readonly least?: number
  /** A terminal that is too narrow drops this column before anything is cut. */
  readonly spare?: true
}

export type Cell = string | { readonly text: string; readonly style: Style }

export interface Row {
  readonly cells: readonly Cell[]
  /** A line of its own below the cells, in a terminal; cut with a count of what is not shown (P9). */
  readonly below?: string
}

const GAP = '  '
const MARGIN = '  '
const NONE = '-'

/** Full columns for programs and pipes, with `-` for an empty cell. Cells are visible lines. */
export function plainTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows.map(row => row.map(cell => cell || NONE))]
  return padColumns(lines)
    .map(line => `${line.join(GAP).trimEnd()}\n`)
    .join('')
}

/** Pads each cell to the widest one in its column. */
export function padColumns(lines: readonly (readonly string[])[]): string[][] {
  const count = Math.max(0, ...lines.map(({ length }) => length))
  const widths = Array.from({ length: count }, (_, at) => Math.max(...lines.map(line => textWidth(line[at] ?? ''))))
  return lines.map(line => line.map((cell, at) => padded(cell, widths[at] ?? 0)))
}

/**
 * Columns for people in a terminal: no line is wider than it. Columns without any text are left out. Cells are visible
 * lines.
 */
export function screenTable(columns: readonly Column[], rows: readonly Row[], screen: Screen): string {
  const texts = rows.map(({ cells }) => columns.map((_, at) => textOf(cells[at] ?? '')))
  const places = columns.flatMap(({ head, ...column }, at) => {
    const widest = Math.max(0, ...texts.map(line => textWidth(line[at] ?? '')))
    return widest === 0 ? [] : [{ ...column, head, at, width: Math.max(widest, head.length) }]
  })
  const shownPlaces = fitted(places, screen.width)
  const shown = (text: string, width: number, isLast: boolean) => {
    const cut = shortened(text, width).replace(/ +\u2026$/, '…')
    return isLast ? cut : padded(cut, width)
  }
  const line = (cellAt: (place: Place) => Cell) =>
    shownPlaces
      .map((place, index) => {
        const cell = cellAt(place)
        return painted(cell, shown(textOf(cell), place.width, index === shownPlaces.length - 1), screen)
      })
      .join(GAP)
      .trimEnd()
  const heads = line(({ head }) => ({ text: head, style: 'dim' }))
  const body = rows.map(({ cells, below }) => {
    const text = below === undefined ? '' : `${MARGIN}${cutLine(below, screen.width - MARGIN.length)}\n`
    return `${line(({ at }) => cells[at] ?? '')}\n${text}`
  })
  return `${heads}\n${body.join('')}`
}

interface Place extends Column {
  readonly at: number
  readonly width: number
}

/** Spare columns go first; then the widest of those that may be cut gets narrower, again and again. */
function fitted(places: readonly Place[], width: number): readonly Place[] {
  let left = places
  while (totalOf(left) > width) {
    const spare = left.findLastIndex(place => place.spare)
    if (spare < 0) return narrowed(left, totalOf(left) - width)
    left = left.toSpliced(spare, 1)
  }
  return left
}

function totalOf(places: readonly Place[]): number {
  return places.reduce((sum, place) => sum + place.width, GAP.length * (places.length - 1))
}

function narrowed(places: readonly Place[], excess: number): readonly Place[] {
  const widths = places.map(({ width }) => width)
  const mayShrink = (at: number) => (widths[at] ?? 0) > (places[at]?.least ?? Number.POSITIVE_INFINITY)
  for (let over = excess; over > 0; over -= 1) {
    const candidates = [...widths.keys()].filter(mayShrink)
    if (candidates.length === 0) break
    const widest = Math.max(...candidates.map(at => widths[at] ?? 0))
    widths[widths.findIndex((width, at) => width === widest && mayShrink(at))] = widest - 1
  }
  return places.map((place, at) => ({ ...place, width: widths[at] ?? place.width }))
}

function textOf(cell: Cell): string {
  return typeof cell === 'string' ? cell : cell.text
}

/** The spaces after a text are not painted. */
function painted(cell: Cell, shown: string, { paint }: Screen): string {
  if (typeof cell === 'string' || textOf(cell) === '') return shown
  const text = shown.trimEnd()
  return `${paint(cell.style, text)}${shown.slice(text.length)}`
}
