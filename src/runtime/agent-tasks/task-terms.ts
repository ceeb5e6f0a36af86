const LONGEST = 80

/** A title for a task without one: the beginning of its first line. */
export function shortTitle(text: string): string {
  const [line = ''] = text.trim().split('\n')
  return [...line].slice(0, LONGEST).join('')
}

/** Whole milliseconds, as tasks are kept: seconds may have any fraction. `null`: no limit. */
export function timeoutMs(seconds: number | null): number | null {
  return seconds === null ? null : Math.max(1, Math.round(seconds * 1000))
}
