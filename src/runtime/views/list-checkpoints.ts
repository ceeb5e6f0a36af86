import type { Amount } from '../../core/count.ts'
import type { CheckpointReason, JournalEvent } from '../../core/journal/event.ts'

/** A place in a thread that a fork can begin from. */
export interface CheckpointRow {
  readonly checkpoint_id: string
  readonly seq: Amount
  /** ISO time. */
  readonly at: string
  readonly run_id: string
  readonly reason: CheckpointReason
  /** Inference rounds that its run had taken by then. */
  readonly steps: Amount
}

/** Oldest first. */
export function listCheckpoints(events: readonly JournalEvent[]): CheckpointRow[] {
  let steps = 0
  return events.flatMap(event => {
    if (event.kind === 'run.started') steps = event.data.carried?.steps ?? 0
    if (event.kind === 'step.started') steps = event.data.step
    if (event.kind !== 'checkpoint.named') return []
    const { checkpoint_id, reason } = event.data
    const { seq, at, run_id } = event
    return [{ checkpoint_id, seq, at, run_id, reason, steps }]
  })
}
