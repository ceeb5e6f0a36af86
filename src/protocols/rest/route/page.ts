export const USUAL_LIMIT = 50

/** The cursor of the next page; `null` if this one is not full. */
export function nextOf<T>(page: readonly T[], limit: number, idOf: (row: T) => string): string | null {
  const last = page.at(-1)
  return last !== undefined && page.length >= limit ? idOf(last) : null
}
