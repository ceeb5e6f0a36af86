import type { Amount } from '../../core/count.ts'
import type { AgentStatus } from '../../core/fleet/agent-status.ts'
import type { Interactive } from '../../core/fleet/interactive.ts'
import type { TurnError } from '../../core/fleet/presence.ts'
import type { Content } from '../../core/message/part.ts'
import type { Profile } from '../../core/run/profile.ts'
import type { Requester } from '../../core/task/task-move.ts'
import type { Sent, WhileWaiting } from '../threads/send-message.ts'
import type { MessageContent } from '../views/message-content.ts'
import type { Starter } from './tasks.ts'

/**
 * Background agents: tasks in which an agent runs, by whichever door they were started. An agent is named by its id, by
 * the beginning of it, or by its own name.
 */
export interface Agents {
  /** @throws RefusedError; then nothing was started. */
  spawn(request: SpawnRequest, starter: Starter): Promise<AgentSummary>

  /** Those that people are needed for come first, then the newest. */
  list(query?: AgentQuery): Promise<AgentPage>

  /** @throws RefusedError `unknown_agent`, `ambiguous_id` */
  find(named: string): Promise<AgentSummary>

  /**
   * Says something to an agent. One that is parked or done goes on with it. @throws RefusedError; then nothing was said.
   */
  send(named: string, message: AgentMessage): Promise<AgentSent>

  /**
   * Ends the run of an agent that waits for a message: it is done. @throws RefusedError `busy` while it works or waits for
   * people, `ended` if it is over, `already_decided` if a message was quicker
   */
  end(named: string, asker: Requester): Promise<AgentSummary>

  /** Stops what runs of an agent, and ends its run for good. @throws RefusedError `task_over` if it is over already */
  kill(named: string, asker: Requester & { readonly reason?: string | null }): Promise<AgentSummary>

  /** Until the agent rests: it is idle or parked, waits for people, or is over. Also ends when its signal is aborted. */
  wait(named: string, request: { readonly signal: AbortSignal; readonly asker: Requester }): Promise<AgentSummary>

  /** Starts one that is over anew, with the same definition and the same first message, as another agent. @throws RefusedError */
  respawn(named: string, starter: Starter): Promise<AgentSummary>

  /** Another agent that goes on from where this one stands. This one is not touched. @throws RefusedError */
  fork(named: string, request: AgentFork): Promise<AgentSummary>

  /** Takes one that is over off the list. Its session stays. @throws RefusedError `agent_not_over` */
  remove(named: string, asker: Requester): Promise<AgentSummary>
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
  /** One line for people; `null`: the beginning of the input. */
  readonly title: string | null
  /** Of each invocation; `null`: no limit. */
  readonly timeout_seconds: number | null
  /** `null`: its process ends when its run rests. */
  readonly interactive: Interactive | null
  readonly worktree: AgentWorktree | null
}

/** One message to an agent. */
export type AgentMessage = MessageContent & {
  readonly author: string
  readonly surface: string
  /** What becomes of it while calls wait for people. Default: `queue`. */
  readonly whileWaiting?: WhileWaiting
  /** Idempotency key, unique in its session. */
  readonly inputId?: string
}

/** What became of a message. */
export type AgentSent = Sent & {
  readonly agent: AgentSummary
  /** Its place in the journal, if it has an `inputId`. */
  readonly seq?: Amount
}

/** How a fork begins. */
export interface AgentFork {
  readonly starter: Starter
  readonly name: string | null
  /** What it is to do; needed if the agent is done. */
  readonly text: string | null
}

/** Chooses agents. */
export interface AgentQuery {
  readonly status?: AgentStatus
  /** The name of its definition. */
  readonly agent?: string
  /** The run whose agent started it. */
  readonly parent_run_id?: string
  /** Of those that are over, in one page. Default: 50. */
  readonly limit?: number
  /** The `next` of the page before this one. */
  readonly after?: string
}

/** One page of agents. The first one has all that are not over, and the later ones have none of them. */
export interface AgentPage {
  readonly agents: readonly AgentSummary[]
  /** Where to go on; `null` if there are no more. */
  readonly next: string | null
}

/** An agent as a list shows it. */
export interface AgentSummary {
  /** Of its task. */
  readonly id: string
  readonly name: string | null
  /** The name of its definition; `null` if its run is in this store no more. */
  readonly agent: string | null
  readonly title: string
  readonly status: AgentStatus
  /** Why it has this status, in words. */
  readonly because: string
  /** `null`: its process ends when its run rests. */
  readonly interactive: Interactive | null
  readonly run_id: string | null
  readonly session_id: string | null
  /** Where its run stands. */
  readonly checkpoint_id: string | null
  /** The run whose agent started it. */
  readonly parent_run_id: string | null
  /** Open approvals and questions. */
  readonly holds: Amount
  /** Messages that it has not taken in, and clients that are attached, while its process is there. */
  readonly queued: Amount
  readonly clients: Amount
  readonly writer: string | null
  /** Why its newest turn failed. */
  readonly last_error: TurnError | null
  readonly workdir: string
  readonly worktree: AgentWorktree | null
  readonly created_at: string
  readonly updated_at: string
}
