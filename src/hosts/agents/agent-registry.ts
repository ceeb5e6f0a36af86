import { RefusedError } from '../../core/errors.ts'
import { DEFAULT_POLICY } from '../../core/policy/read-policy.ts'
import { type Profile, USUAL_CONCURRENCY } from '../../core/run/profile.ts'
import { keptModelSettings } from '../../core/settings/model-settings.ts'
import type { AgentSource, LoadedAgent } from '../../ports/agent/agent-source.ts'
import type { Model } from '../../ports/agent/model.ts'
import type { Plugin } from '../../ports/agent/plugin.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import type { ControlDeps } from '../../runtime/agent-tasks/controls/controls.ts'
import { type PeopleSettings, peopleProfile, refuseSelfApproval } from '../project/people-settings.ts'
import { AgentServers, type ServerDeps, type Wanted } from './agent-servers.ts'
import { type AllowedTools, allowedTools } from './allowed-tools.ts'
import { defaultAgent } from './default-agent.ts'
import type { AgentDefinition } from './define-agent.ts'
import { modelId } from './model-id.ts'

export interface AgentDeps {
  /** The agents that are known by name. */
  readonly agents: readonly AgentDefinition[]
  readonly openModel: (id: string) => Promise<Model>
  readonly builtInTools: () => ReadonlyMap<string, Tool>
  /** Those that an agent has only where they are named: by which it steers tasks and holds. */
  readonly steeringTools: (open: OpenControls) => Promise<ReadonlyMap<string, Tool>>
  readonly workdir: string
  /** What there is of MCP servers. */
  readonly mcp: ServerDeps
  /** What holds for all runs that are started here. */
  readonly people: PeopleSettings
}

/** What tasks and holds are steered by, opened when it is used. */
type OpenControls = () => Promise<ControlDeps>

/** Finds the agent of a profile, by name or by file, and brings it to life within the profile's bounds. */
/** What of an agent is there, and what it names in vain. */
export type RegisteredAgent = LoadedAgent & AllowedTools

export class AgentRegistry implements AgentSource {
  readonly #site: AgentDeps
  readonly #servers: AgentServers
  readonly #byName: ReadonlyMap<string, AgentDefinition>
  readonly #models = new Map<string, Promise<Model>>()
  #openControls: OpenControls = noControls

  constructor(site: AgentDeps) {
    this.#site = site
    this.#servers = new AgentServers(site.mcp)
    this.#byName = new Map([defaultAgent(), ...site.agents].map(agent => [agent.name, agent]))
  }

  /** Agents are found before there is a store; what they steer is in it. */
  connect(openControls: OpenControls): void {
    this.#openControls = openControls
  }

  profileOf(name: string): Profile {
    const agent = this.#byName.get(name)
    if (!agent) throw unknownAgent(name, [...this.#byName.keys()])
    const scope = agent.holdScope ?? 'call'
    return {
      agent: name,
      agent_file: null,
      model: typeof agent.model === 'string' ? agent.model : null,
      ...keptModelSettings([agent.modelSettings]),
      instructions: agent.instructions,
      tools: null,
      policy: agent.policy ?? DEFAULT_POLICY,
      pause_on: agent.pauseOn ?? ['approval', 'question'],
      hold_scope: scope,
      max_concurrent_calls: agent.maxConcurrentCalls ?? USUAL_CONCURRENCY[scope],
      stop: agent.stop,
      project: null,
      workdir: this.#site.workdir,
      ...peopleProfile(agent, this.#site.people),
    }
  }

  async currentProfile(profile: Profile): Promise<Profile> {
    const { instructions, model, modelSettings, policy } = await this.definitionOf(profile)
    const id = typeof model === 'string' ? model : null
    const found = profile.agent_file === null ? id : modelId(profile.project ?? this.#site.workdir, id)
    return {
      ...profile,
      instructions: instructions ?? profile.instructions,
      model: found ?? profile.model,
      ...keptModelSettings([modelSettings, profile.model_settings]),
      policy: policy ?? profile.policy,
    }
  }

  async load(profile: Profile): Promise<RegisteredAgent> {
    const agent = await this.definitionOf(profile)
    const { plugins } = agent
    const { tools: mounted, servers, isCurrent } = await this.#servers.tools(profile, [named(agent), profile.tools])
    const allowed = allowedTools(
      { builtIn: await this.#builtInTools(agent, profile), mounted, servers },
      agent.tools,
      profile.tools,
    )
    refuseSelfApproval(agent.name, allowed.tools.values(), profile)
    return { ...allowed, plugins, model: () => this.#modelOf(agent, profile), isCurrent }
  }

  /** The model alone: no server is started for it. @throws RefusedError where it cannot be opened here. */
  async model(profile: Profile): Promise<Model> {
    return this.#modelOf(await this.definitionOf(profile), profile)
  }

  async plugins(profile: Profile): Promise<readonly Plugin[]> {
    return (await this.definitionOf(profile)).plugins
  }

  /** Stops the servers that were started for agents. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#servers[Symbol.asyncDispose]()
  }

  async definitionOf({ agent, agent_file }: Pick<Profile, 'agent' | 'agent_file'>): Promise<AgentDefinition> {
    if (agent_file !== null) return (await import('./load-agent-file.ts')).loadAgentFile(agent_file)
    const known = this.#byName.get(agent)
    if (!known) throw unknownAgent(agent, [...this.#byName.keys()])
    return known
  }

  /** Tools that steer tasks come in only where they are named. */
  async #builtInTools(agent: AgentDefinition, profile: Profile): Promise<ReadonlyMap<string, Tool>> {
    const builtIn = this.#site.builtInTools()
    const isNamed = (agent.tools ?? profile.tools)?.some(tool => typeof tool === 'string' && !builtIn.has(tool))
    if (!isNamed) return builtIn
    return new Map([...builtIn, ...(await this.#site.steeringTools(() => this.#openControls()))])
  }

  async #modelOf(agent: AgentDefinition, { model: id }: Profile): Promise<Model> {
    if (id === null) {
      if (typeof agent.model === 'object' && agent.model !== null) return agent.model
      throw noModel(agent.name)
    }
    const opened = this.#models.get(id) ?? this.#site.openModel(id)
    this.#models.set(id, opened)
    // What could not be opened may be there the next time.
    opened.catch(() => this.#models.delete(id))
    return opened
  }
}

async function noControls(): Promise<ControlDeps> {
  throw new RefusedError('no_store', 'No store is open yet, so there are no tasks to steer.')
}

/** What an agent brings itself comes from no server. */
function named({ tools }: AgentDefinition): Wanted {
  return tools?.filter(tool => typeof tool === 'string') ?? null
}

function unknownAgent(name: string, known: readonly string[]): RefusedError {
  return new RefusedError('unknown_agent', `There is no agent ${JSON.stringify(name)} here.`, {
    hint: `Known: ${known.join(', ')}.`,
  })
}

function noModel(agent: string): RefusedError {
  return new RefusedError('no_model', `The agent ${agent} names no model and none was given.`, {
    hint: 'Add --model provider/model (or set HOLDPOINT_MODEL), for example --model anthropic/claude-sonnet-4-5 or --model script:demo.yaml.',
  })
}
