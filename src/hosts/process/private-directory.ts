import { chmodSync, mkdirSync, statSync } from 'node:fs'

const OWNER_ONLY = 0o700

/** Makes a directory that its owner alone may enter, by any umask; one that exists is narrowed. */
export function makePrivateDirectory(path: string): void {
  mkdirSync(path, { recursive: true, mode: OWNER_ONLY })
  const { uid, mode } = statSync(path)
  if (uid !== process.getuid?.() || (mode & 0o777) === OWNER_ONLY) return
  try {
    chmodSync(path, OWNER_ONLY)
  } catch {
    // A file system that knows no rights.
  }
}
