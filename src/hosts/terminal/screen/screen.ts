/**
 * The terminal's own scrollback, and a few lines below it that are drawn again and again. Keeps: what is above is written
 * once and never touched; a frame is one write; no line below reaches the last column; rows to go back are counted with
 * the width of now, because a terminal wraps anew what stands there.
 */
import { charactersOf, textWidth } from '../../../core/text/text-width.ts'
import type { Paint } from '../../display/screen.ts'
import type { Io } from '../../process/io.ts'
import { cutTo, type Line, lineText, painted } from './flow.ts'

const ESCAPE = '\u001b['
/** The terminal shows what is between them at once, if it knows how. */
const [BEGIN, END] = [`${ESCAPE}?2026h`, `${ESCAPE}?2026l`]
/** From the beginning of a row. Never from the first cell of the screen: tmux would keep what stood there as history. */
const CLEAR_BELOW = `${ESCAPE}K${ESCAPE}C${ESCAPE}J\r`

/** The lines below the scrollback, with the cursor. */
export interface Below {
  readonly lines: readonly Line[]
  /** The line of the cursor, counted from 0, and the columns before it. */
  readonly cursor: { readonly line: number; readonly column: number }
}

const NOTHING: Below = { lines: [], cursor: { line: 0, column: 0 } }

export class Screen {
  readonly #io: Pick<Io, 'out' | 'width'>
  readonly #paint: Paint
  #drawn: Below = NOTHING
  #drawnAs = ''

  constructor(io: Pick<Io, 'out' | 'width'>, paint: Paint) {
    this.#io = io
    this.#paint = paint
  }

  /** Writes lines above for good, and draws the lines below. True if something was written. */
  draw(above: readonly Line[], below: Below): boolean {
    const columns = Math.max(1, this.#io.width() - 1)
    const lines = below.lines.map(spans => cutTo(spans, columns))
    const column = Math.min(below.cursor.column, columns)
    const text = lines.map(spans => painted(spans, this.#paint)).join('\r\n')
    const drawnAs = `${columns} ${below.cursor.line} ${column} ${text}`
    if (above.length === 0 && drawnAs === this.#drawnAs) return false
    const written = above.map(spans => `${painted(spans, this.#paint)}\r\n`).join('')
    const frame = `${this.#back()}${CLEAR_BELOW}${written}${text}${toCursor(lines.length, { ...below.cursor, column })}`
    this.#drawn = { lines, cursor: { ...below.cursor, column } }
    this.#drawnAs = drawnAs
    this.#io.out(`${BEGIN}${frame}${END}`)
    return true
  }

  /** Erases the lines below: the cursor is at the beginning of an empty line. */
  clear(): void {
    if (this.#drawn.lines.length > 0) this.#io.out(`${this.#back()}${CLEAR_BELOW}`)
    this.forget()
  }

  /** Another program has drawn meanwhile: the next frame begins at the cursor. */
  forget(): void {
    this.#drawn = NOTHING
    this.#drawnAs = ''
  }

  /**
   * To the first row of what was drawn. The line of the cursor counts once: most terminals leave it as it is. If another
   * wraps it, a row too much is left standing, and never one too few.
   */
  #back(): string {
    const width = this.#io.width()
    const rows = this.#drawn.lines
      .slice(0, this.#drawn.cursor.line)
      .reduce((sum, spans) => sum + rowsOf(lineText(spans), width), 0)
    return rows === 0 ? '\r' : `\r${ESCAPE}${rows}A`
  }
}

/** From the end of the last line. */
function toCursor(count: number, { line, column }: Below['cursor']): string {
  if (count === 0) return ''
  const up = count - 1 - line
  return `${up > 0 ? `${ESCAPE}${up}A` : ''}\r${column > 0 ? `${ESCAPE}${column}C` : ''}`
}

/** How many rows a line takes: a wide character that does not fit into the last column begins the next row. */
export function rowsOf(text: string, width: number): number {
  const plain = textWidth(text)
  if (plain <= width) return 1
  if (plain === text.length) return Math.ceil(plain / width)
  let [rows, used] = [1, 0]
  for (const character of charactersOf(text)) {
    const wide = textWidth(character)
    if (used + wide > width) [rows, used] = [rows + 1, 0]
    used += wide
  }
  return rows
}
