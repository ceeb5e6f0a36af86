import { createInterface } from 'node:readline'

/** The lines of stdin that say something, in order. Each is taken once, whoever asks for it. */
export class TypedLines implements Disposable {
  readonly #reader = createInterface({ input: process.stdin })
  readonly #lines = this.#reader[Symbol.asyncIterator]()
  /** No longer read, whatever stdin still has. */
  isClosed = false

  async #next(): Promise<IteratorResult<string, undefined>> {
    for (;;) {
      const { value, done } = await this.#lines.next()
      if (done) return { done, value: undefined }
      if (value.trim() !== '') return { done: false, value }
    }
  }

  /** To break a loop over them leaves the rest to the next one. */
  [Symbol.asyncIterator](): AsyncIterator<string> {
    return { next: () => this.#next() }
  }

  [Symbol.dispose](): void {
    this.isClosed = true
    this.#reader.close()
  }
}
