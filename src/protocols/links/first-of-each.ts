/** Keys beyond it are forgotten, all at once: each may then come as often again. */
const MOST_KEYS = 10_000

/** True for the first `most` times that a key comes: so a client cannot fill the log with one request. */
export function firstOfEach(most: number): (key: string) => boolean {
  const times = new Map<string, number>()
  return key => {
    const count = (times.get(key) ?? 0) + 1
    if (times.size >= MOST_KEYS) times.clear()
    times.set(key, count)
    return count <= most
  }
}
