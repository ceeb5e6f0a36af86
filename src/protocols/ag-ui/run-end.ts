import { describeEnd, outcomeOf, type Termination } from '../../core/run/termination.ts'
import { warningsOf } from '../../core/run/warnings/warnings-of.ts'
import type { Json } from '../../core/text/json.ts'
import type { AgUiEvent, RunOutcome } from './ag-ui-event.ts'
import { interruptOf } from './interrupt.ts'
import type { RunInput } from './run-input.ts'
import type { Waiting } from './waiting.ts'

/** The last event of an answer whose run is done. `text` is the last text of the agent. */
export function doneEvent(input: RunInput, end: Termination, text: string): AgUiEvent {
  if (outcomeOf(end) === 'completed') return { ...finished(input, { type: 'success' }), result: text }
  if (end.type === 'cancelled' && !isLegacy(input)) return finished(input, { type: 'cancelled' })
  return { type: 'RUN_ERROR', code: codeOf(end), message: `The run ended: ${describeEnd(end)}.` }
}

/** Sent before the end of a run: an agent may claim that all is done although calls of it were refused. */
export function warningEvents(run: Parameters<typeof warningsOf>[0]): readonly AgUiEvent[] {
  const warnings = warningsOf(run)
  if (warnings.length === 0) return []
  return [{ type: 'CUSTOM', name: 'holdpoint.warnings', value: warnings as unknown as Json }]
}

/** The last event of an answer whose run waits. */
export function waitingEvent(input: RunInput, { interrupts, calls }: Waiting): AgUiEvent {
  if (interrupts.length > 0)
    return finished(input, {
      type: 'interrupt',
      interrupts: interrupts.map(hold => interruptOf(hold, isLegacy(input))),
    })
  const ids = calls.flatMap(({ call_id }) => call_id ?? [])
  const isTold = ids.length > 0 && !isLegacy(input)
  return finished(input, { type: 'success', ...(isTold && { pendingToolCallIds: ids }) })
}

/** A client from before 1.0 ends a run whose outcome it does not know. */
export function isLegacy({ protocolVersion }: RunInput): boolean {
  return protocolVersion === null
}

function finished({ threadId, runId }: RunInput, outcome: RunOutcome): Extract<AgUiEvent, { type: 'RUN_FINISHED' }> {
  return { type: 'RUN_FINISHED', threadId, runId, outcome }
}

function codeOf(end: Termination): string {
  return end.type === 'stopped' || end.type === 'error' ? end.code : end.type
}
