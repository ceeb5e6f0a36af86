import { durationText } from '../../../src/core/text/duration-text.ts'
import { outcomeText } from '../../../src/core/timeline/call-outcome.ts'
import { KIND_NAMES } from '../parts/kinds.ts'
import type { Span } from './where-time-went.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND

/** `240 ms`, `3.2 s`, `41 s`, `2 h 30 min`. */
export function lengthText(ms: number): string {
  if (ms < SECOND) return `${Math.round(ms)} ms`
  return ms < MINUTE / 6 ? `${(ms / SECOND).toFixed(1)} s` : durationText(ms)
}

/** The subject of a span. */
export function nameOf(span: Span): string {
  if (span.kind === 'model') return span.model
  if (span.kind === 'call') return span.attempt > 1 ? `${span.tool}, attempt ${span.attempt}` : span.tool
  return span.tool === null ? KIND_NAMES[span.hold_kind] : `${KIND_NAMES[span.hold_kind]} of ${span.tool}`
}

const VERDICTS = { approve: 'approved', reject: 'rejected', edit: 'edited', respond: 'answered', cancel: 'cancelled' }

type SpanOf<K extends Span['kind']> = Extract<Span, { kind: K }>

const ENDS: { readonly [K in Span['kind']]: (span: SpanOf<K>) => string } = {
  model: ({ called }) => (called.length > 0 ? `called ${[...new Set(called)].join(', ')}` : 'answered'),
  call: ({ error, ended_at, status, outcome }) =>
    error ?? (ended_at === null ? 'runs' : (outcome && outcomeText(outcome)) || (CALL_ENDS[status] ?? status)),
  wait: ({ outcome, verdict, by }) =>
    outcome === 'decided' && verdict !== null ? `${VERDICTS[verdict]} by ${by}` : (outcome ?? 'waits'),
}

/** How it ended, or that it did not. */
export function endOf(span: Span): string {
  return (ENDS[span.kind] as (span: Span) => string)(span)
}

const CALL_ENDS: Readonly<Record<string, string>> = { succeeded: 'done', suspended: 'asked a person' }
