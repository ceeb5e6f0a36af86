import { textWidth } from '../../../core/text/text-width.ts'
import { visibleLine } from '../../../core/text/visible-text.ts'
import type { Draft } from './draft.ts'

export interface DraftRows {
  readonly rows: readonly string[]
  /** The row and the column of the cursor. */
  readonly cursor: { readonly row: number; readonly column: number }
}

/** A draft as rows of a terminal, none wider than `width`. Only the rows around the cursor are kept: `most` of them. */
export function draftRows(draft: Pick<Draft, 'cells' | 'cursor'>, width: number, most: number): DraftRows {
  const page = new Page(width)
  let cursor = page.place
  for (const [index, cell] of draft.cells.entries()) {
    const isLineEnd = cell.text === '\n' && cell.shown === null
    const put = isLineEnd ? '' : visibleLine(cell.shown ?? cell.text)
    page.makeRoom(textWidth(put))
    if (index === draft.cursor) cursor = page.place
    page.put(put)
    if (isLineEnd) page.next()
  }
  if (draft.cursor === draft.cells.length) {
    page.makeRoom(1)
    cursor = page.place
  }
  return around({ rows: page.rows, cursor }, most)
}

class Page {
  readonly rows = ['']
  readonly #width: number
  #column = 0

  constructor(width: number) {
    this.#width = width
  }

  get place(): DraftRows['cursor'] {
    return { row: this.rows.length - 1, column: this.#column }
  }

  makeRoom(columns: number): void {
    if (this.#column + columns > this.#width && this.#column > 0) this.next()
  }

  put(text: string): void {
    this.rows[this.rows.length - 1] += text
    this.#column += textWidth(text)
  }

  next(): void {
    this.rows.push('')
    this.#column = 0
  }
}

function around({ rows, cursor }: DraftRows, most: number): DraftRows {
  if (rows.length <= most) return { rows, cursor }
  const from = Math.min(Math.max(0, cursor.row - most + 1), rows.length - most)
  return { rows: rows.slice(from, from + most), cursor: { ...cursor, row: cursor.row - from } }
}
