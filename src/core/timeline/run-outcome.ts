import type { Amount } from '../count.ts'
import type { JournalEvent } from '../journal/event.ts'
import { type CallOutcome, callOutcome } from '../run/outcome/call-outcome.ts'
import type { JsonObject } from '../text/json.ts'

/** What its end does not say of a run: nobody may think that all went well. */
export interface RunOutcome {
  /** How its last program failed; `null` if that went well, or it ran none. */
  readonly failed: CallOutcome | null
  /** The number of its calls that people rejected. */
  readonly rejected: Amount
}

export const NO_OUTCOME: RunOutcome = { failed: null, rejected: 0 }

type Arguments = Map<string, JsonObject | string>

export function runOutcome(runId: string, events: readonly JournalEvent[]): RunOutcome {
  const args: Arguments = new Map()
  let last: CallOutcome | null = null
  let rejected = 0
  for (const event of events.filter(({ run_id }) => run_id === runId)) {
    noteArguments(args, event)
    if (event.kind === 'call.finished')
      last = callOutcome(event.data.output, args.get(event.data.call_id) ?? null) ?? last
    if (isRejection(event)) rejected += 1
  }
  return { failed: last?.failed === true ? last : null, rejected }
}

function isRejection({ kind, data }: JournalEvent): boolean {
  return kind === 'hold.decided' && data.call_id !== null && data.decision.verdict === 'reject'
}

/** An approver may have edited what the model asked for. */
function noteArguments(args: Arguments, { kind, data }: JournalEvent): void {
  if (kind === 'model.answered') for (const call of data.calls) args.set(call.id, call.arguments)
  if (kind === 'hold.decided' && data.call_id !== null && data.decision.arguments !== null)
    args.set(data.call_id, data.decision.arguments)
}
