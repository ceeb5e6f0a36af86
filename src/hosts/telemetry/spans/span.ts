import { createHash } from 'node:crypto'

export type SpanAttribute = string | number | boolean | readonly string[]

/** A span that is over, made from the events of a journal. The same events make the same span, in any process. */
export interface FinishedSpan {
  readonly name: string
  /** `client` for what another system does. */
  readonly kind: 'internal' | 'client'
  readonly run_id: string
  readonly trace_id: string
  readonly span_id: string
  /** `null` for the span of a run that no agent started. */
  readonly parent_id: string | null
  /** ISO times. */
  readonly start: string
  readonly end: string
  /** Why it failed, as a code; `null` if it did not. */
  readonly error: string | null
  readonly attributes: Readonly<Record<string, SpanAttribute>>
}

/** A trace is a run that no agent started, with all runs below it: 16 bytes in hexadecimal. */
export function traceIdOf(runId: string): string {
  return hashed(runId, 32)
}

/** The span of a run itself: 8 bytes. */
export function rootIdOf(runId: string): string {
  return hashed(`${runId}/run`, 16)
}

/** Any other span is the event that it begins with. */
export function spanIdOf(threadId: string, seq: number): string {
  return hashed(`${threadId}/${seq}`, 16)
}

function hashed(text: string, digits: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, digits)
}
