const last = new Map<string, Promise<unknown>>()

/** Work on one path waits for earlier work on it: of two edits of a file in one batch, neither undoes the other. */
export async function oneAtATime<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  const mine = (last.get(path) ?? Promise.resolve()).then(work, work)
  last.set(path, mine)
  try {
    return await mine
  } finally {
    if (last.get(path) === mine) last.delete(path)
  }
}
