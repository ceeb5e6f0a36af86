/** More than any result that a model could use. */
export const LONGEST_MESSAGE_BYTES: number = 16 * 1024 * 1024

/** A message over the bound is not kept, so it cannot be answered. */
export class LongMessageError extends Error {
  constructor() {
    super(`It sent a message of more than ${LONGEST_MESSAGE_BYTES / 1024 / 1024} MiB, which is not read.`)
  }
}

const LINE_FEED = 0x0a

/** Cuts what arrives into lines. Memory stays within the bound. */
export class MessageLines {
  readonly #take: (line: string) => void
  #parts: Buffer[] = []
  #bytes = 0

  constructor(take: (line: string) => void) {
    this.#take = take
  }

  /** @throws LongMessageError */
  write(chunk: Buffer): void {
    let start = 0
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      this.#keep(chunk.subarray(start, end))
      this.#flush()
      start = end + 1
    }
    this.#keep(chunk.subarray(start))
  }

  #keep(bytes: Buffer): void {
    this.#bytes += bytes.length
    if (this.#bytes > LONGEST_MESSAGE_BYTES) throw new LongMessageError()
    if (bytes.length > 0) this.#parts.push(bytes)
  }

  #flush(): void {
    const line = Buffer.concat(this.#parts).toString('utf8').trim()
    this.#parts = []
    this.#bytes = 0
    if (line !== '') this.#take(line)
  }
}
