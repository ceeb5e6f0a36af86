import type { Amount } from '../count.ts'
import type { JournalEvent } from '../journal/event.ts'
import { failureAfter, type RunFailure } from '../run/outcome/run-failure.ts'
import type { JsonObject } from '../text/json.ts'

/** What its end does not say of a run: nobody may think that all went well. */
export interface RunOutcome {
  /** How its last program, or a call that was approved, failed; `null` if that went well. */
  readonly failed: RunFailure | null
  /** The number of its calls that people rejected. */
  readonly rejected: Amount
}

export const NO_OUTCOME: RunOutcome = { failed: null, rejected: 0 }

type Arguments = Map<string, JsonObject | string>

export function runOutcome(runId: string, events: readonly JournalEvent[]): RunOutcome {
  const args: Arguments = new Map()
  const approved = new Set<string>()
  let failed: RunFailure | null = null
  let rejected = 0
  for (const event of events.filter(({ run_id }) => run_id === runId)) {
    noteArguments(args, event)
    if (isApproval(event)) approved.add(event.data.call_id ?? '')
    if (event.kind === 'call.finished') {
      const { call_id, ...ended } = event.data
      failed = failureAfter(failed, { ...ended, args: args.get(call_id) ?? null, isApproved: approved.has(call_id) })
    }
    if (isRejection(event)) rejected += 1
  }
  return { failed, rejected }
}

function isApproval(event: JournalEvent): event is Extract<JournalEvent, { kind: 'hold.decided' }> {
  return event.kind === 'hold.decided' && ['approve', 'edit'].includes(event.data.decision.verdict)
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
