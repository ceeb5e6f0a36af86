/** Holdpoint: a runtime for agents that must wait for people. */
export type { NewRequest, Requested } from './core/advancing/request.ts'
export type { AuditKind, AuditRecord } from './core/audit/audit.ts'
export type { AuditFault, AuditFaultCode, AuditHead, AuditVerification } from './core/audit/audit-chain.ts'
export type {
  Effect,
  ExplainedCall,
  ExplainedChange,
  ExplainedRun,
  Reconfigured,
  ReleasedBy,
  Ruled,
} from './core/audit/explain/explained-run.ts'
export type { BundledThread, BundleHeader } from './core/bundle/bundle.ts'
export type { DueEvent } from './core/deadlines/next-due.ts'
export type { Amended, Amendment, HoldEvent } from './core/deciding/amendment.ts'
export type { ReadyDecision, Receipt } from './core/deciding/receipt.ts'
export type { ErrorDocument } from './core/errors.ts'
export { HoldpointError, LeaseLostError, ModelError, RefusedError, ToolError } from './core/errors.ts'
export type { Decision, DecisionInput, DecisionVerdict } from './core/hold/decision.ts'
export type { Grant, GrantInput, GrantScope } from './core/hold/grant.ts'
export type { Hold, HoldKind, HoldStatus, ResumeMode } from './core/hold/hold.ts'
export type { HistoryEntry } from './core/hold-view/hold-history.ts'
export type { HoldSibling } from './core/hold-view/hold-siblings.ts'
export type { AnsweredBefore, HoldView } from './core/hold-view/hold-view.ts'
export type { PossibleVerdict } from './core/hold-view/possible-verdicts.ts'
export type { EventData, EventKind, JournalEvent } from './core/journal/event.ts'
export type { HumanMessage, HumanRole } from './core/journal/human-thread.ts'
export type { AssistantMessage, Message, SystemMessage, ToolMessage, UserMessage } from './core/journal/message.ts'
export type { RunStatus } from './core/journal/thread.ts'
export type {
  Durations,
  LoadBucket,
  LoadQuery,
  LoadReport,
  Noteworthy,
  PersonLoad,
  RefusedAnyway,
  ReplayedRule,
  RuleReplay,
  SparingRule,
  ToolLoad,
} from './core/load/load-report.ts'
export type { RuleGrant, SuggestedRule, SuggestionQuery, Suggestions } from './core/load/suggestion.ts'
export type { MessageLimits } from './core/message/limits.ts'
export type {
  AnswerPart,
  CallPlace,
  Content,
  ContentPart,
  FilePart,
  FileSource,
  ImagePart,
  ReasoningPart,
  TextPart,
} from './core/message/part.ts'
export { type ToolParts, toolParts } from './core/message/tool-parts.ts'
export type { ChannelKind, NoticeEvent } from './core/notice/notice-event.ts'
export type { AccessToken } from './core/people/access-token.ts'
export type { Deciders, DecidersSettings } from './core/people/deciders.ts'
export type { DueSettings, FinalAction, HoldTiming, OnDue } from './core/people/due.ts'
export type { Groups } from './core/people/groups.ts'
export type { DecidersOptions, DueOptions } from './core/people/people-options.ts'
export type { Role } from './core/people/role.ts'
export type { Session, SessionProof } from './core/people/session.ts'
export type { Policy, PolicyRule, Verdict } from './core/policy/policy.ts'
export type {
  Preview,
  PreviewDiff,
  PreviewImage,
  PreviewLink,
  PreviewPart,
  PreviewTable,
  PreviewText,
} from './core/preview/preview.ts'
export type { RefusalCode } from './core/refusal-codes.ts'
export type { Exported, Imported } from './core/run/exported.ts'
export type { HoldScope, PauseKind, Profile, ProfileChanges } from './core/run/profile.ts'
export type { RunPath, RunPathStep } from './core/run/run-path.ts'
export type { Counters, StopCondition } from './core/run/stop-condition.ts'
export type { Termination } from './core/run/termination.ts'
export type { CallStatus, ToolCall } from './core/run/tool-call.ts'
export type { RunUsage, Usage } from './core/run/usage/usage.ts'
export type { ContextOptions } from './core/settings/context-settings.ts'
export type {
  ModelOptions,
  ModelSettings,
  ModelWishes,
  ProviderOptions,
  Reasoning,
  ToolChoice,
} from './core/settings/model-settings.ts'
export type { InvocationChange, NewTask, Requester, TaskMove } from './core/task/task-move.ts'
export type { Difference } from './core/text/differences.ts'
export type { Json, JsonObject } from './core/text/json.ts'
export {
  type AgentDefinition,
  type AgentOptions,
  defineAgent,
  type PolicyDocument,
} from './hosts/agents/define-agent.ts'
export { openHoldpoint } from './hosts/compose/agents/open-holdpoint.ts'
export type { McpServerOptions, OpenOptions, Price, Prices } from './hosts/compose/open-options.ts'
export { type RedactSecretsOptions, redactSecrets } from './plugins/redact-secrets.ts'
export { type SpendLimitOptions, spendLimit } from './plugins/spend-limit.ts'
export type {
  AiSdkModel,
  Model,
  ModelAnswer,
  ModelChoice,
  ModelRequest,
  RequestedCall,
  ToolSpec,
} from './ports/agent/model.ts'
export type { InferencePart, ModelPart } from './ports/agent/model-part.ts'
export type {
  AfterInference,
  AfterToolExecute,
  BeforeInference,
  BeforeToolExecute,
  CallResult,
  DemandedApproval,
  HeldCall,
  Hooks,
  HookView,
  InferenceParameters,
  Plugin,
  StateChange,
  StepEnd,
} from './ports/agent/plugin.ts'
export type { BeforeAndAfter, GivenPreview, GivenPreviewPart, PreviewContext } from './ports/agent/preview.ts'
export type { SuspendRequest } from './ports/agent/suspend-request.ts'
export type { Suspended } from './ports/agent/suspended.ts'
export type { ApprovalDemand, Tool, ToolContext, ToolQuestion, ToolReport, Validated } from './ports/agent/tool.ts'
export type { Clock } from './ports/clock.ts'
export type { Dispatched, Dispatcher, DispatchOptions } from './ports/dispatcher.ts'
export type { Ephemeral, EventSink } from './ports/event-sink.ts'
export type { Principal, Rights } from './ports/identity.ts'
export type { AccessStore, NewAccessToken, TokenRevocation } from './ports/store/access.ts'
export type { AuditListQuery, AuditQuery, AuditStore } from './ports/store/audit.ts'
export type { Cursor, Feed, FeedEntry } from './ports/store/feed.ts'
export type { Figures, OpenHolds, StoreFigures } from './ports/store/figures.ts'
export type { TaskQuery, TaskRegistry, TaskTurn } from './ports/store/fleet/task-registry.ts'
export type { GrantQuery, GrantStore, Revocation } from './ports/store/grants.ts'
export type {
  GraphChannel,
  GraphCheckpoint,
  GraphHead,
  GraphPlace,
  GraphQuery,
  GraphStore,
  GraphWrite,
  NewGraphCheckpoint,
  PackedValue,
} from './ports/store/graphs.ts'
export type { HoldQuery, HoldStore } from './ports/store/holds.ts'
export type { Appended, Commit, Growth, JournalStore, Rest } from './ports/store/journal.ts'
export type { Link, LinkStore, NewLink } from './ports/store/people/links.ts'
export type {
  ClaimedNotice,
  NewNotice,
  NoticeBatch,
  NoticeClaim,
  NoticeFigures,
  NoticeMark,
  NoticeQuery,
  NoticeStatus,
  NoticeStore,
  StoredNotice,
} from './ports/store/people/notices.ts'
export type { NewSession, RedeemedLink, SessionEnd, SessionStore } from './ports/store/people/sessions.ts'
export type { NewSubscription, SubscriptionStore } from './ports/store/people/subscriptions.ts'
export type { PrunedPage, PrunedThread, PruneQuery, Retention } from './ports/store/retention.ts'
export type {
  Claim,
  Claimed,
  Lease,
  NewRun,
  RowChange,
  RunQuery,
  RunRow,
  RunStore,
  Start,
} from './ports/store/runs.ts'
export type { FoundEvent, SearchPage, SearchQuery, SearchStore } from './ports/store/search.ts'
export type { Store, StoreCapabilities } from './ports/store/store.ts'
export { type StoreHandOver, StoreLocation } from './ports/store/store-location.ts'
export type { ExportAttempt, ThreadBundles, ThreadExport, ThreadImport } from './ports/store/thread-bundles.ts'
export type { Changer, ChangeWish, UnchangedRun } from './runtime/definitions/refuse-widening.ts'
export type { StopStartedOptions, WaitForStartedOptions } from './runtime/doubt/attend-started.ts'
export type {
  AgentFork,
  AgentHold,
  AgentHoldsNews,
  AgentMessage,
  AgentNews,
  AgentPage,
  AgentQuery,
  AgentSent,
  AgentStatusNews,
  AgentSummary,
  Agents,
  AgentWorktree,
  FollowAgentOptions,
  SpawnRequest,
} from './runtime/face/agents.ts'
export type { Audit } from './runtime/face/audit.ts'
export type { Bundles } from './runtime/face/bundles.ts'
export type { Grants } from './runtime/face/grants.ts'
export type { Holdpoint } from './runtime/face/holdpoint.ts'
export type { Holds } from './runtime/face/holds.ts'
export type { Runs } from './runtime/face/runs.ts'
export type {
  ChildRequest,
  CommandRequest,
  Starter,
  TaskDetails,
  TaskPage,
  TaskPause,
  TaskResumption,
  TaskSummary,
  Tasks,
  TasksWaited,
  TaskWaitRequest,
} from './runtime/face/tasks.ts'
export type { CompactionAsked, CompactOptions, Threads } from './runtime/face/threads.ts'
export type { TokenAuthor, TokenOptions, Tokens } from './runtime/face/tokens.ts'
export type { FollowOptions } from './runtime/following/follow-thread.ts'
export type { FollowRecordsOptions } from './runtime/following/record-feed.ts'
export type { Giver } from './runtime/grants/give-rule.ts'
export type { Answer } from './runtime/holds/answer-hold.ts'
export type { AssignOptions } from './runtime/holds/assign-hold.ts'
export type { CheckOptions, PendingCheck, PendingStatus } from './runtime/holds/check-pending.ts'
export type { ReleasedLease, ReleaseOptions } from './runtime/lease/release-lease.ts'
export type { AuditedRecord, ShownTo } from './runtime/threads/audit.ts'
export type { Bundle, ImportOptions, Mover } from './runtime/threads/bundles.ts'
export type { Cancelled, CancelOptions } from './runtime/threads/cancel-run.ts'
export type { Pruned, PruneOptions } from './runtime/threads/prune-store.ts'
export type { MessageInput, SendOptions, Sent, WhileWaiting } from './runtime/threads/send-message.ts'
export type { AdvanceOptions, AdvanceResult, StartOptions, StartWithProfile } from './runtime/views/face-options.ts'
export type { InputProvider } from './runtime/views/input-provider.ts'
export type { CheckpointRow } from './runtime/views/list-checkpoints.ts'
export type { MessageContent } from './runtime/views/message-content.ts'
export type { RunNode } from './runtime/views/run-path.ts'
export type { RunOutline, RunView } from './runtime/views/run-view.ts'
export type { Advance, WorkEvent, WorkOptions } from './runtime/worker/work-options.ts'
export { openStore, type StoreDeps } from './stores/open-store.ts'
export { defineTool } from './tools/define/define-tool.ts'
export { type AiSdkTool, toTool } from './tools/define/to-tool.ts'
export type { ToolArguments, ToolOptions } from './tools/define/tool-options.ts'
