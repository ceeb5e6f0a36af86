/** Holdpoint: a runtime for agents that must wait for people. */

export type { AuditKind, AuditRecord } from './core/audit.ts'
export type { AuditFault, AuditFaultCode, AuditHead, AuditVerification } from './core/audit-chain.ts'
export type { BundledThread, BundleHeader } from './core/bundle.ts'
export type { Deciders, DecidersSettings } from './core/deciders.ts'
export type { Decision, DecisionInput, DecisionVerdict } from './core/decision.ts'
export type { Difference } from './core/differences.ts'
export type { DueSettings, FinalAction, HoldTiming, OnDue } from './core/due.ts'
export { HoldpointError, LeaseLostError, ModelError, RefusedError, ToolError } from './core/errors.ts'
export type { EventData, EventKind, JournalEvent } from './core/event.ts'
export type { Effect, ExplainedCall, ExplainedRun, ReleasedBy, Ruled } from './core/explain-run.ts'
export type { Exported, Imported } from './core/exported.ts'
export type { Grant, GrantInput, GrantScope } from './core/grant.ts'
export type { Groups } from './core/groups.ts'
export type { Hold, HoldKind, HoldStatus, ResumeMode } from './core/hold.ts'
export type { HumanMessage, HumanRole } from './core/human-thread.ts'
export type { Json, JsonObject } from './core/json.ts'
export type { AssistantMessage, Message, SystemMessage, ToolMessage, UserMessage } from './core/message.ts'
export type { DueEvent } from './core/next-due.ts'
export type { DecidersOptions, DueOptions } from './core/people-options.ts'
export type { Policy, PolicyRule, Verdict } from './core/policy.ts'
export type { HoldScope, PauseKind, Profile } from './core/profile.ts'
export type { Counters, StopCondition } from './core/stop-condition.ts'
export type { Termination } from './core/termination.ts'
export type { RunStatus } from './core/thread.ts'
export type { CallStatus, ToolCall } from './core/tool-call.ts'
export type { Usage } from './core/usage.ts'
export {
  type AgentDefinition,
  type AgentOptions,
  defineAgent,
  type PolicyDocument,
} from './hosts/agents/define-agent.ts'
export { type McpServerOptions, type OpenOptions, openHoldpoint } from './hosts/compose.ts'
export { type RedactSecretsOptions, redactSecrets } from './plugins/redact-secrets.ts'
export { type SpendLimitOptions, spendLimit } from './plugins/spend-limit.ts'
export type { Clock } from './ports/clock.ts'
export type { Ephemeral, EventSink } from './ports/event-sink.ts'
export type { Model, ModelAnswer, ModelRequest, RequestedCall, ToolSpec } from './ports/model.ts'
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
} from './ports/plugin.ts'
export type { GrantQuery, HoldQuery, Receipt, RunQuery, RunRow, Store } from './ports/store.ts'
export type { SuspendRequest } from './ports/suspend-request.ts'
export type { ApprovalDemand, Tool, ToolContext, ToolQuestion, Validated } from './ports/tool.ts'
export type { Answer } from './runtime/answer-hold.ts'
export type { AssignOptions } from './runtime/assign-hold.ts'
export type { Audit, AuditedRecord, ShownTo } from './runtime/audit.ts'
export type { Bundle, Bundles, ImportOptions, Mover } from './runtime/bundles.ts'
export type { Cancelled, CancelOptions } from './runtime/cancel-run.ts'
export type { CheckOptions, PendingCheck, PendingStatus } from './runtime/check-pending.ts'
export type { AdvanceOptions, AdvanceResult, StartOptions, StartWithProfile } from './runtime/face-options.ts'
export type { FollowOptions } from './runtime/follow-thread.ts'
export type { Grants } from './runtime/grants.ts'
export type { Holdpoint } from './runtime/holdpoint.ts'
export type { InputProvider } from './runtime/input-provider.ts'
export type { CheckpointRow } from './runtime/list-checkpoints.ts'
export type { Pruned, PruneOptions } from './runtime/prune-store.ts'
export type { RunNode, RunPath, RunPathStep } from './runtime/run-path.ts'
export type { RunView } from './runtime/run-view.ts'
export type { MessageInput, Sent, WhileWaiting } from './runtime/send-message.ts'
export type { Advance, WorkEvent, WorkOptions } from './runtime/work-options.ts'
export { defineTool, type ToolArguments, type ToolOptions } from './tools/define-tool.ts'
export { type AiSdkTool, toTool } from './tools/to-tool.ts'
