import type { RefusedError } from '../../core/errors.ts'
import { DEFAULT_POLICY } from '../../core/policy/read-policy.ts'
import type { ClientTool } from '../../core/run/client-tool.ts'
import { type Profile, USUAL_CONCURRENCY } from '../../core/run/profile.ts'
import { keptContext } from '../../core/settings/context-settings.ts'
import { keptModelSettings } from '../../core/settings/model-settings.ts'
import { keptPrices, type Prices } from '../../core/settings/prices.ts'
import { faultOfModel, isAiSdkModel } from '../../models/model-shape.ts'
import type { AgentSource, LoadedAgent } from '../../ports/agent/agent-source.ts'
import type { OpenControls } from '../../ports/agent/control.ts'
import type { AiSdkModel, Model, ModelChoice } from '../../ports/agent/model.ts'
import type { Plugin } from '../../ports/agent/plugin.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import { PASS_ALL, type Passed } from '../../ports/process/command-environment.ts'
import { toTool } from '../../tools/define/to-tool.ts'
import {
  type PeopleSettings,
  peopleProfile,
  refuseIdleSelfApproval,
  refuseSelfApproval,
  refuseUnableDeciders,
} from '../project/people-settings.ts'
import { agentFileRefusals } from '../refusals/agent-file-refusals.ts'
import { AgentServers, type ServerDeps, type Wanted } from './agent-servers.ts'
import { type AllowedTools, allowedTools } from './allowed-tools.ts'
import { type AgentDefinition, defineAgent } from './define-agent.ts'
import { modelIdOfAgent } from './model-id.ts'
import { broughtModel, chosenModel, ownModel } from './own-model.ts'

export interface AgentDeps {
  /** The agents that are known by name. */
  readonly agents: readonly AgentDefinition[]
  readonly openModel: (model: string | AiSdkModel) => Promise<Model>
  readonly builtInTools: (pass: Passed) => ReadonlyMap<string, Tool>
  /** Tools that steer tasks and holds: an agent has one only if it names it. Without controls, none of them works. */
  readonly steeringTools: (controls: OpenControls | null) => Promise<ReadonlyMap<string, Tool>>
  readonly workdir: string
  /** The environment of MCP servers. */
  readonly mcp: ServerDeps
  /** Settings of all runs that are started here. */
  readonly people: PeopleSettings
  readonly prices: Prices | null
}

/** The parts of an agent that exist, and the names for which there is nothing. */
export type RegisteredAgent = LoadedAgent & AllowedTools

/** Finds the agent of a profile, by name or by file, and brings it to life within the profile's bounds. */
export class AgentRegistry implements AgentSource {
  readonly #deps: AgentDeps
  readonly #servers: AgentServers
  readonly #byName: ReadonlyMap<string, AgentDefinition>
  readonly #models = new Map<string, Promise<Model>>()

  constructor(deps: AgentDeps) {
    this.#deps = deps
    this.#servers = new AgentServers(deps.mcp)
    this.#byName = new Map([defaultAgent(), ...deps.agents].map(agent => [agent.name, agent]))
    for (const agent of deps.agents) this.refuseUnable(agent, this.profileOf(agent.name))
  }

  /** New runs of an agent can be decided, by people or by time. @throws RefusedError `invalid_agent` */
  refuseUnable(
    agent: AgentDefinition,
    profile: Pick<Profile, 'due' | 'deciders' | 'groups' | 'proven_groups' | 'pause_on'>,
  ): void {
    refuseUnableDeciders(agent, profile)
    refuseIdleSelfApproval(agent, profile, {
      ownTools: () => this.ownTools(agent),
      pause_on: profile.pause_on,
    })
  }

  /** The tools of an agent; `null` if some of them come from servers, or steer tasks. */
  ownTools({ tools }: AgentDefinition): readonly Tool[] | null {
    const builtIn = this.#deps.builtInTools(PASS_ALL)
    const own = tools?.map(tool => (typeof tool === 'string' ? builtIn.get(tool) : tool)) ?? [...builtIn.values()]
    return own.every(tool => tool !== undefined) ? own : null
  }

  /** The tools that come with Holdpoint, those that steer tasks among them. */
  async ownToolsOfHoldpoint(): Promise<readonly Tool[]> {
    const steering = await this.#deps.steeringTools(null)
    return [...this.#deps.builtInTools(PASS_ALL).values(), ...steering.values()]
  }

  names(): readonly string[] {
    return [...this.#byName.keys()]
  }

  profileOf(name: string): Profile {
    const agent = this.#byName.get(name)
    if (!agent) throw unknownAgent(name, [...this.#byName.keys()])
    const scope = agent.holdScope ?? 'call'
    return {
      agent: name,
      agent_file: null,
      model: ownModel(agent),
      ...broughtModel(agent),
      ...keptModelSettings([agent.modelSettings]),
      ...keptContext([agent.context]),
      instructions: agent.instructions,
      tools: null,
      policy: agent.policy ?? DEFAULT_POLICY,
      pause_on: agent.pauseOn ?? ['approval', 'question'],
      hold_scope: scope,
      max_concurrent_calls: agent.maxConcurrentCalls ?? USUAL_CONCURRENCY[scope],
      stop: agent.stop,
      ...keptPrices(this.#deps.prices),
      project: null,
      workdir: this.#deps.workdir,
      ...peopleProfile(agent, this.#deps.people),
    }
  }

  async currentProfile(profile: Profile): Promise<Profile> {
    const { model_settings, ...kept } = profile
    const agent = await this.definitionOf(profile)
    const { instructions, modelSettings, policy } = agent
    const [id, file] = [ownModel(agent), profile.agent_file]
    const directory = profile.project ?? this.#deps.workdir
    const model = file === null ? id : modelIdOfAgent({ file, directory }, id)
    return {
      ...kept,
      instructions: instructions ?? profile.instructions,
      model: model ?? profile.model,
      ...keptModelSettings([modelSettings, model_settings]),
      ...keptContext([agent.context, profile.context]),
      policy: policy ?? profile.policy,
    }
  }

  async load(profile: Profile, controls: OpenControls | null = null): Promise<RegisteredAgent> {
    const agent = await this.definitionOf(profile)
    const { plugins } = agent
    const wanted = agent.tools ?? profile.tools
    const {
      tools: mounted,
      servers,
      leftOut,
      isCurrent,
      pass,
    } = await this.#servers.tools(profile, [named(agent), profile.tools])
    const allowed = allowedTools(
      { builtIn: await this.#builtInTools(wanted, { controls, pass }), mounted, servers },
      agent.tools,
      profile.tools,
    )
    refuseSelfApproval(agent.name, allowed.tools.values(), profile)
    const tools = withClientTools(allowed.tools, profile.client_tools)
    const model: LoadedAgent['model'] = other => this.#open(other ?? this.#modelOf(agent, profile))
    return { ...allowed, tools, leftOut, plugins, model, isCurrent }
  }

  /** The model alone: no server is started for it. @throws RefusedError if it cannot be opened here. */
  async model(profile: Profile): Promise<Model> {
    return this.#open(this.#modelOf(await this.definitionOf(profile), profile))
  }

  async plugins(profile: Profile): Promise<readonly Plugin[]> {
    return (await this.definitionOf(profile)).plugins
  }

  /** The variables that commands of such a run inherit. */
  passedBy(profile: Profile): Promise<Passed> {
    return this.#servers.passedBy(profile)
  }

  /** Stops the servers that were started for agents. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#servers[Symbol.asyncDispose]()
  }

  async definitionOf(profile: Pick<Profile, 'agent' | 'agent_file' | 'agent_model'>): Promise<AgentDefinition> {
    const { agent, agent_file, agent_model } = profile
    if (agent_file !== null) return (await import('./load-agent-file.ts')).loadAgentFile(agent_file)
    const known = this.#byName.get(agent)
    if (!known) throw unknownAgent(agent, [...this.#byName.keys()], agent_model)
    return known
  }

  /** Tools that steer tasks come in only if they are named. */
  async #builtInTools(
    wanted: readonly unknown[] | null,
    { controls, pass }: { readonly controls: OpenControls | null; readonly pass: Passed },
  ): Promise<ReadonlyMap<string, Tool>> {
    const builtIn = this.#deps.builtInTools(pass)
    const isNamed = wanted?.some(tool => typeof tool === 'string' && !builtIn.has(tool))
    if (!isNamed) return builtIn
    return new Map([...builtIn, ...(await this.#deps.steeringTools(controls))])
  }

  #modelOf(agent: AgentDefinition, profile: Profile): ModelChoice {
    return chosenModel(agent, profile, this.#deps.workdir)
  }

  async #open(model: ModelChoice): Promise<Model> {
    const fault = faultOfModel(model)
    if (fault !== null) throw agentFileRefusals.invalidModel(fault)
    if (typeof model === 'string') return this.#openNamed(model)
    return isAiSdkModel(model) ? this.#deps.openModel(model) : model
  }

  async #openNamed(id: string): Promise<Model> {
    const opened = this.#models.get(id) ?? this.#deps.openModel(id)
    this.#models.set(id, opened)
    // The next try may succeed.
    opened.catch(() => this.#models.delete(id))
    return opened
  }
}

/** Tools that an agent brings itself come from no server. */
function named({ tools }: AgentDefinition): Wanted {
  return tools?.filter(tool => typeof tool === 'string') ?? null
}

function unknownAgent(name: string, known: readonly string[], model?: string): RefusedError {
  const lost = model === undefined ? '' : ` Its definition also brings the model of the run, ${model}.`
  return agentFileRefusals.unknownAgent(name, lost, known)
}

/** The agent of a run that names none: the built-in tools, and no opinions. */
function defaultAgent(): AgentDefinition {
  return defineAgent({
    name: 'default',
    instructions:
      'You are an agent that works in a directory on behalf of a person, with the tools you are given. ' +
      'Some calls wait for a person to approve them; a result that begins with TOOL_CALL_REJECTED was refused by a ' +
      'person: do not try the same again, find another way or say what you need. When you are done, say in a few ' +
      'words what you did.',
  })
}

/** The agent's tools and those of the client. A tool of the agent is never replaced by one of the same name. */
function withClientTools(
  tools: ReadonlyMap<string, Tool>,
  added: readonly ClientTool[] = [],
): ReadonlyMap<string, Tool> {
  if (added.length === 0) return tools
  const made = added.map(({ name, description, input_schema: inputSchema }) =>
    toTool(name, { description, inputSchema }),
  )
  return new Map([...made.map((tool): [string, Tool] => [tool.name, tool]), ...tools])
}
