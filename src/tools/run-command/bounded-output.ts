import { withoutCutEnd, withoutCutStart } from '../../core/text/utf8-cut.ts'

const HEAD_BYTES = 8 * 1024
const TAIL_BYTES = 24 * 1024

/** The output of a process: its start and, at more length, its end. Memory stays the same however much it prints. */
export class BoundedOutput {
  readonly #headBytes: number
  readonly #ring: Ring
  #head: Buffer = Buffer.alloc(0)
  #written = 0

  constructor(limits: { headBytes?: number; tailBytes?: number } = {}) {
    this.#headBytes = limits.headBytes ?? HEAD_BYTES
    this.#ring = new Ring(limits.tailBytes ?? TAIL_BYTES)
  }

  write(chunk: Buffer): void {
    this.#written += chunk.length
    const room = this.#headBytes - this.#head.length
    if (room > 0) this.#head = Buffer.concat([this.#head, chunk.subarray(0, room)])
    this.#ring.write(chunk.subarray(room))
  }

  /** The kept output. A line in the middle counts the missing bytes. */
  text(): string {
    const tail = this.#ring.bytes()
    if (this.#written === this.#head.length + tail.length) return readable(Buffer.concat([this.#head, tail]))
    const start = withoutCutEnd(this.#head)
    const end = withoutCutStart(tail)
    const missing = this.#written - start.length - end.length
    return `${readable(start)}\n[… ${missing} bytes left out …]\n${readable(end)}`
  }

  /** The last `bytes` of it at most. */
  end(bytes: number): string {
    const kept = Buffer.concat([this.#head, this.#ring.bytes()])
    return kept.length <= bytes ? readable(kept) : `[…]${readable(withoutCutStart(kept.subarray(-bytes)))}`
  }
}

class Ring {
  readonly #size: number
  #store: Buffer | null = null
  #at = 0
  #filled = 0

  constructor(size: number) {
    this.#size = size
  }

  write(bytes: Buffer): void {
    if (bytes.length === 0) return
    this.#store ??= Buffer.alloc(this.#size)
    const kept = bytes.subarray(Math.max(0, bytes.length - this.#size))
    const fitted = kept.copy(this.#store, this.#at)
    kept.copy(this.#store, 0, fitted)
    this.#at = (this.#at + kept.length) % this.#size
    this.#filled = Math.min(this.#size, this.#filled + kept.length)
  }

  bytes(): Buffer {
    if (this.#store === null) return Buffer.alloc(0)
    if (this.#filled < this.#size) return this.#store.subarray(0, this.#filled)
    return Buffer.concat([this.#store.subarray(this.#at), this.#store.subarray(0, this.#at)])
  }
}

/** Bytes that are no UTF-8 become U+FFFD. NUL becomes its picture: not every store can keep it in text. */
function readable(bytes: Buffer): string {
  return bytes.toString('utf8').replaceAll('\0', '␀')
}
