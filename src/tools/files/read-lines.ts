import type { FileHandle } from 'node:fs/promises'
import { ToolError } from '../../core/errors.ts'
import { withoutCutEnd } from '../../core/text/utf8-cut.ts'

const CHUNK_BYTES = 64 * 1024
const NEWLINE = 10

export interface LineRange {
  /** The first line, counted from 1. */
  readonly offset: number
  readonly limit: number
  readonly maxBytes: number
}

export interface Lines {
  readonly text: string
  readonly count: number
  /** The line to read on from; `null` at the end of the file. */
  readonly next: number | null
  /** True if the last line was longer than `maxBytes` by itself. */
  readonly cut: boolean
  /** `null` if the file was not read to its end. */
  readonly total: number | null
}

/**
 * Whole lines of a text file, in memory that does not grow with the file. @throws ToolError BINARY_FILE if the lines
 * have NUL bytes.
 */
export async function readLines(file: FileHandle, range: LineRange): Promise<Lines> {
  return linesIn(chunksOf(file), range)
}

/** Reads lines like `readLines`, of a text that comes in pieces. */
export async function linesIn(chunks: AsyncIterable<Buffer> | Iterable<Buffer>, range: LineRange): Promise<Lines> {
  const window = new LineWindow(range)
  for await (const chunk of chunks) {
    if (chunk.includes(0)) throw new ToolError('BINARY_FILE', 'it has NUL bytes')
    for (const part of split(chunk)) if (!window.take(part)) return window.lines(false)
  }
  return window.lines(true)
}

/** What is written after the lines if more follow. */
export function moreLines({ next, cut }: Lines): string {
  if (next === null) return ''
  const rest = cut ? '\n[… the rest of this line is left out: it is too long …]' : ''
  return `${rest}\n[… more lines follow; read on with offset ${next} …]`.slice(rest === '' ? 1 : 0)
}

/** A line, or as much of it as was read at once. */
interface Part {
  readonly bytes: Buffer
  readonly endsLine: boolean
}

async function* chunksOf(file: FileHandle): AsyncGenerator<Buffer> {
  const buffer = Buffer.alloc(CHUNK_BYTES)
  for (;;) {
    const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, null)
    if (bytesRead === 0) return
    yield buffer.subarray(0, bytesRead)
  }
}

function* split(chunk: Buffer): Generator<Part> {
  for (let at = 0; at < chunk.length; ) {
    const found = chunk.indexOf(NEWLINE, at)
    const end = found < 0 ? chunk.length : found + 1
    yield { bytes: chunk.subarray(at, end), endsLine: found >= 0 }
    at = end
  }
}

class LineWindow {
  readonly #range: LineRange
  readonly #whole: Buffer[] = []
  /** The kept part of the line under way. */
  #current: Buffer = Buffer.alloc(0)
  #room: number
  /** The line that the next part belongs to. */
  #line = 1
  #lineHasBegun = false
  #overflowed = false

  constructor(range: LineRange) {
    this.#range = range
    this.#room = range.maxBytes
  }

  /** False if this part does not fit into the window, or not all of it. */
  take({ bytes, endsLine }: Part): boolean {
    const { offset, limit } = this.#range
    if (this.#line >= offset + limit) return false
    if (this.#line >= offset) this.#keep(bytes)
    if (this.#overflowed) return false
    this.#lineHasBegun = !endsLine
    if (endsLine) this.#endLine()
    return true
  }

  #keep(bytes: Buffer): void {
    this.#overflowed = bytes.length > this.#room
    // A copy: the part is only lent.
    this.#current = Buffer.concat([this.#current, bytes.subarray(0, this.#room)])
    this.#room -= Math.min(this.#room, bytes.length)
  }

  #endLine(): void {
    this.#whole.push(this.#current)
    this.#current = Buffer.alloc(0)
    this.#line++
  }

  lines(atEnd: boolean): Lines {
    const { offset } = this.#range
    const cut = this.#overflowed && this.#line === offset
    if (cut) return { text: withoutCutEnd(this.#current).toString(), count: 1, next: offset + 1, cut, total: null }
    const last = this.#lineHasBegun && !this.#overflowed ? this.#line : this.#line - 1
    return {
      text: Buffer.concat(this.#overflowed ? this.#whole : [...this.#whole, this.#current]).toString(),
      count: Math.max(0, last - offset + 1),
      next: atEnd ? null : last + 1,
      cut,
      total: atEnd ? last : null,
    }
  }
}
