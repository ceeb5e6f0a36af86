/** Runs and sessions as the command line prints them. A thread is a session here (docs/design/documents.md#ids). */
import type { StuckRun } from '../../../core/advancing/stuck-run.ts'
import type { Amount } from '../../../core/count.ts'
import type { Hold } from '../../../core/hold/hold.ts'
import { type HoldIds, holdDocument } from '../../../core/hold-view/hold-document.ts'
import type { RunStatus } from '../../../core/journal/thread.ts'
import type { Plan } from '../../../core/plan/plan.ts'
import type { Exported } from '../../../core/run/exported.ts'
import { type Outage, waitsForModelUntil } from '../../../core/run/outcome/outage.ts'
import type { Profile } from '../../../core/run/profile.ts'
import type { Termination } from '../../../core/run/termination.ts'
import type { ToolCall } from '../../../core/run/tool-call.ts'
import type { RunUsage } from '../../../core/run/usage/usage.ts'
import type { RunWarning } from '../../../core/run/warnings/run-warning.ts'
import { visibleProse } from '../../../core/text/visible-text.ts'
import { NO_OUTCOME, type RunOutcome } from '../../../core/timeline/run-outcome.ts'
import type { Lease, RunRow } from '../../../ports/store/runs.ts'
import type { RunNode } from '../../../runtime/views/run-path.ts'
import type { RunOutline } from '../../../runtime/views/run-view.ts'
import { processLiveness } from '../../process/process-liveness.ts'
import { systemClock } from '../../process/system-clock.ts'

/** A run, as lists have it. */
export interface ListedRun {
  readonly run_id: string
  readonly session_id: string
  readonly agent: string
  readonly status: RunStatus
  /** `exported`, `stuck`, `delayed`, `ready` if it could go on and no process works on it, or else its status. */
  readonly standing: StandingWord
  /** Why it does not go on, and the way out; `null` if waiting helps, or nothing is to do. */
  readonly stuck: StuckRun | null
  /** Until when it waits for the provider of its model; `null` if it does not. */
  readonly retry_at: string | null
  /** How it ended; `null` while it has no end. */
  readonly termination: { readonly type: string } | null
  /** How the last program of a finished run failed; `null` if it did not. */
  readonly failed: RunOutcome['failed']
  /** The number of calls of a finished run that people rejected. */
  readonly rejected: Amount
  /** The newest announced checkpoint; `null` before the first. */
  readonly checkpoint_id: string | null
  /** The run whose agent started this one; `null` if no agent did. */
  readonly parent_run_id: string | null
  /** The process that works on it; `null` if none does. */
  readonly advancing_by: string | null
  /** Set if its session moved to another store. */
  readonly exported: Exported | null
  readonly created_at: string
  readonly updated_at: string
  /** The tool of each open hold, or its kind if it has none. */
  readonly waits_for: readonly string[]
  /** The beginning of the message that began it; `null` if there was none. */
  readonly about: string | null
}

/** A run, and those that its agent started. */
export interface ListedRunTree extends ListedRun {
  readonly children: readonly ListedRunTree[]
}

/** A session with the status of its newest run. */
export type ListedSession = Pick<
  ListedRun,
  | 'session_id'
  | 'run_id'
  | 'agent'
  | 'status'
  | 'standing'
  | 'stuck'
  | 'termination'
  | 'checkpoint_id'
  | 'parent_run_id'
  | 'updated_at'
  | 'exported'
  | 'about'
>

/** A run in full. */
interface RunDocument {
  readonly run_id: string
  readonly session_id: string
  readonly status: RunStatus
  readonly termination: Termination | null
  /** How the last program that it ran failed; `null` if that went well, or it ran none. */
  readonly failed: RunOutcome['failed']
  readonly checkpoint_id: string | null
  /** The model's last text; empty if there is none. */
  readonly agent_message: string
  /** The open ones. */
  readonly holds: readonly (Hold & HoldIds)[]
  /** The calls of the step under way. */
  readonly calls: readonly ToolCall[]
  /** The list of steps that the agent wrote last; `null` if it wrote none. */
  readonly plan: Plan | null
  readonly steps_taken: Amount
  readonly usage: RunUsage
  /** Warnings for the person who started the run. */
  readonly warnings: readonly RunWarning[]
  readonly profile: Profile
}

/** A run in its present state. */
export interface ShownRun extends RunDocument {
  /** Why it does not go on, and the way out; `null` if waiting helps, or nothing is to do. */
  readonly stuck: StuckRun | null
  /** Why it waits for the provider of its model, and until when; `null` if it does not. */
  readonly outage: Outage | null
  /** `exported`, `stuck`, `delayed`, `ready` if it could go on and no process works on it, or else its status. */
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

/** Facts of the listed runs that are not in their rows, by run id. */
export interface Known {
  readonly inputs: ReadonlyMap<string, string>
  readonly waits: ReadonlyMap<string, readonly string[]>
  readonly outcomes: ReadonlyMap<string, RunOutcome>
  readonly stuck: ReadonlyMap<string, StuckRun>
}

export function listedRun(row: RunRow, { waits, inputs, outcomes, stuck: known }: Known): ListedRun {
  const { id: run_id, thread_id: session_id, ended, lease, hold_scope: _, failure: __, ...rest } = row
  const stuck = known.get(run_id) ?? null
  const termination = ended === null ? null : { type: ended }
  const [waits_for, about] = [waits.get(run_id) ?? [], aboutText(inputs.get(run_id)) || null]
  return {
    run_id,
    session_id,
    ...outcomeIn(outcomes, run_id),
    stuck,
    ...rest,
    about,
    standing: standingOf(row, stuck),
    termination,
    advancing_by: lease?.owner ?? null,
    waits_for,
  }
}

/** A row of a server may have more keys. */
function outcomeIn(outcomes: Known['outcomes'], id: string): RunOutcome {
  const { failed, rejected } = outcomes.get(id) ?? NO_OUTCOME
  return { failed, rejected }
}

export function listedRunTree({ children, ...row }: RunNode, known: Known): ListedRunTree {
  return { ...listedRun(row, known), children: children.map(child => listedRunTree(child, known)) }
}

/** `about` is what its session began with; `known` tells why its newest run does not go on. */
export function listedSession(
  row: RunRow,
  about: string | null,
  { stuck: known }: Pick<Known, 'stuck'>,
): ListedSession {
  const stuck = known.get(row.id) ?? null
  const { id: run_id, thread_id: session_id, agent, status, checkpoint_id, parent_run_id, updated_at, exported } = row
  const [standing, termination] = [standingOf(row, stuck), row.ended === null ? null : { type: row.ended }]
  // biome-ignore format: in the order in which people read it
  return { session_id, run_id, agent, status, standing, stuck, termination, checkpoint_id, parent_run_id, updated_at, exported, about }
}

export function runDocument(view: RunOutline): RunDocument {
  const { id: run_id, thread_id: session_id, answer: agent_message, steps: steps_taken } = view
  const { status, termination, failed, checkpoint_id, calls, plan, usage, warnings, profile } = view
  const holds = view.holds.map(holdDocument)
  // biome-ignore format: in the order in which people read it
  return { run_id, session_id, status, termination, failed, checkpoint_id, agent_message, holds, calls, plan, steps_taken, usage, warnings, profile }
}

/** More of it is in no list: `holdpoint show` has the whole. */
const LONGEST = 200

/** P9: the beginning of the message that began a run, in one visible line. Empty if it began without one. */
export function aboutText(input = ''): string {
  const line = input
    .slice(0, LONGEST * 2)
    .trim()
    .replaceAll(/[ \t\r\n]+/g, ' ')
  const characters = [...line]
  const isCut = characters.length > LONGEST || input.length > LONGEST * 2
  return visibleProse(isCut ? `${characters.slice(0, LONGEST).join('')}…` : line)
}

/**
 * The status of a run, for people. `ready`: it could go on, and no process works on it. `stuck`: nor will one. `delayed`: it
 * waits for the provider of its model, or its time came just now.
 */
export type StandingWord = RunStatus | 'exported' | 'ready' | 'stuck' | 'delayed'

type Standing = Pick<RunRow, 'exported' | 'status' | 'retry_at'> & { readonly lease: Pick<Lease, 'owner'> | null }

/** No clock proves that a process is gone. */
export function standingOf(
  { exported, status, lease, retry_at }: Standing,
  stuck: StuckRun | null = null,
  now: number = systemClock.now(),
): StandingWord {
  if (exported) return 'exported'
  if (stuck) return 'stuck'
  if (waitsForModelUntil({ retry_at }, now) !== null) return 'delayed'
  const isWorkedOn = lease !== null && !processLiveness().isGone(lease.owner)
  return status === 'running' && !isWorkedOn ? 'ready' : status
}

/** The note below a list with such runs. */
export const READY_NOTE: string =
  'ready: no process works on it. A worker (`holdpoint work`) goes on with it, or `holdpoint -c RUN`.'
