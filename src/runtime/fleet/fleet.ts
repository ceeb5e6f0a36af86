/**
 * Background agents over the registry of tasks. Keeps: what is told of an agent is read from rows of now; what is said to
 * it goes through the face, so it has the same meaning as from any other door (P8).
 */

import { AGENT_IS_OVER } from '../../core/fleet/agent-status.ts'
import { waitsForTurn } from '../../core/task/start-queue.ts'
import type { Task } from '../../core/task/task.ts'
import type { Requester } from '../../core/task/task-move.ts'
import { type AgentTasksDeps, isHere } from '../agent-tasks/agent-task.ts'
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
import { endAgent, killedInVain, worktreeElsewhere } from './end-agent.ts'
import { findAgent } from './find-agent.ts'
import { FleetFeed } from './fleet-feed.ts'
import { followAgent } from './follow-agent.ts'
import { forkAgent } from './fork-agent.ts'
import { listAgents } from './list-agents.ts'
import { lookAtAgent, type SeenAgent } from './look-at-agent.ts'
import { notOver, respawnAgent } from './respawn-agent.ts'
import { sendToAgent } from './send-to-agent.ts'
import { spawnAgent, spawnedBefore } from './spawn-agent.ts'
import { tellAgent } from './tell-agent.ts'
import { waitForAgent } from './wait-for-agent.ts'

/** Milliseconds that the process of an agent may take to leave. */
const LEAVES_MS = 5_000

export class Fleet implements Agents {
  readonly #site: AgentTasksDeps
  readonly #tasks: Pick<Tasks, 'cancel'>
  readonly #feed: FleetFeed

  constructor(site: AgentTasksDeps, tasks: Pick<Tasks, 'cancel'>) {
    this.#site = site
    this.#tasks = tasks
    this.#feed = new FleetFeed(site)
  }

  async spawn(request: SpawnRequest, starter: Starter): Promise<AgentSummary> {
    return this.#summary(await spawnAgent(this.#site, request, starter))
  }

  async spawned(request: Parameters<Agents['spawned']>[0], starter: Starter): Promise<AgentSummary | null> {
    const task = await spawnedBefore(this.#site, request, starter)
    return task && this.#summary(task)
  }

  async list(query: AgentQuery = {}): Promise<AgentPage> {
    return listAgents(this.#site, query)
  }

  async find(named: string): Promise<AgentSummary> {
    return tellAgent(this.#site, await this.#seen(named))
  }

  async send(named: string, message: AgentMessage): Promise<AgentSent> {
    const seen = await this.#seen(named)
    const sent = await sendToAgent(this.#site, seen, message)
    const agent = await this.#again(seen)
    const seq = await this.#placeOf(agent, message)
    return { ...sent, agent, ...(seq !== null && { seq }) }
  }

  async #placeOf({ session_id }: AgentSummary, { inputId }: AgentMessage): Promise<number | null> {
    return inputId === undefined || session_id === null ? null : this.#site.store.findInput(session_id, inputId)
  }

  async end(named: string, asker: Requester): Promise<AgentSummary> {
    const seen = await this.#seen(named)
    await endAgent(this.#site, seen, asker)
    return this.#again(seen)
  }

  async kill(named: string, asker: Parameters<Agents['kill']>[1]): Promise<AgentSummary> {
    const found = await findAgent(this.#site, named)
    // A look would start one whose turn has come.
    const seen = waitsForTurn(found.invocation) ? null : await this.#lookAgain(found)
    if (seen && AGENT_IS_OVER[seen.summary.status]) throw killedInVain(seen.summary)
    const { status } = await this.#tasks.cancel(found.id, asker)
    const killed = await this.#lookAgain(found)
    if (status !== 'cancelled') throw killedInVain(killed.summary)
    return tellAgent(this.#site, killed)
  }

  async wait(named: string, { signal }: { readonly signal: AbortSignal }): Promise<AgentSummary> {
    const { task } = await this.#seen(named)
    const look = async () => lookAtAgent(this.#site, (await this.#site.tasks.task(task.id)) ?? task)
    return tellAgent(this.#site, await waitForAgent(this.#site, look, signal))
  }

  async respawn(named: string, starter: Starter): Promise<AgentSummary> {
    return this.#summary(await respawnAgent(this.#site, await this.#seen(named), starter))
  }

  async fork(named: string, fork: AgentFork): Promise<AgentSummary> {
    return this.#summary(await forkAgent(this.#site, await this.#seen(named), fork))
  }

  async remove(named: string, asker: Requester): Promise<AgentSummary> {
    const seen = await this.#seen(named)
    if (!AGENT_IS_OVER[seen.summary.status]) throw notOver(seen)
    if (seen.summary.worktree !== null && !isHere(this.#site, seen.task)) throw worktreeElsewhere(seen)
    // It is over once its run is; its process leaves a little later.
    const [task = seen.task] = await this.#site.tasks.wait([seen.task.id], { signal: AbortSignal.timeout(LEAVES_MS) })
    if (!(await this.#site.store.tasks.remove(task.id, { ...asker, invocation: task.invocation.n })))
      throw notOver(await this.#lookAgain(task))
    await this.#site.tasks.sweepOutput()
    return tellAgent(this.#site, seen)
  }

  async *follow(named: string, options: FollowAgentOptions = {}): AsyncGenerator<AgentNews, void, undefined> {
    const { task } = await this.#seen(named)
    yield* followAgent(this.#site, () => this.#lookAgain(task), options)
  }

  changes(options: FollowAgentsOptions = {}): AsyncGenerator<AgentChanges, void, undefined> {
    return this.#feed.follow(options)
  }

  async #lookAgain(task: Task): Promise<SeenAgent> {
    return lookAtAgent(this.#site, (await this.#site.tasks.task(task.id)) ?? task)
  }

  async #seen(named: string): Promise<SeenAgent> {
    return this.#lookAgain(await findAgent(this.#site, named))
  }

  async #again({ task }: SeenAgent): Promise<AgentSummary> {
    return this.#summary((await this.#site.tasks.task(task.id)) ?? task)
  }

  async #summary(task: Task): Promise<AgentSummary> {
    return tellAgent(this.#site, await lookAtAgent(this.#site, task))
  }
}
