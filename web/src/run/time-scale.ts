/** Places moments on an axis from 0 to 1. */

/** In milliseconds since 1970. */
export interface Interval {
  readonly from: number
  readonly to: number
}

export interface Tick {
  /** Between 0 and 1. */
  readonly at: number
  /** Since the beginning, in milliseconds. */
  readonly since: number
}

export interface TimeScale {
  /** Between 0 and 1. */
  at(time: number): number
  readonly ticks: readonly Tick[]
}

const MOST_TICKS = 6
const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const STEPS: readonly number[] = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 20, 30].map(n => n * SECOND),
  ...[1, 2, 5, 10, 20, 30].map(n => n * MINUTE),
  ...[1, 2, 3, 6, 12].map(n => n * HOUR),
  ...[1, 2, 7, 14, 30, 90, 365, 3_650].map(n => n * DAY),
]

/** Each second is as wide as every other one. */
export function evenScale({ from, to }: Interval): TimeScale {
  const length = Math.max(to - from, 1)
  const step = STEPS.find(each => length / each <= MOST_TICKS) ?? length
  const ticks = Array.from({ length: Math.floor(length / step) + 1 }, (_, n) => ({
    at: (n * step) / length,
    since: n * step,
  }))
  return { at: time => share((time - from) / length), ticks }
}

/** The width of a time in which nothing was done, at most: a part of all that is shown. */
const GAP_SHARE = 0.04

/** Work is to scale, and the time between is shortened. */
export function busyScale(whole: Interval, busy: readonly Interval[]): TimeScale {
  const done = merged(busy)
  const longestGap = Math.max(totalOf(done) * GAP_SHARE, 1)
  const pieces = withGaps(whole, done).map(piece => ({
    ...piece,
    width: piece.isGap ? Math.min(piece.to - piece.from, longestGap) : piece.to - piece.from,
  }))
  const total = Math.max(
    pieces.reduce((sum, { width }) => sum + width, 0),
    1,
  )
  const at = (time: number): number => {
    let passed = 0
    for (const { from, to, width } of pieces) {
      if (time < to) return share((passed + (width * Math.max(time - from, 0)) / Math.max(to - from, 1)) / total)
      passed += width
    }
    return 1
  }
  return { at, ticks: [] }
}

interface Piece extends Interval {
  readonly isGap: boolean
}

function withGaps({ from, to }: Interval, done: readonly Interval[]): Piece[] {
  const pieces: Piece[] = []
  let end = from
  for (const each of done) {
    if (each.from > end) pieces.push({ from: end, to: each.from, isGap: true })
    pieces.push({ ...each, isGap: false })
    end = each.to
  }
  return end < to ? [...pieces, { from: end, to, isGap: true }] : pieces
}

/** Merges intervals that touch or overlap, in order. */
export function merged(intervals: readonly Interval[]): readonly Interval[] {
  const all: Interval[] = []
  for (const each of intervals.toSorted((a, b) => a.from - b.from)) {
    const last = all.at(-1)
    if (last && each.from <= last.to) all[all.length - 1] = { from: last.from, to: Math.max(last.to, each.to) }
    else all.push(each)
  }
  return all
}

/** In milliseconds. Each moment counts once. */
export function totalOf(intervals: readonly Interval[]): number {
  return merged(intervals).reduce((sum, { from, to }) => sum + to - from, 0)
}

function share(value: number): number {
  return Math.min(Math.max(value, 0), 1)
}
