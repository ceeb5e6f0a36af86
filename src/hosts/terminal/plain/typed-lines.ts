import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { nextTurn } from '../../../async/next-turn.ts'
import { aborted } from '../../../async/on-abort.ts'

/** Nobody types a line that soon after the one before. */
const PASTE_MS = 30

/**
 * The lines of stdin, each with its Enter, in order. Each is taken once: a loop that ends leaves the rest to the next one. A
 * terminal itself edits them and shows what is typed, so nothing here writes an escape sequence.
 */
export class TypedLines implements Disposable {
  readonly #reader = createInterface({ input: process.stdin })
  readonly #lines = this.#reader[Symbol.asyncIterator]()
  #next: Promise<IteratorResult<string>> | null = null
  /** True once stdin is not read any more, even if it still has lines. */
  isClosed = false

  /** Until the lines end, or the signal is aborted. */
  async *until(signal: AbortSignal): AsyncGenerator<string, void, undefined> {
    const stopped = aborted(signal)
    while (!signal.aborted) {
      this.#next ??= this.#lines.next()
      const next = await Promise.race([this.#next, stopped])
      if (!next || signal.aborted) return
      this.#next = null
      if (next.done) return
      yield next.value
    }
  }

  /** Like `until`; lines that come from a terminal at once, as a paste does, are one text. Each line of a pipe is one. */
  async *texts(signal: AbortSignal): AsyncGenerator<string, void, undefined> {
    const each = this.until(signal)
    for (let first = await each.next(); !first.done; first = await each.next()) {
      const lines = [first.value]
      while (process.stdin.isTTY && (await this.#isFollowed())) {
        const next = await each.next()
        if (next.done) break
        lines.push(next.value)
      }
      yield lines.join('\n')
    }
  }

  async #isFollowed(): Promise<boolean> {
    this.#next ??= this.#lines.next()
    const next = await Promise.race([this.#next, setTimeout(PASTE_MS, null)])
    return next?.done === false
  }

  /** True if a line is here that no loop has taken. */
  async hasMore(): Promise<boolean> {
    this.#next ??= this.#lines.next()
    const next = await Promise.race([this.#next, nextTurn()])
    return next?.done === false
  }

  [Symbol.dispose](): void {
    this.isClosed = true
    this.#reader.close()
  }
}
