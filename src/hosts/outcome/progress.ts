import type { JournalEvent } from '../../core/journal/event.ts'
import { modelName } from '../../core/run/profile.ts'
import { visibleLine } from '../../core/text/visible-text.ts'
import type { Ephemeral } from '../../ports/event-sink.ts'

type Line = (event: never) => string

/** The lines of `--verbose`; other events have none. */
const LINES: Readonly<Record<string, Line>> = {
  'run.started': ({ run_id, data }: EventOf<'run.started'>) =>
    `run ${run_id} started with ${modelName(data.profile) ?? 'the model of its agent'}`,
  'model.answered': ({ data }: EventOf<'model.answered'>) =>
    `the model answered: ${data.calls.length} ${data.calls.length === 1 ? 'call' : 'calls'}, ${data.usage.total_tokens} tokens (${data.finish_reason})`,
  'call.gated': ({ data }: EventOf<'call.gated'>) => `${data.call_id} may run: ${data.rule}`,
  'call.started': ({ data }: EventOf<'call.started'>) => `${data.call_id} runs (attempt ${data.attempt})`,
  'call.finished': ({ data }: EventOf<'call.finished'>) =>
    `${data.call_id} ${data.status}${data.error ? `: ${data.error.code}` : ''}`,
  'hold.opened': ({ data }: EventOf<'hold.opened'>) =>
    `${data.call_id ?? 'the run'} waits (${data.kind}): ${data.because}`,
  'hold.decided': ({ data }: EventOf<'hold.decided'>) =>
    `${data.decision.decided_by} says ${data.decision.verdict} to ${data.call_id ?? data.hold_id}`,
  'hold.voted': ({ data }: EventOf<'hold.voted'>) =>
    `${data.decision.decided_by} approves ${data.call_id ?? data.hold_id} (${data.have} of ${data.need})`,
  'run.finished': ({ data }: EventOf<'run.finished'>) => `the run is finished: ${data.termination.type}`,
  'model.retrying': ({ data }: Extract<Ephemeral, { kind: 'model.retrying' }>) =>
    `the model failed (${data.code}: ${data.message}); try ${data.attempt} in ${data.wait_ms} ms`,
}

type EventOf<K extends JournalEvent['kind']> = Extract<JournalEvent, { kind: K }>

/** One line without its end, or `null`. */
export function progressLine(event: JournalEvent | Ephemeral): string | null {
  const line = LINES[event.kind]
  return line ? visibleLine(line(event as never)) : null
}
