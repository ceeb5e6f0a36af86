import { closeSync, fsyncSync, openSync } from 'node:fs'

/** What was written to a file, or which names a directory has, is on the disk afterwards. */
export function syncFile(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
