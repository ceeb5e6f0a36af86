import type { JournalEvent } from '../journal/event.ts'
import type { JsonObject } from '../text/json.ts'
import { type CallOutcome, callOutcome } from './call-outcome.ts'

type Arguments = Map<string, JsonObject | string>

/** The exit of the last program that the run ran, if that failed: a run of which nobody may think that all went well. */
export function failedOutcome(runId: string, events: readonly JournalEvent[]): CallOutcome | null {
  const args: Arguments = new Map()
  let last: CallOutcome | null = null
  for (const event of events.filter(({ run_id }) => run_id === runId)) {
    noteArguments(args, event)
    if (event.kind === 'call.finished')
      last = callOutcome(event.data.output, args.get(event.data.call_id) ?? null) ?? last
  }
  return last?.failed === true ? last : null
}

/** An approver may have edited what the model asked for. */
function noteArguments(args: Arguments, { kind, data }: JournalEvent): void {
  if (kind === 'model.answered') for (const call of data.calls) args.set(call.id, call.arguments)
  if (kind === 'hold.decided' && data.call_id !== null && data.decision.arguments !== null)
    args.set(data.call_id, data.decision.arguments)
}
