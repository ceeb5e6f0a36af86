/**
 * The place of kept output: a directory for each invocation, with files named by their offset in all that was printed.
 * The first file and the newest two stay. So the head and the tail survive, and disk use is bounded.
 */
import { join } from 'node:path'
import type { OutputStream } from '../ports/process/task-manager.ts'

export interface SegmentSizes {
  /** Of the first file. */
  readonly head: number
  /** Of each other one. */
  readonly segment: number
}

export const SEGMENT_SIZES: SegmentSizes = { head: 256 * 1024, segment: 512 * 1024 }

/** Files behind the first one that are kept. */
export const TAIL_SEGMENTS = 2

export function outputDirectory(directory: string, taskId: string, invocation: number): string {
  return join(directory, taskId, String(invocation))
}

export function segmentName(stream: OutputStream, offset: number): string {
  return `${stream}.${offset}`
}

/** The offset at which a file of that name begins; `null` if it belongs to another stream. */
export function offsetIn(name: string, stream: OutputStream): number | null {
  const digits = name.startsWith(`${stream}.`) ? name.slice(stream.length + 1) : ''
  return /^\d+$/.test(digits) ? Number(digits) : null
}
