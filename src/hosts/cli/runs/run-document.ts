/** Runs and sessions as the command line prints them. A thread is a session here (docs/design/documents.md#ids). */

import type { Amount } from '../../../core/count.ts'
import type { Hold } from '../../../core/hold/hold.ts'
import { type HoldIds, holdDocument } from '../../../core/hold-view/hold-document.ts'
import type { RunStatus } from '../../../core/journal/thread.ts'
import type { Exported } from '../../../core/run/exported.ts'
import type { Profile } from '../../../core/run/profile.ts'
import type { Termination } from '../../../core/run/termination.ts'
import type { ToolCall } from '../../../core/run/tool-call.ts'
import type { Usage } from '../../../core/run/usage.ts'
import type { RunRow } from '../../../ports/store/runs.ts'
import type { RunNode } from '../../../runtime/views/run-path.ts'
import type { RunView } from '../../../runtime/views/run-view.ts'
import { aboutText } from './about-text.ts'
import type { Known } from './run-list.ts'
import { type StandingWord, standingOf } from './standing.ts'

/** A run, as lists have it. */
export interface ListedRun {
  readonly run_id: string
  readonly session_id: string
  readonly agent: string
  readonly status: RunStatus
  /** `exported`, `ready` if it could go on and no process works on it, or else its status. */
  readonly standing: StandingWord
  /** How it ended; `null` while it has no end. */
  readonly termination: { readonly type: string } | null
  /** The newest checkpoint that people were told of; `null` before the first. */
  readonly checkpoint_id: string | null
  /** The run whose agent started this one; `null` if no agent did. */
  readonly parent_run_id: string | null
  /** The process that works on it; `null` if none does. */
  readonly advancing_by: string | null
  /** Set if its session moved to another store. */
  readonly exported: Exported | null
  readonly created_at: string
  readonly updated_at: string
  /** For each open hold the tool whose call waits, else the kind of what waits. */
  readonly waits_for: readonly string[]
  /** The beginning of the message that began it; `null` if there was none. */
  readonly about: string | null
}

/** A run, and those that its agent started. */
export interface ListedRunTree extends ListedRun {
  readonly children: readonly ListedRunTree[]
}

/** A session, as its newest run stands. */
export type ListedSession = Pick<
  ListedRun,
  | 'session_id'
  | 'run_id'
  | 'agent'
  | 'status'
  | 'standing'
  | 'termination'
  | 'checkpoint_id'
  | 'parent_run_id'
  | 'updated_at'
  | 'exported'
  | 'about'
>

/** A run in full. */
export interface RunDocument {
  readonly run_id: string
  readonly session_id: string
  readonly status: RunStatus
  readonly termination: Termination | null
  readonly checkpoint_id: string | null
  /** The model's last text; empty if there is none. */
  readonly agent_message: string
  /** The open ones. */
  readonly holds: readonly (Hold & HoldIds)[]
  /** The calls of the step under way. */
  readonly calls: readonly ToolCall[]
  readonly steps_taken: Amount
  readonly usage: Usage
  readonly profile: Profile
}

/** A run as it stands. */
export interface ShownRun extends RunDocument {
  /** `exported`, `ready` if it could go on and no process works on it, or else its status. */
  readonly standing: StandingWord
  /** Set if its session moved to another store. */
  readonly exported: Exported | null
}

/** A run as it stood at a checkpoint. */
export interface RunAtCheckpoint extends RunDocument {
  readonly checkpoint_id: string
  /** The place of the checkpoint in the journal of its session. */
  readonly seq: Amount
}

export function listedRun(row: RunRow, { waits, inputs }: Known): ListedRun {
  const standing = standingOf(row)
  const { id: run_id, thread_id: session_id, ended, lease, hold_scope: _, ...rest } = row
  const termination = ended === null ? null : { type: ended }
  const [waits_for, about] = [waits.get(run_id) ?? [], aboutText(inputs.get(run_id)) || null]
  return { run_id, session_id, ...rest, about, standing, termination, advancing_by: lease?.owner ?? null, waits_for }
}

export function listedRunTree({ children, ...row }: RunNode, known: Known): ListedRunTree {
  return { ...listedRun(row, known), children: children.map(child => listedRunTree(child, known)) }
}

/** `about` is what its session began with. */
export function listedSession(row: RunRow, about: string | null): ListedSession {
  const { id: run_id, thread_id: session_id, agent, status, checkpoint_id, parent_run_id, updated_at, exported } = row
  const [standing, termination] = [standingOf(row), row.ended === null ? null : { type: row.ended }]
  // biome-ignore format: in the order in which people read it
  return { session_id, run_id, agent, status, standing, termination, checkpoint_id, parent_run_id, updated_at, exported, about }
}

export function runDocument(view: RunView): RunDocument {
  const { id: run_id, thread_id: session_id, answer: agent_message, steps: steps_taken } = view
  const { status, termination, checkpoint_id, calls, usage, profile } = view
  const holds = view.holds.map(holdDocument)
  // biome-ignore format: in the order in which people read it
  return { run_id, session_id, status, termination, checkpoint_id, agent_message, holds, calls, steps_taken, usage, profile }
}
