import { createInterface } from 'node:readline'
import { hearCtrlC } from '../../process/interruption.ts'

export interface Hears {
  readonly line: (text: string) => void
  /** Of a line that the terminal cut. */
  readonly cut: () => void
  readonly interrupt: () => void
  readonly end: () => void
}

/** Bytes of a line. A terminal that edits lines by itself drops what is beyond, and does not say so. */
const LONGEST_LINE = process.platform === 'darwin' ? 1023 : 4095

/**
 * Lines as the terminal gives them, each with its Enter. The terminal itself edits them and shows what is typed, so nothing
 * here writes an escape sequence.
 */
export class TypedLines implements Disposable {
  readonly #lines = createInterface({ input: process.stdin })
  readonly #ctrlC = hearCtrlC(() => this.#hears?.interrupt())
  #hears: Hears | null = null

  constructor() {
    this.#lines.on('line', text => this.#hear(text)).on('close', () => this.#hears?.end())
  }

  #hear(text: string): void {
    if (Buffer.byteLength(text) < LONGEST_LINE) this.#hears?.line(text)
    else this.#hears?.cut()
  }

  hear(hears: Hears | null): void {
    this.#hears = hears
  }

  [Symbol.dispose](): void {
    this.#ctrlC[Symbol.dispose]()
    this.#lines.close()
  }
}
