/**
 * Background agents over the registry of tasks. Keeps: a report on an agent is read from current rows. P8: messages to
 * an agent take the same path as those of any other caller, so they mean the same.
 */

import { eachChange } from '../../async/each-change.ts'
import { RefusedError } from '../../core/errors.ts'
import { AGENT_IS_OVER, agentRest } from '../../core/fleet/agent-status.ts'
import { alreadyDecided } from '../../core/hold/already-decided.ts'
import type { Content } from '../../core/message/part.ts'
import { agentRefusals } from '../../core/refusals/agent-refusals.ts'
import { waitsForTurn } from '../../core/task/start-queue.ts'
import type { Task } from '../../core/task/task.ts'
import type { Requester } from '../../core/task/task-move.ts'
import { type AgentTasksDeps, isHere } from '../agent-tasks/agent-task.ts'
import { watchesOf } from '../agent-tasks/wait-for-tasks.ts'
import type {
  AgentChanges,
  AgentFork,
  AgentMessage,
  AgentNews,
  AgentPage,
  AgentQuery,
  AgentSent,
  AgentSummary,
  Agents,
  FollowAgentOptions,
  FollowAgentsOptions,
  SpawnRequest,
} from '../face/agents.ts'
import type { Starter, Tasks } from '../face/tasks.ts'
import { termsOf } from './agent-terms.ts'
import { findAgent } from './find-agent.ts'
import { FleetFeed } from './fleet-feed.ts'
import { followAgent } from './follow-agent.ts'
import { forkAgent } from './fork-agent.ts'
import { listAgents, tellAgent } from './list-agents.ts'
import { type AgentRow, lookAtAgent, type SeenAgent } from './look-at-agent.ts'
import { sendToAgent } from './send-to-agent.ts'
import { spawnAgent, spawnedBefore } from './spawn-agent.ts'

/** Milliseconds that the process of an agent may take to leave. */
const LEAVES_MS = 5_000

export class Fleet implements Agents {
  readonly #deps: AgentTasksDeps
  readonly #tasks: Pick<Tasks, 'cancel'>
  readonly #feed: FleetFeed

  constructor(deps: AgentTasksDeps, tasks: Pick<Tasks, 'cancel'>) {
    this.#deps = deps
    this.#tasks = tasks
    this.#feed = new FleetFeed(deps)
  }

  async spawn(request: SpawnRequest, starter: Starter): Promise<AgentSummary> {
    return this.#summary(await spawnAgent(this.#deps, request, starter))
  }

  async spawned(request: Parameters<Agents['spawned']>[0], starter: Starter): Promise<AgentSummary | null> {
    const task = await spawnedBefore(this.#deps, request, starter)
    return task && this.#summary(task)
  }

  async list(query: AgentQuery = {}): Promise<AgentPage> {
    return listAgents(this.#deps, query)
  }

  async find(named: string): Promise<AgentSummary> {
    return tellAgent(this.#deps, await this.#seen(named))
  }

  async send(named: string, message: AgentMessage): Promise<AgentSent> {
    const seen = await this.#seen(named)
    const sent = await sendToAgent(this.#deps, seen, message)
    const agent = await this.#again(seen)
    const seq = await this.#placeOf(agent, message)
    return { ...sent, agent, ...(seq !== null && { seq }) }
  }

  async #placeOf({ session_id }: AgentSummary, { inputId }: AgentMessage): Promise<number | null> {
    return inputId === undefined || session_id === null ? null : this.#deps.store.findInput(session_id, inputId)
  }

  async end(named: string, asker: Requester): Promise<AgentSummary> {
    const seen = await this.#seen(named)
    await endAgent(this.#deps, seen, asker)
    return this.#again(seen)
  }

  async kill(named: string, asker: Parameters<Agents['kill']>[1]): Promise<AgentSummary> {
    const task = await findAgent(this.#deps, named)
    // A look would start one whose turn has come.
    const seen = waitsForTurn(task.invocation) ? null : await this.#lookAgain(task)
    if (seen && AGENT_IS_OVER[seen.summary.status]) throw killedInVain(seen.summary)
    const { status } = await this.#tasks.cancel(task.id, asker)
    const killed = await this.#lookAgain(task)
    if (status !== 'cancelled') throw killedInVain(killed.summary)
    return tellAgent(this.#deps, killed)
  }

  async wait(named: string, { signal }: { readonly signal: AbortSignal }): Promise<AgentSummary> {
    const { task } = await this.#seen(named)
    return tellAgent(this.#deps, await waitForAgent(this.#deps, () => this.#lookAgain(task), signal))
  }

  async respawn(named: string, starter: Starter): Promise<AgentSummary> {
    return this.#summary(await respawnAgent(this.#deps, await this.#seen(named), starter))
  }

  async fork(named: string, fork: AgentFork): Promise<AgentSummary> {
    return this.#summary(await forkAgent(this.#deps, await this.#seen(named), fork))
  }

  async remove(named: string, asker: Requester): Promise<AgentSummary> {
    const seen = await this.#seen(named)
    if (!AGENT_IS_OVER[seen.summary.status]) throw notOver(seen)
    if (seen.summary.worktree !== null && !isHere(this.#deps, seen.task)) throw worktreeElsewhere(seen)
    // An agent is over once its run is; its process exits a little later.
    const [task = seen.task] = await this.#deps.tasks.wait([seen.task.id], { signal: AbortSignal.timeout(LEAVES_MS) })
    if (!(await this.#deps.store.tasks.remove(task.id, { ...asker, invocation: task.invocation.n })))
      throw notOver(await this.#lookAgain(task))
    await this.#deps.tasks.sweepOutput()
    return tellAgent(this.#deps, seen)
  }

  async *follow(named: string, options: FollowAgentOptions = {}): AsyncGenerator<AgentNews, void, undefined> {
    const { task } = await this.#seen(named)
    yield* followAgent(this.#deps, () => this.#lookAgain(task), options)
  }

  changes(options: FollowAgentsOptions = {}): AsyncGenerator<AgentChanges, void, undefined> {
    return this.#feed.follow(options)
  }

  async #lookAgain(task: Task): Promise<SeenAgent> {
    return lookAtAgent(this.#deps, (await this.#deps.tasks.task(task.id)) ?? task)
  }

  async #seen(named: string): Promise<SeenAgent> {
    return this.#lookAgain(await findAgent(this.#deps, named))
  }

  async #again({ task }: SeenAgent): Promise<AgentSummary> {
    return tellAgent(this.#deps, await this.#lookAgain(task))
  }

  async #summary(task: Task): Promise<AgentSummary> {
    return tellAgent(this.#deps, await lookAtAgent(this.#deps, task))
  }
}

/** Looks until the agent rests or the signal is aborted. */
async function waitForAgent(
  deps: AgentTasksDeps,
  look: () => Promise<SeenAgent>,
  signal: AbortSignal,
): Promise<SeenAgent> {
  const rests = agentRest(deps.clock)
  let seen = await look()
  if (rests(seen.summary.status)) return seen
  for await (const _ of eachChange({ clock: deps.clock, watches: watchesOf(deps), signal })) {
    seen = await look()
    if (rests(seen.summary.status)) break
  }
  return seen
}

/** Looked through for the first message of a session. */
const FIRST_EVENTS = 20

/**
 * Starts the same definition, name and first message in a new session. The old session is kept. @throws RefusedError
 */
async function respawnAgent(deps: AgentTasksDeps, seen: SeenAgent, starter: Starter): Promise<Task> {
  const { task, row, summary } = seen
  if (!AGENT_IS_OVER[summary.status] || row === null) throw notOver(seen)
  const { profile } = await deps.holdpoint.run(row.id)
  const { title, timeout_ms } = task
  const timeout_seconds = timeout_ms === null ? null : timeout_ms / 1000
  const input = await firstMessage(deps, row.thread_id)
  return spawnAgent(deps, { profile, input, title, timeout_seconds, ...termsOf(task) }, starter)
}

async function firstMessage({ store }: AgentTasksDeps, threadId: string): Promise<Content> {
  for (const event of await store.journal(threadId, 0, FIRST_EVENTS))
    if (event.kind === 'message.received') return event.data.content
  return ''
}

function notOver({ row, summary: { id, name, status, because } }: SeenAgent): RefusedError {
  const is = row === null ? 'has no run in this store any more' : `is ${status}: ${because}`
  return new RefusedError('agent_not_over', `The agent ${name ?? id} ${is}. Nothing was done.`, {
    action: { do: status === 'crashed' ? 'resume_agent' : 'end_agent', id: name ?? id },
    details: { status },
  })
}

/** Ends the run of an agent well. Keeps: to end and a message at the same moment are two decisions on one hold (P2). */

/** @throws RefusedError; then nothing was ended. */
async function endAgent(deps: AgentTasksDeps, seen: SeenAgent, asker: Requester): Promise<void> {
  const { row } = seen
  if (row === null || row.status === 'done') throw isOver(seen)
  const [pause] = await deps.holdpoint.holds({ run_id: row.id, status: 'open', kind: 'input', limit: 1 })
  if (!pause) throw isBusy(seen)
  const { by: decided_by, surface } = asker
  const receipt = await deps.holdpoint.decide(pause.id, { verdict: 'approve', decided_by, surface })
  if (receipt.outcome === 'refused') throw receipt.error
  if (receipt.outcome === 'already_decided') throw alreadyDecided(pause.id, receipt.winner)
}

function isOver({ summary: { id, name, status } }: SeenAgent): RefusedError {
  return agentRefusals.isOver(name ?? id, status)
}

function isBusy({ summary: { id, name, status, because } }: SeenAgent): RefusedError {
  return agentRefusals.isBusy(name ?? id, status, because)
}

function killedInVain({ id, name, status }: AgentRow): RefusedError {
  return agentRefusals.killedInVain(name ?? id, status)
}

/** Only the agent's own host knows which work in the worktree would be lost. */
function worktreeElsewhere({ summary: { id, name, host, worktree } }: SeenAgent): RefusedError {
  const path = worktree?.path ?? null
  return agentRefusals.onAnotherHost(name ?? id, host, path, id)
}
