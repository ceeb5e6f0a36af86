/**
 * Makes a directory and its missing parents. `make` makes one, and throws the system's error. Node's own recursive way
 * never ends below `/proc`, which refuses directories although the parent exists.
 */
export function makeDirectories(path: string, make: (path: string) => void): void {
  const failed = failureOf(path, make)
  if (failed === null) return
  const above = directoryAbove(path)
  if (failed.code !== 'ENOENT' || above === path) throw failed
  makeDirectories(above, make)
  const again = failureOf(path, make)
  if (again) throw again
}

/** `null` if the directory exists now: another process may have been quicker. */
function failureOf(path: string, make: (path: string) => void): (Error & { code: unknown }) | null {
  try {
    make(path)
    return null
  } catch (thrown) {
    if (!(thrown instanceof Error && 'code' in thrown)) throw thrown
    // macOS reports EISDIR for the root.
    return thrown.code === 'EEXIST' || thrown.code === 'EISDIR' ? null : thrown
  }
}

function directoryAbove(path: string): string {
  const own = path.replace(/(?<=.)\/+$/, '')
  const at = own.lastIndexOf('/')
  return at < 0 ? '.' : own.slice(0, at) || '/'
}
