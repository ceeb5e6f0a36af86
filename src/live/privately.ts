/** A socket is made with the rights that the umask leaves, from its first moment. */
export function privately(make: () => void): void {
  let before: number | null = null
  try {
    before = process.umask(0o177)
  } catch {
    // Threads of a worker cannot: the directory alone keeps others out.
  }
  try {
    make()
  } finally {
    if (before !== null) process.umask(before)
  }
}
