import type { RunRow } from '../../../ports/store/runs.ts'
import type { RunView } from '../../../runtime/views/run-view.ts'

/** A run in full, as it stands. */
export function runDocument(view: RunView): object {
  const { id: run_id, thread_id, status, termination, checkpoint_id, holds, calls, usage, profile } = view
  const said = { agent_message: view.answer, holds, calls, steps_taken: view.steps, usage }
  return { run_id, thread_id, status, termination, checkpoint_id, agent: profile.agent, ...said, profile }
}

/** A run as a list shows it. */
export function runRowDocument({ id: run_id, ended, lease, hold_scope: _, ...row }: RunRow): object {
  const termination = ended === null ? null : { type: ended }
  return { run_id, ...row, termination, advancing_by: lease?.owner ?? null }
}
