import type { Requester } from '../core/task/task-move.ts'
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
} from './face/agents.ts'
import type { Starter } from './face/tasks.ts'
import type { OpenedTasks } from './tasks-on-demand.ts'

/** The background agents of a face, opened when they are first used. */
export class FleetOnDemand implements Agents {
  readonly #openTasks: () => Promise<OpenedTasks>
  #opened: Promise<Agents> | null = null

  constructor(openTasks: () => Promise<OpenedTasks>) {
    this.#openTasks = openTasks
  }

  async spawn(request: SpawnRequest, starter: Starter): Promise<AgentSummary> {
    return (await this.#fleet()).spawn(request, starter)
  }

  async spawned(request: Parameters<Agents['spawned']>[0], starter: Starter): Promise<AgentSummary | null> {
    return (await this.#fleet()).spawned(request, starter)
  }

  async list(query?: AgentQuery): Promise<AgentPage> {
    return (await this.#fleet()).list(query)
  }

  async find(named: string): Promise<AgentSummary> {
    return (await this.#fleet()).find(named)
  }

  async send(named: string, message: AgentMessage): Promise<AgentSent> {
    return (await this.#fleet()).send(named, message)
  }

  async end(named: string, asker: Requester): Promise<AgentSummary> {
    return (await this.#fleet()).end(named, asker)
  }

  async kill(named: string, asker: Parameters<Agents['kill']>[1]): Promise<AgentSummary> {
    return (await this.#fleet()).kill(named, asker)
  }

  async wait(named: string, request: Parameters<Agents['wait']>[1]): Promise<AgentSummary> {
    return (await this.#fleet()).wait(named, request)
  }

  async respawn(named: string, starter: Starter): Promise<AgentSummary> {
    return (await this.#fleet()).respawn(named, starter)
  }

  async fork(named: string, request: AgentFork): Promise<AgentSummary> {
    return (await this.#fleet()).fork(named, request)
  }

  async remove(named: string, asker: Requester): Promise<AgentSummary> {
    return (await this.#fleet()).remove(named, asker)
  }

  async *follow(named: string, options?: FollowAgentOptions): AsyncGenerator<AgentNews, void, undefined> {
    yield* (await this.#fleet()).follow(named, options)
  }

  async *changes(options?: FollowAgentsOptions): AsyncGenerator<AgentChanges, void, undefined> {
    yield* (await this.#fleet()).changes(options)
  }

  #fleet(): Promise<Agents> {
    this.#opened ??= this.#open()
    return this.#opened
  }

  async #open(): Promise<Agents> {
    const { site, agentTasks } = await this.#openTasks()
    const { Fleet } = await import('./fleet/fleet.ts')
    return new Fleet(site, agentTasks)
  }
}
