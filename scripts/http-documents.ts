/** The documents of `holdpoint serve`, by their names in its table of routes. `npm run build:documents` writes one file. */
import type { StuckRun } from '../src/core/advancing/stuck-run.ts'
import type { AuditRecord } from '../src/core/audit/audit.ts'
import type { AuditHead } from '../src/core/audit/audit-chain.ts'
import type { ExplainedRun } from '../src/core/audit/explain/explained-run.ts'
import type { ErrorDocument } from '../src/core/errors.ts'
import type { Decision } from '../src/core/hold/decision.ts'
import type { Grant } from '../src/core/hold/grant.ts'
import type { Hold } from '../src/core/hold/hold.ts'
import type { HoldRow } from '../src/core/hold-view/hold-row.ts'
import type { HoldView } from '../src/core/hold-view/hold-view.ts'
import type { JournalEvent } from '../src/core/journal/event.ts'
import type { HumanMessage } from '../src/core/journal/human-thread.ts'
import type { Message } from '../src/core/journal/message.ts'
import type { RunStatus } from '../src/core/journal/thread.ts'
import type { LoadReport, RuleReplay } from '../src/core/load/load-report.ts'
import type { Suggestions } from '../src/core/load/suggestion.ts'
import type { Role } from '../src/core/people/role.ts'
import type { Exported } from '../src/core/run/exported.ts'
import type { RunFailure } from '../src/core/run/outcome/run-failure.ts'
import type { Profile } from '../src/core/run/profile.ts'
import type { RunPath } from '../src/core/run/run-path.ts'
import type { Warned } from '../src/core/run/warnings/run-warning.ts'
import type { Invocation } from '../src/core/task/task.ts'
import type { RunTimeline } from '../src/core/timeline/run-timeline.ts'
import type { Ephemeral } from '../src/ports/event-sink.ts'
import type { TaskOutput } from '../src/ports/process/task-manager.ts'
import type { AgentDoor } from '../src/ports/store/fleet/presences.ts'
import type { FoundEvent } from '../src/ports/store/search.ts'
import type { PushKeyDocument } from '../src/protocols/rest/route/push.ts'
import type { SessionDocument } from '../src/protocols/rest/route/sign-in.ts'
import type {
  AgentChanges,
  AgentHoldsNews,
  AgentPage,
  AgentSent,
  AgentStatusNews,
  AgentSummary,
  RemovedAgent,
} from '../src/runtime/face/agents.ts'
import type { TaskDetails, TaskPage, TaskSummary } from '../src/runtime/face/tasks.ts'
import type { ReleasedLease } from '../src/runtime/lease/release-lease.ts'
import type { AuditedRecord } from '../src/runtime/threads/audit.ts'
import type { CompactionAsked } from '../src/runtime/threads/compact-thread.ts'
import type { Sent } from '../src/runtime/threads/send-message.ts'
import type { CheckpointRow } from '../src/runtime/views/list-checkpoints.ts'
import type { RunView } from '../src/runtime/views/run-view.ts'

type RunFields =
  | 'thread_id'
  | 'status'
  | 'termination'
  | 'failed'
  | 'checkpoint_id'
  | 'holds'
  | 'decided'
  | 'answers'
  | 'calls'
  | 'plan'
  | 'stuck'
  | 'outage'

/** A run as it stands. */
export interface RunDocument extends Pick<RunView, RunFields | 'usage' | 'counters' | 'requesters' | 'warnings'> {
  readonly run_id: string
  readonly agent: string
  /** The model's last text. */
  readonly agent_message: string
  readonly steps_taken: number
  readonly profile: Profile
}

export interface ListedRun {
  readonly run_id: string
  readonly thread_id: string
  readonly agent: string
  readonly status: RunStatus
  readonly parent_run_id: string | null
  readonly checkpoint_id: string | null
  readonly termination: { readonly type: string } | null
  readonly created_at: string
  readonly updated_at: string
  /** Until when it waits for the provider of its model; `null` if it does not. */
  readonly retry_at: string | null
  readonly exported: Exported | null
  /** The process that advances it. */
  readonly advancing_by: string | null
  /** With `about`: how the run and its thread began. */
  readonly about?: { readonly run: string | null; readonly thread: string | null }
  /** With `about`: how the last program of a finished run failed; `null` if none did. */
  readonly failed?: RunFailure | null
  /** With `about`: the number of calls of a finished run that people rejected. */
  readonly rejected?: number
  /** With `about`: why it does not go on although it could; `null` if it does, waits or is done. */
  readonly stuck?: StuckRun | null
  /** With `tree`. */
  readonly children?: readonly ListedRun[]
}

export type Recorded = { readonly outcome: 'recorded' | 'duplicate'; readonly hold: Hold; readonly decision: Decision }

export type OneReceipt =
  | Recorded
  | { readonly outcome: 'already_decided'; readonly hold: Hold; readonly winner: Decision }
  | { readonly outcome: 'refused'; readonly hold: Hold | null; readonly error: ErrorDocument }

/** A change in ids. */
export interface Change extends Omit<AuditRecord, 'event_seq' | 'event_hash' | 'data'> {
  readonly task_id?: string
}

/** Agents that may stand differently, of which no record tells. */
export interface AgentsChanged extends AgentChanges {
  readonly kind: 'agents.changed'
}

/** A newer version may add keys, so the schemas are open. */
export interface Answered {
  Agent: AgentSummary
  AgentDoor: Omit<AgentDoor, 'process'>
  AgentSent: AgentSent
  AgentStream: JournalEvent | Ephemeral | AgentStatusNews['agent'] | Pick<AgentHoldsNews, 'holds'>
  RemovedAgent: RemovedAgent
  Agents: AgentPage
  AuditHead: AuditHead
  AuditRecords: {
    readonly records: readonly Omit<AuditedRecord, 'line'>[]
    readonly next: number | null
  }
  Caller: { readonly name: string; readonly role: Role; readonly version: string }
  ReleasedLease: ReleasedLease
  CompactionAsked: CompactionAsked
  Cancelled: { readonly outcome: 'cancelled' | 'requested' | 'done'; readonly run: RunDocument }
  ChangeStream: Change | AgentsChanged
  Checkpoints: { readonly thread_id: string; readonly checkpoints: readonly CheckpointRow[] }
  Definitions: { readonly definitions: readonly { readonly name: string }[] }
  ExplainedRun: ExplainedRun
  Found: { readonly found: readonly (FoundEvent & { readonly path: RunPath })[]; readonly next: string | null }
  Grant: Grant
  Grants: { readonly grants: readonly Grant[] }
  Health: {
    readonly status: 'ok' | 'ready'
    /** What does not work although requests are answered: `notices` that were given up, `runs` that are stuck. */
    readonly degraded?: readonly ('notices' | 'runs')[]
  }
  Hold: Hold
  HoldView: HoldView
  Holds: { readonly holds: readonly (Hold & { readonly path: RunPath })[]; readonly next: string | null }
  Inbox: { readonly holds: readonly HoldRow[]; readonly next: string | null }
  Invocation: Invocation
  LoadReport: LoadReport
  RuleReplay: RuleReplay
  Suggestions: Suggestions
  Messages: { readonly thread_id: string; readonly messages: readonly (HumanMessage | Message)[] }
  Receipt: Recorded
  Receipts: { readonly receipts: readonly OneReceipt[] }
  Run: RunDocument & { readonly path: RunPath; readonly exported: Exported | null }
  RunAtCheckpoint: RunDocument & { readonly seq: number }
  RunTimeline: RunTimeline & Pick<RunView, 'stuck'>
  Runs: { readonly runs: readonly ListedRun[]; readonly next: string | null }
  Sent: Sent
  Push: PushKeyDocument
  Session: SessionDocument
  Started: { readonly run_id: string; readonly thread_id: string; readonly checkpoint_id: string | null } & Warned
  Task: TaskDetails
  TaskOutput: TaskOutput
  TaskSummary: TaskSummary
  Tasks: TaskPage
  Thread: {
    readonly thread_id: string
    readonly seq: number
    readonly exported: Exported | null
    readonly run: RunDocument | null
  }
  ThreadStream: JournalEvent | Ephemeral
}
