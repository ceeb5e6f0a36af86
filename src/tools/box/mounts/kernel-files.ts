import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const PROC = '/proc'
/** Of the namespaces and processes of the box. */
const OF_THE_BOX = /^\d+$|^(?:self|thread-self|net|mounts)$/

let known: readonly string[] | null = null

/**
 * Mounts over what `/proc` has of the whole machine. The kernel asks for no right beyond being root to write
 * `/proc/sys/kernel/core_pattern`, and bubblewrap leaves it as it is.
 */
export function kernelFiles(closedFile: string): readonly string[] {
  known ??= readdirSync(PROC).filter(name => !OF_THE_BOX.test(name))
  return known.flatMap(name => coverOf(join(PROC, name), closedFile))
}

function coverOf(path: string, closedFile: string): readonly string[] {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats?.isDirectory()) return ['--ro-bind', path, path]
  const isOpen = (stats?.mode ?? 0o444) & 0o004 && !((stats?.mode ?? 0) & 0o222)
  return isOpen || stats?.isSymbolicLink() ? [] : ['--ro-bind', closedFile, path]
}
