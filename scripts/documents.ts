/** The JSON documents of Holdpoint, by the name of their schema. `npm run build:documents` writes a file for each. */
import type { AuditRecord } from '../src/core/audit/audit.ts'
import type { BundleHeader } from '../src/core/bundle/bundle.ts'
import type { AgentFrame } from '../src/core/fleet/frames.ts'
import type { Decision } from '../src/core/hold/decision.ts'
import type { HoldIds } from '../src/core/hold-view/hold-document.ts'
import type { HoldView } from '../src/core/hold-view/hold-view.ts'
import type { JournalEvent } from '../src/core/journal/event.ts'
import type { LoadReport } from '../src/core/load/load-report.ts'
import type { Suggestions } from '../src/core/load/suggestion.ts'
import type { AddedToken, OwnTokenDocument, TokenDocument } from '../src/hosts/cli/access/tokens.ts'
import type { ShownAgent } from '../src/hosts/cli/agents/agents.ts'
import type { AgentNewsLine } from '../src/hosts/cli/agents/attach/served-line.ts'
import type { RestedAgent } from '../src/hosts/cli/agents/send-to-agent.ts'
import type { ExplanationDocument } from '../src/hosts/cli/audit/audit-explain.ts'
import type { VerificationDocument } from '../src/hosts/cli/audit/audit-verify.ts'
import type { AssignmentDocument } from '../src/hosts/cli/deciding/answer.ts'
import type { CancellationDocument } from '../src/hosts/cli/deciding/cancel.ts'
import type { AdvancedDocument, AdvancedElsewhere } from '../src/hosts/cli/deciding/decide-and-advance.ts'
import type { ReceiptDocument } from '../src/hosts/cli/deciding/decision-receipt.ts'
import type { DoctorDocument } from '../src/hosts/cli/doctor/doctor.ts'
import type { PlacedHold } from '../src/hosts/cli/holds/hold-filter.ts'
import type { HoldChangeDocument } from '../src/hosts/cli/holds/watch-holds.ts'
import type { NoticeDocument, TestedAddress } from '../src/hosts/cli/notices/notices.ts'
import type { EffectCheck } from '../src/hosts/cli/policy/check-effects.ts'
import type { GrantDocument, RevocationDocument } from '../src/hosts/cli/policy/grants.ts'
import type { PolicyCheck } from '../src/hosts/cli/policy/policy.ts'
import type { PlaceTrustDocument, TrustDocument } from '../src/hosts/cli/policy/trust.ts'
import type { PendingDocument } from '../src/hosts/cli/runs/check-pending.ts'
import type { ExportedCheckpoint } from '../src/hosts/cli/runs/checkpoint.ts'
import type { DroppablePart } from '../src/hosts/cli/runs/context.ts'
import type { PruneDocument } from '../src/hosts/cli/runs/prune.ts'
import type {
  ListedRun,
  ListedRunTree,
  ListedSession,
  RunAtCheckpoint,
  ShownRun,
} from '../src/hosts/cli/runs/run-document.ts'
import type { HumanSession, ListedCheckpoint, SessionDocument } from '../src/hosts/cli/runs/threads.ts'
import type { UndoneEffect } from '../src/hosts/cli/runs/undo.ts'
import type { SetupDocument } from '../src/hosts/cli/start/setup.ts'
import type { GivenUpCopyDocument, StoreCopyDocument } from '../src/hosts/cli/store/copy-store.ts'
import type { OutputDocument, OutputPiece } from '../src/hosts/cli/tasks/task-logs.ts'
import type { OutcomeDocument, PausedDocument } from '../src/hosts/outcome/outcome-document.ts'
import type { StreamLine } from '../src/hosts/outcome/report-style.ts'
import type {
  AgentFrontMatter,
  ConfigDocument,
  PolicyFile,
  UserConfigDocument,
} from '../src/hosts/project/written-documents.ts'
import type { CollectedDocument } from '../src/hosts/server/daemon/collect-garbage.ts'
import type { DaemonDocument, DaemonStatus, DaemonStopped } from '../src/hosts/server/daemon/daemon-document.ts'
import type { InboxDocument } from '../src/hosts/server/inbox/run-inbox.ts'
import type { PrunedLine } from '../src/hosts/worker/work-here.ts'
import type { WorkLine } from '../src/hosts/worker/work-report.ts'
import type { StartedReport } from '../src/runtime/doubt/attend-started.ts'
import type { AgentSent, AgentSummary } from '../src/runtime/face/agents.ts'
import type { TaskDetails, TaskSummary, TasksWaited } from '../src/runtime/face/tasks.ts'
import type { ReleasedLease } from '../src/runtime/lease/release-lease.ts'

/** Documents that people write and Holdpoint reads. A key that their schemas do not name is a mistake. */
export interface Written {
  /** The settings of a project: `.holdpoint/config.json`. */
  config: ConfigDocument
  /** A user's own settings: `~/.config/holdpoint/config.json`. */
  'user-config': UserConfigDocument
  /** Which tool calls run, ask a person, or never run: `.holdpoint/policy.json`, and files for `--policy`. */
  policy: PolicyFile
  /** The front matter of an agent in Markdown. */
  agent: AgentFrontMatter
}

/** Documents that Holdpoint prints, or leaves in files. A newer version may add keys, so their schemas are open. */
export interface Printed {
  /** What became of a run or a command: `-o json`, `-c … -o json`, and every refusal with `--json`. */
  outcome: OutcomeDocument
  /** What became of a run that went on after decisions: `approve --advance --json`, and the like. */
  advanced: AdvancedDocument | AdvancedElsewhere
  /** A pause, in `.holdpoint/session/`. */
  manifest: PausedDocument & { readonly receipts?: readonly ReceiptDocument[] }
  /** A line of `-o stream-json`. */
  stream: StreamLine
  /** An event of a journal. */
  event: JournalEvent
  /** A run: `show RUN --json`. */
  run: ShownRun
  /** A run as it stood at a checkpoint: `show CHECKPOINT --json`. */
  'run-at-checkpoint': RunAtCheckpoint
  /** `runs --json`, newest first. */
  runs: readonly ListedRun[]
  /** `runs --tree --json`. */
  'run-tree': readonly ListedRunTree[]
  /** `threads list --json`, newest first. */
  sessions: readonly ListedSession[]
  /** A session as the model would get it: `threads show SESSION --json`. */
  session: SessionDocument
  /** A session as people see it: `threads show SESSION --human --json`. */
  'human-session': HumanSession
  /** `checkpoints SESSION --json`, oldest first. */
  checkpoints: readonly ListedCheckpoint[]
  /** `checkpoint export … --json`. */
  'exported-checkpoint': ExportedCheckpoint
  /** `holds wait --json` and `holds stop --json`. */
  'started-work': StartedReport
  /** `runs release --json`. */
  'released-lease': ReleasedLease
  /** `check-pending --json`, oldest first. */
  'pending-checks': readonly PendingDocument[]
  /** `prune --json`. */
  prune: PruneDocument
  /** `store copy --json`. */
  'store-copy': StoreCopyDocument
  /** `store copy --give-up --json`. */
  'given-up-copy': GivenUpCopyDocument
  /** A hold with all that helps to decide it: `show HOLD --json`. */
  hold: HoldView
  /** `holds --json`, oldest first. */
  holds: readonly (PlacedHold & HoldIds)[]
  /** A line of `holds --watch --json`. */
  'hold-change': HoldChangeDocument
  /** A decision as it is on record. */
  decision: Decision
  /** What became of one decision: `approve HOLD --json`, and the like. */
  receipt: ReceiptDocument
  /** What became of several decisions: `approve HOLD HOLD --json`. */
  receipts: readonly ReceiptDocument[]
  /** `assign --json`. */
  assignment: AssignmentDocument
  /** `cancel RUN --json`. */
  cancellation: CancellationDocument
  /** `grants --json`, oldest first. */
  grant: GrantDocument
  grants: readonly GrantDocument[]
  /** `grants revoke --json`. */
  revocation: RevocationDocument
  /** `notices --json`, newest first. */
  notices: readonly NoticeDocument[]
  /** `notices retry --json`. */
  'retried-notice': NoticeDocument
  /** `notices test --json`. */
  'tested-channel': readonly TestedAddress[]
  /** `tokens --json`, oldest first, and `tokens revoke --json`. */
  tokens: readonly TokenDocument[]
  /** `tokens add --json`. */
  'added-token': AddedToken
  'own-token': OwnTokenDocument
  /** `inbox --json`, once it can be opened. */
  inbox: InboxDocument
  /** `daemon --json`, once it listens. */
  daemon: DaemonDocument
  /** `daemon status --json`. */
  'daemon-status': DaemonStatus
  /** `daemon stop --json`. */
  'daemon-stop': DaemonStopped
  /** `daemon gc --json`. */
  collected: CollectedDocument
  /** `policy check --json`. */
  'policy-check': PolicyCheck
  /** `policy check --write PATH --json`, and with `--delete` and `--host`. */
  'effect-checks': readonly EffectCheck[]
  /** `policy suggest --json`. */
  'policy-suggestions': Suggestions
  /** `trust --json`. */
  trust: TrustDocument | PlaceTrustDocument
  /** `init --json` and `new --json`. */
  setup: SetupDocument
  /** `doctor --json`. */
  doctor: DoctorDocument
  /** `agents --json`: those that a person is needed for come first, then the newest. */
  agents: readonly AgentSummary[]
  /** A background agent: `agents spawn --json`, `kill`, `resume`, `respawn`, `fork` and `rm`. */
  'background-agent': AgentSummary
  /** A background agent in full: `agents show --json`. */
  'background-agent-details': ShownAgent
  /** A line of `agents attach --json`: a frame of the process of an agent. */
  'agent-frame': AgentFrame
  /** A line of `agents attach --json` over a server: how the agent stands, its holds, or what happens in its session. */
  'agent-news': AgentNewsLine
  /** What became of a message: `agents send --json`. */
  'sent-message': AgentSent
  /** A background agent at rest, with its answer: `agents wait --json`, `agents send --wait --json`, `agents spawn --wait --json`. */
  'rested-agent': RestedAgent
  /** What can be left out of what models are sent, the newest first: `context drop SESSION --json`. */
  'droppable-parts': readonly DroppablePart[]
  /** What was left out: `context drop SESSION PLACE --json`. */
  'dropped-part': DroppablePart
  /** What was taken back: `undo --json`. */
  'undone-effect': UndoneEffect
  /** A task in short: `tasks resume --json`, `tasks cancel --json`. */
  task: TaskSummary
  /** A task in full: `tasks show --json`. */
  'task-details': TaskDetails
  /** `tasks --json`, newest first. */
  tasks: readonly TaskSummary[]
  /** `tasks wait --json`. */
  'task-wait': TasksWaited
  /** `tasks logs --json`. */
  'task-output': OutputDocument
  /** A line of `tasks logs --follow --json`. */
  'task-output-piece': OutputPiece
  /** A line of `audit --json`. Its bytes are those that were hashed. */
  'audit-record': AuditRecord & { readonly hash: string }
  /** `audit explain --json`. */
  'audit-explanation': ExplanationDocument
  /** `audit verify --json`. */
  'audit-verification': VerificationDocument
  /** `report --json`. */
  'load-report': LoadReport
  /** A line of `work --json`. */
  'work-event': WorkLine | PrunedLine
  /** The first line of a bundle. */
  'bundle-header': BundleHeader
}
