import type { Documents } from '../api/documents.ts'
import { type Interval, totalOf } from './time-scale.ts'

export type Timeline = Documents['RunTimeline']
export type Span = Timeline['spans'][number]

/** Milliseconds of a run, by what it was busy with. A moment in which a tool ran is none in which people were waited for. */
export interface TimeShares {
  readonly model: number
  readonly call: number
  readonly wait: number
  /** Time in which the run could continue and no process worked on it. */
  readonly rest: number
}

/** `now` in milliseconds since 1970: what is under way lasts until then. */
export function intervalOf({ started_at, ended_at }: Pick<Span, 'started_at' | 'ended_at'>, now: number): Interval {
  const from = Date.parse(started_at)
  return { from, to: Math.max(ended_at === null ? now : Date.parse(ended_at), from) }
}

export function timeShares(timeline: Timeline, now: number): TimeShares {
  const of = (...kinds: readonly Span['kind'][]) =>
    totalOf(timeline.spans.filter(({ kind }) => kinds.includes(kind)).map(span => intervalOf(span, now)))
  const { from, to } = intervalOf(timeline, now)
  const all = of('model', 'call', 'wait')
  const model = of('model')
  const busy = of('model', 'call')
  return { model, call: busy - model, wait: all - busy, rest: Math.max(to - from - all, 0) }
}
