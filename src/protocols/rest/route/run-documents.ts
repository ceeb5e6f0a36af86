import type { StuckRun } from '../../../core/advancing/stuck-run.ts'
import { NO_OUTCOME, type RunOutcome } from '../../../core/timeline/run-outcome.ts'
import type { RunRow } from '../../../ports/store/runs.ts'
import type { RunOutline, RunView } from '../../../runtime/views/run-view.ts'

/** A run in full; the messages are those of its thread. */
export function runDocument({ messages: _, ...view }: RunOutline & Partial<Pick<RunView, 'messages'>>): object {
  const { id: run_id, thread_id, status, termination, failed, checkpoint_id, profile } = view
  const { answer: agent_message, steps: steps_taken, usage, counters, requesters, warnings } = view
  const { holds, decided, answers, calls, plan, stuck, outage } = view
  return {
    ...{ run_id, thread_id, status, termination, failed, checkpoint_id, agent: profile.agent },
    ...{ agent_message, holds, decided, answers, calls, plan, stuck, outage },
    ...{ steps_taken, usage, counters, requesters, warnings, profile },
  }
}

/** A run as a list shows it. */
export function runRowDocument({ id: run_id, ended, lease, hold_scope: _, failure: __, ...row }: RunRow): object {
  const termination = ended === null ? null : { type: ended }
  return { run_id, ...row, termination, advancing_by: lease?.owner ?? null }
}

/** By run id: how each run and each thread began, what came of the runs, and which do not go on. */
export interface Beginnings {
  readonly runs: ReadonlyMap<string, string>
  readonly threads: ReadonlyMap<string, string>
  /** Of finished runs. */
  readonly outcomes: ReadonlyMap<string, RunOutcome>
  /** Why a run does not go on although it could. */
  readonly stuck: ReadonlyMap<string, StuckRun>
}

/** Longer than any list shows of it. */
const LONGEST_BEGINNING = 500

/** A run as a list shows it, with the beginning of the messages that began it and its thread. */
export function begunRowDocument(row: RunRow, { runs, threads, outcomes, stuck }: Beginnings): object {
  const about = { run: cut(runs.get(row.id)), thread: cut(threads.get(row.thread_id)) }
  const outcome = outcomes.get(row.id) ?? NO_OUTCOME
  return { ...runRowDocument(row), about, ...outcome, stuck: stuck.get(row.id) ?? null }
}

function cut(text: string | undefined): string | null {
  return text === undefined ? null : [...text.slice(0, LONGEST_BEGINNING * 2)].slice(0, LONGEST_BEGINNING).join('')
}
