/**
 * Milliseconds of a clock that never jumps, for waits within this process. Loading `performance` for it would cost each
 * short process some milliseconds.
 */
export function monotonicMs(): number {
  return process.uptime() * 1_000
}
