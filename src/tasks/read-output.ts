/**
 * Reads the kept part of one stream, even while it is written.
 * R1  Pages that are read in order, each from `next` of the one before, are the whole kept text, for any limits and any
 *     bytes.
 * R2  No character is cut: not by a page, nor by the edge of the kept part, nor because its last bytes were not printed
 *     yet.
 */
import { closeSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { withoutCutEnd, withoutCutStart } from '../core/text/utf8-cut.ts'
import type { OutputStream, TaskOutput } from '../ports/process/task-manager.ts'
import { offsetIn, segmentName } from './output-segments.ts'

const USUAL_LIMIT = 64 * 1024
const LONGEST_CHARACTER = 4
/** Files come and go while they are read. */
const MOST_ATTEMPTS = 20

export interface OutputPlace {
  readonly directory: string
  readonly stream: OutputStream
  /** Bytes printed in all; `null` if that is not known, or not yet. */
  readonly size: number | null
  /** True if no more output will follow. */
  readonly isOver: boolean
}

export function readOutput(place: OutputPlace, range: { readonly from?: number; readonly limit?: number }): TaskOutput {
  for (let attempt = 1; ; attempt++) {
    try {
      return readPage(place, range)
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT' || attempt === MOST_ATTEMPTS) throw thrown
    }
  }
}

function readPage(
  place: OutputPlace,
  { from = 0, limit = USUAL_LIMIT }: { from?: number; limit?: number },
): TaskOutput {
  using kept = new KeptRuns(place)
  const { size } = kept
  const asked = from < 0 ? Math.max(0, size + from) : Math.min(from, size)
  const run = kept.runs.find(({ end }) => end > asked)
  if (!run) return { text: '', from: size, next: size, size, missing: size - asked }
  const begin = kept.beginOfCharacter(run, Math.max(asked, run.begin))
  const end = Math.min(run.end, begin + Math.max(limit, LONGEST_CHARACTER))
  const bytes = kept.bytes(begin, end)
  const whole = end === run.end && run.isFinal ? bytes : withoutCutEnd(bytes)
  const next = begin + whole.length
  return { text: whole.toString('utf8'), from: begin, next, size, missing: Math.max(0, begin - asked) }
}

interface Segment {
  readonly begin: number
  readonly end: number
  readonly descriptor: number
}

/** A kept part without a gap, trimmed to whole characters next to a gap. */
interface Run {
  readonly begin: number
  readonly end: number
  /** Nothing is to be added to it. */
  readonly isFinal: boolean
}

class KeptRuns implements Disposable {
  readonly size: number
  readonly runs: readonly Run[]
  readonly #segments: Segment[] = []

  constructor({ directory, stream, size, isOver }: OutputPlace) {
    try {
      // The newest first: it is the last one to be removed, and shows how much was printed.
      for (const [index, begin] of offsets(directory, stream).toReversed().entries()) {
        const segment = openSegment(join(directory, segmentName(stream, begin)), begin, index > 0)
        if (segment) this.#segments.unshift(segment)
      }
      const keptEnd = this.#segments.at(-1)?.end ?? 0
      this.size = size ?? keptEnd
      this.runs = this.#joined().map((run, index, all) => this.#trimmed(run, index + 1 < all.length || isOver))
    } catch (thrown) {
      this[Symbol.dispose]()
      throw thrown
    }
  }

  #joined(): { begin: number; end: number }[] {
    const runs: { begin: number; end: number }[] = []
    for (const { begin, end } of this.#segments) {
      const last = runs.at(-1)
      if (last?.end === begin) last.end = end
      else runs.push({ begin, end })
    }
    return runs
  }

  #trimmed({ begin, end }: { begin: number; end: number }, isFinal: boolean): Run {
    const start = this.bytes(begin, Math.min(end, begin + LONGEST_CHARACTER - 1))
    const rest = this.bytes(Math.max(begin, end - LONGEST_CHARACTER + 1), end)
    const cutStart = begin === 0 ? 0 : start.length - withoutCutStart(start).length
    const cutEnd = end < this.size ? rest.length - withoutCutEnd(rest).length : 0
    return { begin: begin + cutStart, end: Math.max(begin + cutStart, end - cutEnd), isFinal }
  }

  /** The offset of the character that holds the byte at `at`. */
  beginOfCharacter(run: Run, at: number): number {
    const first = Math.max(run.begin, at - LONGEST_CHARACTER + 1)
    const before = this.bytes(first, at)
    const [there = 0] = this.bytes(at, at + 1)
    const isWithin = (there & 0b1100_0000) === 0b1000_0000
    return isWithin ? first + withoutCutEnd(before).length : at
  }

  bytes(begin: number, end: number): Buffer {
    const bytes = Buffer.alloc(end - begin)
    for (const segment of this.#segments) {
      const from = Math.max(begin, segment.begin)
      const to = Math.min(end, segment.end)
      if (from < to) readSync(segment.descriptor, bytes, from - begin, to - from, from - segment.begin)
    }
    return bytes
  }

  [Symbol.dispose](): void {
    for (const { descriptor } of this.#segments) closeSync(descriptor)
  }
}

/** `null` if it is gone and may be: it was rotated away since it was listed, and leaves a gap. */
function openSegment(path: string, begin: number, mayBeGone: boolean): Segment | null {
  try {
    const descriptor = openSync(path, 'r')
    return { begin, end: begin + fstatSync(descriptor).size, descriptor }
  } catch (thrown) {
    if (mayBeGone && (thrown as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw thrown
  }
}

/** The offsets of the kept files, in order. */
function offsets(directory: string, stream: OutputStream): number[] {
  return namesIn(directory)
    .map(name => offsetIn(name, stream))
    .filter(offset => offset !== null)
    .sort((one, other) => one - other)
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw thrown
  }
}
