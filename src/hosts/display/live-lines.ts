/**
 * A few lines at the bottom of a terminal that are drawn again and again, below text that is written once.
 * Keeps: one write for each frame; no line reaches the last column; keys that are typed meanwhile leave nothing; rows
 * are counted with the width of now, because a terminal rewraps its text.
 */

import { fitInto, textWidth } from '../../core/text/text-width.ts'
import type { Io } from '../process/io.ts'

const ESCAPE = '\u001b['
/** The terminal shows what is between them at once, if it knows how. */
const [BEGIN, END] = [`${ESCAPE}?2026h`, `${ESCAPE}?2026l`]
/** The place of the cursor. The terminal echoes typed keys after it, and an Enter moves it down. */
const [SAVE, RESTORE] = ['\u001b7', '\u001b8']
/** So often may Enter be pressed between two frames without a scroll, which would displace the saved place. */
const SPARE_ROWS = 3

/** True if lines of this terminal can be drawn again. `NO_COLOR` asks for plain lines. */
export function canRedraw({ io, env }: { readonly io: Io; readonly env: NodeJS.ProcessEnv }): boolean {
  return io.isTerminal && io.hasSize() && env['TERM'] !== 'dumb' && !env['NO_COLOR']
}

export class LiveLines implements Disposable {
  readonly #io: Pick<Io, 'out' | 'width'>
  #wanted: readonly string[] = []
  #drawn: readonly string[] = []
  #drawnWidth = 0
  #isMidLine = false
  readonly #clear = () => this.show([])

  constructor(io: Pick<Io, 'out' | 'width'>) {
    this.#io = io
    // However this process ends, the lines that were drawn for now do not stay.
    process.once('exit', this.#clear)
  }

  /** Writes text above the lines, for good. While its last line has no end, nothing is drawn below it. */
  write(text: string): void {
    if (text === '') return
    this.#isMidLine = !text.endsWith('\n')
    this.#draw(text)
  }

  /** Without colours, each at most as wide as the terminal: more is cut. */
  show(lines: readonly string[]): void {
    this.#wanted = lines
    if (!this.#isMidLine) this.#draw('')
  }

  [Symbol.dispose](): void {
    this.#clear()
    process.off('exit', this.#clear)
  }

  #draw(text: string): void {
    const room = this.#io.width() - 1
    const lines = this.#isMidLine ? [] : this.#wanted.map(line => fitInto(line, room))
    const isSame =
      text === '' && lines.length === this.#drawn.length && lines.every((line, n) => line === this.#drawn[n])
    if (isSame) return
    const frame = `${this.#back()}${text}${withRoom(lines)}`
    const isPlain = this.#drawn.length === 0 && lines.length === 0
    this.#drawn = lines
    this.#drawnWidth = this.#io.width()
    this.#io.out(isPlain ? frame : `${BEGIN}${frame}${END}`)
  }

  /** Moves to the first row of the drawn lines and erases everything after it. */
  #back(): string {
    if (this.#drawn.length === 0) return ''
    const width = this.#io.width()
    if (width === this.#drawnWidth) return `${RESTORE}${ESCAPE}J`
    const rows = this.#drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(textWidth(line) / width)), 0)
    return `\r${rows > 1 ? `${ESCAPE}${rows - 1}A` : ''}${ESCAPE}J`
  }
}

/** Scrolls first, so that the text above the lines does not move. */
function withRoom(lines: readonly string[]): string {
  if (lines.length === 0) return ''
  const rows = lines.length - 1 + SPARE_ROWS
  return `${'\n'.repeat(rows)}${ESCAPE}${rows}A${SAVE}${lines.join('\n')}`
}
