import { createInterface } from 'node:readline'

/** The lines of stdin that are not blank, in order. Each is taken once, by one reader. */
export class TypedLines implements Disposable {
  readonly #reader = createInterface({ input: process.stdin })
  readonly #lines = this.#reader[Symbol.asyncIterator]()
  /** True once stdin is not read any more, even if it still has lines. */
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
