/** Whole milliseconds, as tasks are kept: seconds may have any fraction. `null`: no limit. */
export function timeoutMs(seconds: number | null): number | null {
  return seconds === null ? null : Math.max(1, Math.round(seconds * 1000))
}
