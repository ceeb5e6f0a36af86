import { createInterface } from 'node:readline'

export interface Hears {
  readonly line: (text: string) => void
  readonly interrupt: () => void
  readonly end: () => void
}

/** Lines as the terminal gives them, each with its Enter. */
export class TypedLines implements Disposable {
  readonly #lines = createInterface({ input: process.stdin, output: process.stdout, prompt: '' })
  #hears: Hears | null = null

  constructor() {
    this.#lines
      .on('line', text => this.#hears?.line(text))
      .on('SIGINT', () => this.#hears?.interrupt())
      .on('close', () => this.#hears?.end())
  }

  hear(hears: Hears | null): void {
    this.#hears = hears
  }

  [Symbol.dispose](): void {
    this.#lines.close()
  }
}
