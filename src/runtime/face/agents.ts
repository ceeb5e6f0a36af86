import type { Amount } from '../../core/count.ts'
import type { AgentStatus } from '../../core/fleet/agent-status.ts'
import type { LastMessage } from '../../core/fleet/last-message.ts'
import type { TurnError } from '../../core/fleet/presence.ts'
import type { Hold } from '../../core/hold/hold.ts'
import type { HoldRow } from '../../core/hold-view/hold-row.ts'
import type { JournalEvent } from '../../core/journal/event.ts'
import type { Content } from '../../core/message/part.ts'
import type { Profile } from '../../core/run/profile.ts'
import type { Interactive } from '../../core/settings/interactive-settings.ts'
import type { Requester } from '../../core/task/task-move.ts'
import type { Ephemeral } from '../../ports/event-sink.ts'
import type { Sent, WhileWaiting } from '../threads/send-message.ts'
import type { MessageContent } from '../views/message-content.ts'
import type { ListedTask, Starter } from './tasks.ts'

/**
 * Background agents: tasks in which an agent runs, started by any door. An agent is named by its id, by the beginning
 * of it, or by its own name.
 */
export interface Agents {
  /** @throws RefusedError; then nothing was started. */
  spawn(request: SpawnRequest, starter: Starter): Promise<AgentSummary>

  /** The agent that a spawn with the same `startId` made; `null` if none did. @throws RefusedError `start_id_taken` */
  spawned(request: Pick<SpawnRequest, 'startId' | 'profile' | 'input'>, starter: Starter): Promise<AgentSummary | null>

  /** Agents that need people come first, then the newest. */
  list(query?: AgentQuery): Promise<AgentPage>

  /** @throws RefusedError `unknown_agent`, `ambiguous_id` */
  find(named: string): Promise<AgentSummary>

  /**
   * Sends a message to an agent. A parked or finished agent goes on with it.
   * @throws RefusedError; then nothing was sent.
   */
  send(named: string, message: AgentMessage): Promise<AgentSent>

  /**
   * Ends the run of an agent that waits for a message: it is done. @throws RefusedError `busy` while it works or waits for
   * people, `ended` if it is over, `already_decided` if a message was quicker
   */
  end(named: string, asker: Requester): Promise<AgentSummary>

  /** Stops what runs of an agent, and ends its run for good. @throws RefusedError `task_over` if it is over already */
  kill(named: string, asker: Requester & { readonly reason?: string | null }): Promise<AgentSummary>

  /** Waits until the agent is idle, parked or over, or needs people. Also ends when its signal is aborted. */
  wait(named: string, request: { readonly signal: AbortSignal; readonly asker: Requester }): Promise<AgentSummary>

  /** Starts one that is over anew, with the same definition and the same first message, as another agent. @throws RefusedError */
  respawn(named: string, starter: Starter): Promise<AgentSummary>

  /** Starts another agent from the present state of this one, which does not change. @throws RefusedError */
  fork(named: string, request: AgentFork): Promise<AgentSummary>

  /** Takes one that is over off the list. Its session stays. @throws RefusedError `agent_not_over` */
  remove(named: string, asker: Requester): Promise<AgentSummary>

  /**
   * Gives the status and the open holds first. Then it gives the events of the session after `since`, pieces as they
   * arrive, and each change of status or holds, until the signal is aborted or the caller stops. The end of the agent
   * does not end it.
   * @throws RefusedError `unknown_agent`, `ambiguous_id`
   */
  follow(named: string, options?: FollowAgentOptions): AsyncGenerator<AgentNews, void, undefined>

  /**
   * First all agents that have a process or wait for one, then those whose process or task changed, as they do, until
   * the signal is aborted or the caller stops. Audit records of an agent come from `audit.follow` alone.
   */
  changes(options?: FollowAgentsOptions): AsyncGenerator<AgentChanges, void, undefined>
}

/** Takes an agent off the list with the worktree that it works in, which only a host can. */
export interface AgentRemoval extends Requester {
  /** Deletes what is not committed or not merged, too. */
  readonly discard: boolean
}

/** An agent that is off the list. */
export interface RemovedAgent {
  readonly agent: AgentSummary
  /** True if its worktree and its branch went with it. */
  readonly worktree_removed: boolean
}

/** A directory of its own that an agent works in, under version control. */
export interface AgentWorktree {
  /** Absolute. */
  readonly path: string
  readonly branch: string
}

/** Asks for an agent in the background. */
export interface SpawnRequest {
  readonly profile: Profile
  readonly input: Content
  /** Letters, digits, dots, dashes and underscores; no other agent that is not over has it. `null`: none. */
  readonly name: string | null
  /** Title in one line; `null`: the beginning of the input. */
  readonly title: string | null
  /** Limit of each invocation; `null`: no limit. */
  readonly timeout_seconds: number | null
  /** `null`: the process ends when the run waits or ends. */
  readonly interactive: Interactive | null
  readonly worktree: AgentWorktree | null
  /** Idempotency key of the starter: spawns with the same key make one agent. */
  readonly startId?: string
}

/** A message to an agent. */
export type AgentMessage = MessageContent & {
  readonly author: string
  readonly surface: string
  /** How it is taken while calls wait for people. Default: `queue`. */
  readonly whileWaiting?: WhileWaiting
  /** Idempotency key, unique in its session. */
  readonly inputId?: string
}

/** The result of sending a message. */
export type AgentSent = Sent & {
  readonly agent: AgentSummary
  /** Place of the message in the journal, if it has an `inputId`. */
  readonly seq?: Amount
}

/** How a fork begins. */
export interface AgentFork {
  readonly starter: Starter
  readonly name: string | null
  /** The work that it is to do; needed if the agent is done. */
  readonly text: string | null
}

/** Chooses agents. */
export interface AgentQuery {
  readonly status?: AgentStatus
  /** The name of its definition. */
  readonly agent?: string
  /** The run whose agent started it. */
  readonly parent_run_id?: string
  /** In one page. Default: all that are not over, and 50 of those that are. */
  readonly limit?: number
  /** The `next` of the page before this one. */
  readonly after?: string
}

/** A page of agents: unfinished ones first, by need. */
export interface AgentPage {
  readonly agents: readonly AgentSummary[]
  /** The cursor of the next page; `null` if there are no more. */
  readonly next: string | null
}

/** A hold of an agent: enough to choose it, not enough to decide it. */
export type AgentHold = Pick<HoldRow, 'id' | 'kind' | 'tool' | 'due_at' | 'summary' | 'is_cut'>

/** An agent as a list shows it. */
export interface AgentSummary extends ListedTask {
  /** Id of the task. */
  readonly id: string
  readonly name: string | null
  /** The name of its definition; `null` if its run is in this store no more. */
  readonly agent: string | null
  readonly status: AgentStatus
  /** Why it has this status, in words. */
  readonly because: string
  /** `null`: the process ends when the run waits or ends. */
  readonly interactive: Interactive | null
  /** Open approvals and questions. */
  readonly holds: Amount
  /** The oldest of them, in one line; `null` if none is open. */
  readonly first_hold: AgentHold | null
  /** Messages that it has not taken in, and clients that are attached, while its process is there. */
  readonly queued: Amount
  readonly clients: Amount
  readonly writer: string | null
  /** Why its newest turn failed. */
  readonly last_error: TurnError | null
  /** When an idle agent ends or parks if nothing happens, an ISO time; `null`: no clock runs. */
  readonly ends_at: string | null
  /** The newest message of the session; `null` if none is recent. */
  readonly last_message: LastMessage | null
  /** The host that has its process and its files; `null` if the store is of one machine. */
  readonly host: string | null
  readonly workdir: string
  readonly worktree: AgentWorktree | null
}

/** The status of an agent. Its messages are events of its session. */
export interface AgentStatusNews {
  readonly kind: 'agent.status'
  readonly agent: Omit<AgentSummary, 'last_message'>
}

/** All holds of an agent that are open now, in full. */
export interface AgentHoldsNews {
  readonly kind: 'agent.holds'
  readonly holds: readonly Hold[]
}

/** News for the watcher of an agent: events and pieces of its session, its status and its holds. */
export type AgentNews = AgentStatusNews | AgentHoldsNews | JournalEvent | Ephemeral

/** Agents whose status may have changed: a list reads them again. */
export interface AgentChanges {
  readonly task_ids: readonly string[]
}

/** The options of `agents.changes`. */
export interface FollowAgentsOptions {
  /** Ends it. */
  readonly signal?: AbortSignal
}

/** The options of `agents.follow`. */
export interface FollowAgentOptions {
  /** The last `seq` that the caller has; 0 for all of its session. Default: 0. */
  readonly since?: number
  /** Ends it. */
  readonly signal?: AbortSignal
}
