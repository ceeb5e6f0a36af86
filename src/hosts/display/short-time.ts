import { durationText } from '../../core/text/duration-text.ts'

/** Milliseconds for people who wait: `2.1 s`, `41 s`, `3 min`. Empty below a second, which needs no words. */
export function shortTime(milliseconds: number): string {
  if (milliseconds < 1000) return ''
  return milliseconds < 10_000 ? `${(milliseconds / 1000).toFixed(1)} s` : durationText(milliseconds)
}
