/**
 * The place of kept output: a directory for each invocation, with files named by their offset in all that was printed.
 * The first file and the newest two stay. So the head and the tail survive, and disk use is bounded.
 */

import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { OutputStream } from '../ports/process/task-manager.ts'
import type { TaskRegistry } from '../ports/store/fleet/task-registry.ts'

export interface SegmentSizes {
  /** The limit of the first file. */
  readonly head: number
  /** The limit of each other file. */
  readonly segment: number
}

export const SEGMENT_SIZES: SegmentSizes = { head: 256 * 1024, segment: 512 * 1024 }

/** How many files after the first are kept. */
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

/** In one query. */
const AT_ONCE = 500

/** Removes output of tasks that the registry no longer has. Entries that are not named like a task stay. */
export async function sweepOutput(registry: TaskRegistry, directory: string): Promise<void> {
  // Listed first: a task is on record before anything of it is kept.
  const kept = (await namesIn(directory)).filter(name => name.startsWith('task_'))
  for (let from = 0; from < kept.length; from += AT_ONCE) {
    const ids = kept.slice(from, from + AT_ONCE)
    const known = new Set((await registry.tasks({ ids })).map(({ id }) => id))
    for (const id of ids) if (!known.has(id)) await rm(join(directory, id), { recursive: true, force: true })
  }
}

async function namesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory)
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw thrown
  }
}
