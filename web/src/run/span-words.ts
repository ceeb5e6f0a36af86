import { outcomeText } from '../../../src/core/run/outcome/call-outcome.ts'
import { durationText } from '../../../src/core/text/duration-text.ts'
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
  const title = span.title === null || span.title === '' ? null : span.title
  if (span.kind === 'call') return title ?? span.tool
  return title ?? KIND_NAMES[span.hold_kind]
}

const VERDICTS = { approve: 'approved', reject: 'rejected', edit: 'edited', respond: 'answered', cancel: 'cancelled' }

type SpanOf<K extends Span['kind']> = Extract<Span, { kind: K }>

const ENDS: { readonly [K in Span['kind']]: (span: SpanOf<K>) => string } = {
  model: ({ called }) => (called.length > 0 ? `called ${[...new Set(called)].join(', ')}` : 'answered'),
  call: ({ error, ended_at, status, outcome }) =>
    error ?? (ended_at === null ? 'runs' : (outcome && exitOf(outcome)) || (CALL_ENDS[status] ?? status)),
  wait: ({ outcome, verdict, by }) =>
    outcome === 'decided' && verdict !== null ? `${VERDICTS[verdict]} by ${by}` : (outcome ?? 'waits'),
}

/** Small facts of a span: its tool, unless its name has it, and a later attempt. */
export function factsOf(span: Span): readonly string[] {
  if (span.kind === 'model') return []
  const tool = span.tool !== null && !nameOf(span).includes(span.tool) ? [span.tool] : []
  return span.kind === 'call' && span.attempt > 1 ? [...tool, `attempt ${span.attempt}`] : tool
}

/** How it ended, or that it did not. */
export function endOf(span: Span): string {
  return (ENDS[span.kind] as (span: Span) => string)(span)
}

/** True for a call that did not do what it was for. */
export function isFault(span: Span): boolean {
  return span.kind === 'call' && (span.status === 'failed' || span.error !== null || span.outcome?.failed === true)
}

function exitOf(outcome: NonNullable<SpanOf<'call'>['outcome']>): string {
  const exit = outcomeText(outcome)
  if (exit === '') return ''
  return outcome.failed ? `failed: ${exit}` : `${exit}, an answer`
}

const CALL_ENDS: Readonly<Record<string, string>> = { succeeded: 'done', suspended: 'asked a person' }
