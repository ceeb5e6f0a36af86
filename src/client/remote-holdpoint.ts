import type { StuckRun } from '../core/advancing/stuck-run.ts'
import type { AuditRecord } from '../core/audit/audit.ts'
import type { DecisionInput } from '../core/hold/decision.ts'
import type { Hold } from '../core/hold/hold.ts'
import type { HoldView } from '../core/hold-view/hold-view.ts'
import type { Message } from '../core/journal/message.ts'
import type { Content } from '../core/message/part.ts'
import type { Role } from '../core/people/role.ts'
import type { Exported } from '../core/run/exported.ts'
import type { RunPath } from '../core/run/run-path.ts'
import type { OnIdle } from '../core/settings/interactive-settings.ts'
import type { RunOutcome } from '../core/timeline/run-outcome.ts'
import type { RunTimeline } from '../core/timeline/run-timeline.ts'
import type { Lease, RunQuery, RunRow } from '../ports/store/runs.ts'
import type { FoundEvent, SearchPage, SearchQuery } from '../ports/store/search.ts'
import type {
  AgentChanges,
  AgentFork,
  AgentMessage,
  AgentNews,
  AgentRemoval,
  AgentSent,
  AgentSummary,
  Agents,
  FollowAgentOptions,
  FollowAgentsOptions,
  RemovedAgent,
} from '../runtime/face/agents.ts'
import type { Audit } from '../runtime/face/audit.ts'
import type { Grants } from '../runtime/face/grants.ts'
import type { Holds } from '../runtime/face/holds.ts'
import type { Runs } from '../runtime/face/runs.ts'
import type { TaskResumption, TaskSummary, Tasks } from '../runtime/face/tasks.ts'
import type { Threads } from '../runtime/face/threads.ts'
import type { FollowRecordsOptions } from '../runtime/following/record-feed.ts'
import type { AssignOptions } from '../runtime/holds/assign-hold.ts'
import type { Cancelled, CancelOptions } from '../runtime/threads/cancel-run.ts'
import type { CompactionAsked, CompactOptions } from '../runtime/threads/compact-thread.ts'
import type { Started, StartOptions } from '../runtime/views/face-options.ts'
import type { MessageContent } from '../runtime/views/message-content.ts'
import type { RunView } from '../runtime/views/run-view.ts'

/**
 * The verbs of `Holds`, `Runs`, `Threads`, `Grants`, `Audit`, `Tasks` and `Agents` that `holdpoint serve` offers. The
 * token signs: names and surfaces in the input of a verb are not sent.
 */
export interface RemoteHoldpoint extends RemoteHolds, RemoteRuns, RemoteThreads {
  readonly grants: RemoteGrants
  readonly audit: RemoteAudit
  readonly tasks: RemoteTasks
  readonly agents: RemoteAgents

  /**
   * Gives each change in all threads after `since`, or from now on: in ids, by which the caller looks up what matters.
   * Survives breaks of the connection, until the signal is aborted or the caller stops.
   * @throws ServerError if the server cannot be reached at first, and what it refuses
   */
  changes(options?: FollowRecordsOptions): AsyncGenerator<RemoteChange, void, undefined>

  /** The name that the token signs with, and the server. */
  me(): Promise<RemoteCaller>
}

/** Verbs without their signature: the token signs. */
type Unsigned<Face, Verb extends keyof Face> = {
  [Name in Verb]: Face[Name] extends (first: infer First, ...rest: never) => infer Result
    ? (first: First) => Result
    : never
}

/** `Audit`, at a server. */
export interface RemoteAudit extends Pick<Audit, 'list' | 'head' | 'explain' | 'report' | 'replay'> {
  /**
   * Records that a person had these open holds in view, each to its end. `seen` is the version that was shown.
   * @throws RefusedError `digest_mismatch`, `level_mismatch` if a hold is another one by now
   */
  shown(holdIds: readonly string[], seen?: Pick<RemoteAnswer, 'digest' | 'level'>): Promise<void>
}

/** A record of the audit log, in ids. */
export interface RemoteChange
  extends Pick<
    AuditRecord,
    'seq' | 'at' | 'kind' | 'thread_id' | 'run_id' | 'hold_id' | 'call_id' | 'actor' | 'surface'
  > {
  readonly task_id?: string
}

/** The caller as the server knows it, by its token. */
export interface RemoteCaller {
  readonly name: string
  readonly role: Role
  /** Version of the server. */
  readonly version: string
}

/** A decision as a caller gives it. A name and a surface in it are not sent. */
export type RemoteDecision = Partial<Pick<DecisionInput, 'decided_by' | 'surface'>> &
  Omit<DecisionInput, 'decided_by' | 'surface'>

/** An answer as text or parts. A name and a surface in it are not sent. */
export type RemoteAnswer = Partial<Pick<DecisionInput, 'decided_by' | 'surface' | 'decision_id' | 'digest' | 'level'>> &
  MessageContent

/** `Holds`, at a server. */
export interface RemoteHolds extends Pick<Holds, 'hold' | 'holds' | 'waitForStarted'>, Unsigned<Holds, 'stopStarted'> {
  /**
   * The token is the principal. The server records that it showed the hold; `audit.shown` records that the end was in
   * view.
   */
  holdInContext(id: string): Promise<HoldView | null>

  /**
   * Decides as `Holds` does. Sends the decision again with the same `decision_id` if there is no answer: the receipt is
   * `duplicate` if the first try was recorded.
   * @throws ServerError `no_answer` if there is still none
   */
  decide(holdId: string, input: Omit<RemoteDecision, 'hold_id'>): ReturnType<Holds['decide']>
  decideMany(
    inputs: readonly RemoteDecision[],
    options?: Parameters<Holds['decideMany']>[1],
  ): ReturnType<Holds['decideMany']>
  answer(holdId: string, answer: RemoteAnswer): ReturnType<Holds['answer']>
  assign(holdId: string, options: Pick<AssignOptions, 'assignee' | 'reason'>): Promise<Hold>
}

/** A run without its messages, which are those of its thread. */
export type RemoteRun = Omit<RunView, 'messages'>

/** A run as a list has it. */
export type RemoteRunRow = Omit<RunRow, 'hold_scope' | 'lease' | 'failure'> & {
  /** The process that works on it; `null` if none does. */
  readonly lease: Pick<Lease, 'owner'> | null
  /** The beginnings of the messages that began it and its thread, if they were asked for. */
  readonly about?: { readonly run: string | null; readonly thread: string | null }
  /** Why it does not go on although it could, if beginnings were asked for. */
  readonly stuck?: StuckRun | null
} & Partial<RunOutcome>

/** A run, and those that its agent started. */
export type RemoteRunNode = RemoteRunRow & { readonly children: readonly RemoteRunNode[] }

/** Chooses runs. */
export interface RemoteRunQuery extends RunQuery {
  /** Also how each began. Default: false. */
  readonly about?: boolean
}

/** `Runs`, at a server, which advances them itself: there is no `advance`. */
export interface RemoteRuns extends Unsigned<Runs, 'release'> {
  /**
   * A run of an agent that the server knows by this name; default: the agent of its project. It has a `startId`, also if
   * you give none, so it is sent again without an answer, and is one run. @throws ServerError `no_answer` if there is still none
   */
  start(request: Pick<StartOptions, 'input'> & Partial<Pick<StartOptions, 'agent' | 'startId'>>): Promise<Started>
  cancel(runId: string, options?: Partial<CancelOptions>): Promise<RemoteCancelled>
  run(id: string): Promise<RemoteRun & { readonly path: RunPath; readonly exported: Exported | null }>
  runs(query?: RemoteRunQuery): Promise<readonly RemoteRunRow[]>
  runTree(query?: RemoteRunQuery): Promise<readonly RemoteRunNode[]>
  /** A run over time: what its model, its tools and its people each took. */
  timeline(runId: string): Promise<RunTimeline>
  /** The run as it stood at a checkpoint, whose place in its thread is `seq`. */
  runAt(checkpointId: string): Promise<RemoteRun & { readonly seq: number }>
}

/** `Cancelled`, at a server. */
export type RemoteCancelled = Pick<Cancelled, 'outcome'> & { readonly run: RemoteRun }

/**
 * `Threads`, at a server. A message without an `inputId` gets one. It is sent again if there is no answer, and counts
 * once.
 */
export interface RemoteThreads extends Pick<Threads, 'send' | 'follow' | 'messages' | 'checkpoints'> {
  compact(threadId: string, options?: Pick<CompactOptions, 'keep' | 'drop'>): Promise<CompactionAsked>
  thread(id: string): Promise<RemoteThread>
  /** Searches as `Threads` does; each event has the runs above it. */
  search(query: SearchQuery): Promise<RemoteFound>
}

/** A part of what was found. */
export interface RemoteFound extends Pick<SearchPage, 'next'> {
  readonly found: readonly (FoundEvent & { readonly path: RunPath })[]
}

/** A thread in its present state. */
export interface RemoteThread {
  readonly id: string
  /** `seq` of the newest event. */
  readonly seq: number
  /** The messages that the model would get. */
  readonly messages: readonly Message[]
  /** The newest one; `null` if none was started. */
  readonly run: RemoteRun | null
  /** Set if it moved to another store. */
  readonly exported: Exported | null
}

/** `Grants`, at a server. */
export interface RemoteGrants extends Pick<Grants, 'list' | 'suggest'>, Unsigned<Grants, 'add' | 'revoke'> {}

/** `Tasks`, at a server. */
export interface RemoteTasks
  extends Pick<Tasks, 'list' | 'output' | 'invocation'>,
    Unsigned<Tasks, 'details' | 'goOn'> {
  cancel(taskId: string, options?: { readonly reason?: string | null }): Promise<TaskSummary>
  resume(taskId: string, resumption: Omit<TaskResumption, 'asker'>): Promise<TaskSummary>
}

/** A message to an agent. A name and a surface in it are not sent. Without an `inputId` it gets one. */
export type RemoteAgentMessage = Omit<AgentMessage, 'author' | 'surface' | 'whileWaiting'> &
  Partial<Pick<AgentMessage, 'author' | 'surface'>> & {
    /** `supersede`: it takes the place of calls that wait; `interrupt`: of what runs, too. Default: `queue`. */
    readonly whileWaiting?: 'queue' | 'supersede' | 'interrupt'
  }

/** `Agents`, at a server. A message is sent again if there is no answer, and counts once. */
export interface RemoteAgents extends Pick<Agents, 'list' | 'find'>, Unsigned<Agents, 'end' | 'respawn'> {
  /** The names of the agents that the server can start: those of its project, and of its user. */
  definitions(): Promise<readonly string[]>
  /** In the directory of the server. It has a `startId`, also if none is given, so what was sent again is one agent. */
  spawn(request: RemoteSpawn): Promise<AgentSummary>
  send(named: string, message: RemoteAgentMessage): Promise<AgentSent>
  kill(named: string, options?: { readonly reason?: string | null }): Promise<AgentSummary>
  fork(named: string, request?: Partial<Pick<AgentFork, 'name' | 'text'>>): Promise<AgentSummary>
  /** With its worktree. @throws RefusedError `worktree_not_saved` unless its work is discarded */
  remove(named: string, options?: Partial<Pick<AgentRemoval, 'discard'>>): Promise<RemovedAgent>
  /** Follows as `Agents` does, over breaks of the connection. */
  follow(named: string, options?: FollowAgentOptions): AsyncGenerator<AgentNews, void, undefined>
  /** Gives changes as `Agents` does. After a break of the connection it names all unfinished agents again. */
  changes(options?: FollowAgentsOptions): AsyncGenerator<AgentChanges, void, undefined>
}

/** Asks for an agent in the background. */
export interface RemoteSpawn {
  /** The name of its definition. Default: the agent of the project. */
  readonly agent?: string
  readonly input: Content
  /** No other agent that is not over has it. */
  readonly name?: string
  /** Title in one line. Default: the beginning of the input. */
  readonly title?: string
  /** Seconds, of each of its processes. Default: no limit. */
  readonly timeout?: number
  /** Whether the process stays for the next message. Default: the setting of the agent or the project. */
  readonly interactive?: boolean
  /** Seconds; 0: no limit. */
  readonly idle_timeout?: number
  readonly on_idle?: OnIdle
  /** In a git worktree of its own, on a branch of its own. Default: false. */
  readonly worktree?: boolean
  /** Idempotency key: spawns with the same key make one agent. Default: a new one. */
  readonly startId?: string
}
