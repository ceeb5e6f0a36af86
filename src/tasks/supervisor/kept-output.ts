/**
 * Writes the output of one stream of a process.
 * K1  Each piece is in the file before the next one is asked for. Memory and delay stay bounded, and a process that
 *     prints too fast waits.
 * K2  Output that cannot be kept does no harm: it is counted, and `fault` has the reason.
 */
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf } from '../../core/errors.ts'
import type { OutputStream } from '../../ports/process/task-manager.ts'
import { SEGMENT_SIZES, type SegmentSizes, segmentName, TAIL_SEGMENTS } from '../output-segments.ts'

interface OutputDeps {
  /** The caller makes it. */
  readonly directory: string
  readonly stream: OutputStream
  readonly sizes?: SegmentSizes
}

export class KeptOutput implements Disposable {
  readonly #directory: string
  readonly #stream: OutputStream
  readonly #sizes: SegmentSizes
  /** The offsets of the files after the first one. */
  readonly #tail: number[] = []
  #descriptor: number | null = null
  /** Bytes that the open file still takes. */
  #room = 0
  #written = 0
  #size = 0
  #fault: string | null = null

  constructor({ directory, stream, sizes = SEGMENT_SIZES }: OutputDeps) {
    this.#directory = directory
    this.#stream = stream
    this.#sizes = sizes
  }

  /** All that was printed, kept or not. */
  get size(): number {
    return this.#size
  }

  /** Why not all of it could be kept; `null`: it could. */
  get fault(): string | null {
    return this.#fault
  }

  write(chunk: Uint8Array): void {
    this.#size += chunk.length
    for (let at = 0; at < chunk.length && this.#fault === null; ) at += this.#keep(chunk.subarray(at))
  }

  /** How many of `bytes` were written. */
  #keep(bytes: Uint8Array): number {
    try {
      const descriptor = this.#room > 0 && this.#descriptor !== null ? this.#descriptor : this.#openNext()
      const count = writeSync(descriptor, bytes, 0, Math.min(bytes.length, this.#room))
      this.#room -= count
      this.#written += count
      return count
    } catch (thrown) {
      this.#fault = messageOf(thrown)
      return 0
    }
  }

  #openNext(): number {
    this[Symbol.dispose]()
    const begin = this.#written
    const descriptor = openSync(join(this.#directory, segmentName(this.#stream, begin)), 'wx', 0o600)
    this.#descriptor = descriptor
    this.#room = begin === 0 ? this.#sizes.head : this.#sizes.segment
    if (begin > 0) this.#tail.push(begin)
    if (this.#tail.length > TAIL_SEGMENTS) this.#forget(this.#tail.shift() ?? 0)
    return descriptor
  }

  #forget(begin: number): void {
    rmSync(join(this.#directory, segmentName(this.#stream, begin)), { force: true })
  }

  [Symbol.dispose](): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor)
    this.#descriptor = null
  }
}
