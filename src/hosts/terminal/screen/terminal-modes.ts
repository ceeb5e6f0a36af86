/** The terminal as the chat needs it. Keeps: it is as it was at each way out, also at a crash. */
import type { ReadStream } from 'node:tty'
import type { Io } from '../../process/io.ts'

const ESCAPE = '\u001b['
const PASTE_MARKS = { on: `${ESCAPE}?2004h`, off: `${ESCAPE}?2004l` }
const SHOW_CURSOR = `${ESCAPE}?25h`

export class TerminalModes implements Disposable {
  readonly #io: Pick<Io, 'out'>
  readonly #stdin: ReadStream
  readonly #onBytes: (bytes: Buffer) => void
  readonly #leave = () => this.suspend()
  #isOn = false

  constructor(io: Pick<Io, 'out'>, stdin: ReadStream, onBytes: (bytes: Buffer) => void) {
    this.#io = io
    this.#stdin = stdin
    this.#onBytes = onBytes
    process.once('exit', this.#leave)
  }

  /** Keys come one by one, and pastes are marked. */
  resume(): void {
    if (this.#isOn) return
    this.#isOn = true
    this.#stdin.setRawMode(true)
    this.#stdin.on('data', this.#onBytes).resume()
    this.#io.out(PASTE_MARKS.on)
  }

  /** The terminal is as other programs expect it. */
  suspend(): void {
    if (!this.#isOn) return
    this.#isOn = false
    this.#io.out(`${PASTE_MARKS.off}${SHOW_CURSOR}`)
    this.#stdin.off('data', this.#onBytes).pause()
    this.#stdin.setRawMode(false)
  }

  [Symbol.dispose](): void {
    this.suspend()
    process.off('exit', this.#leave)
  }
}
