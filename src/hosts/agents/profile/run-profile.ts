import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { DEFAULT_POLICY } from '../../../core/policy/read-policy.ts'
import {
  type HoldScope,
  PAUSE_KINDS,
  type PauseKind,
  type Profile,
  type ProfileChanges,
  USUAL_CONCURRENCY,
} from '../../../core/run/profile.ts'
import type { StopCondition } from '../../../core/run/stop-condition.ts'
import { unpricedModels } from '../../../core/run/unpriced-models.ts'
import { keptContext } from '../../../core/settings/context-settings.ts'
import { keptModelSettings, mergeModelSettings } from '../../../core/settings/model-settings.ts'
import { keptPrices } from '../../../core/settings/prices.ts'
import { INSTRUCTIONS_FILES } from '../../../core/settings/project-instructions.ts'
import { peopleProfile, refuseUnableDeciders } from '../../project/people-settings.ts'
import { type ConfiguredDirectory, chosenAgentFile, readPolicyFile, readProjectPolicy } from '../../project/project.ts'
import type { AgentRegistry } from '../agent-registry.ts'
import type { AgentDefinition } from '../define-agent.ts'
import { modelId, modelIdOfAgent } from '../model-id.ts'
import { broughtModel, ownModel } from '../own-model.ts'
import { refuseMissingWorkdir } from '../rehearse.ts'

/** The flags of a run; `null` for each that was not given. */
export interface ProfileRequest {
  readonly model: string | null
  readonly agent: string | null
  readonly tools: readonly string[] | null
  readonly maxSteps: number | null
  /** Dollars. */
  readonly budget?: number | null
  readonly policy: string | null
  readonly workdir: string | null
  readonly systemPrompt: string | null
  readonly pauseOn: readonly PauseKind[] | null
  /** Default: `batch`. Used unless the agent sets it. */
  readonly usualHoldScope?: HoldScope
  /** The kinds on which a new run pauses if neither the agent nor the project names any; nothing if absent. */
  readonly usualPauseOn?: readonly PauseKind[]
}

/** The directory in which the command was started, and the agents there. */
export interface ProfileDeps extends ConfiguredDirectory {
  readonly agents: AgentRegistry
}

/** The profile of a new run: flags, then the agent, then the environment, then the project. */
export async function newProfile(deps: ProfileDeps, request: ProfileRequest): Promise<Profile> {
  const { config, directory } = deps
  const agent_file = chosenAgentFile(request.agent, deps)
  const agent = await deps.agents.definitionOf({ agent: 'default', agent_file })
  const scope = agent.holdScope ?? request.usualHoldScope ?? 'batch'
  const people = peopleProfile(agent, config)
  const pause_on = request.pauseOn ?? agent.pauseOn ?? config.pause_on ?? request.usualPauseOn ?? []
  deps.agents.refuseUnable(agent, { ...people, pause_on })
  return {
    agent: agent.name,
    agent_file,
    model:
      modelId(directory, request.model) ??
      modelIdOfAgent({ file: agent_file, directory }, ownModel(agent)) ??
      modelId(directory, defaultModel(deps, agent)),
    ...broughtModel(agent),
    ...keptModelSettings([agent.modelSettings, config.model_settings]),
    ...keptContext([agent.context, config.context]),
    instructions: request.systemPrompt ?? agent.instructions,
    ...instructionsFrom(config),
    tools: request.tools,
    policy: await policyOf(deps, request, agent),
    pause_on,
    ...(config.unasked === 'refuse' && { unasked: config.unasked }),
    hold_scope: scope,
    max_concurrent_calls: agent.maxConcurrentCalls ?? USUAL_CONCURRENCY[scope],
    stop: withLimits(agent.stop, request),
    ...keptPrices(config.prices),
    project: directory,
    configured_in: directory,
    workdir: workdirOf(directory, request.workdir) ?? directory,
    ...rulesFrom(deps, request, agent),
    ...people,
  }
}

/** The changes that explicit flags make in a resumed run; everything else stays as it was (sticky). */
export async function changedProfile(
  deps: ProfileDeps,
  request: ProfileRequest,
  before: Profile,
): Promise<ProfileChanges | null> {
  const { directory } = deps
  const changes: Wishes = {
    model: modelId(directory, request.model),
    instructions: request.systemPrompt,
    tools: request.tools,
    policy: request.policy === null ? null : await readPolicyFile(resolve(directory, request.policy)),
    pause_on: request.pauseOn && gatedAsBefore(request.pauseOn, before),
    stop: request.maxSteps === null && request.budget == null ? null : withLimits(before.stop, request),
    // The directory of the next manifest; the last one is removed.
    project: before.project === directory ? null : directory,
    workdir: workdirOf(directory, request.workdir),
  }
  const wished = withPrices(deps, before, { ...(await changedAgent(deps, request, before)), ...given(changes) })
  return Object.keys(wished).length > 0 ? wished : null
}

type Wishes = { [K in keyof ProfileChanges]: ProfileChanges[K] | null }

function given(wishes: Wishes): ProfileChanges {
  return Object.fromEntries(Object.entries(wishes).filter(([, value]) => value !== null))
}

/** A resume may gate more, never less: `input` alone belongs to the invocation that asks for it. */
function gatedAsBefore(asked: readonly PauseKind[], { pause_on }: Profile): readonly PauseKind[] {
  return PAUSE_KINDS.filter(kind => pause_on.includes(kind) || asked.includes(kind))
}

/** Another agent brings what it names; what it leaves open stays as it was. */
async function changedAgent(deps: ProfileDeps, request: ProfileRequest, before: Profile): Promise<ProfileChanges> {
  if (request.agent === null) return {}
  const agent_file = chosenAgentFile(request.agent, deps)
  const agent = await deps.agents.definitionOf({ agent: '', agent_file })
  const { name, instructions, policy, stop, due, deciders } = agent
  refuseUnableDeciders(agent, { ...before, deciders })
  const model = modelIdOfAgent({ file: agent_file, directory: deps.directory }, ownModel(agent))
  const wishes = { agent: name, agent_file, instructions, model, policy, due, deciders }
  const brought = broughtModel(agent)
  return {
    ...given({ ...wishes, stop: stop.length > 0 ? stop : null }),
    ...(agent.context && keptContext([agent.context, before.context])),
    ...('agent_model' in brought && { model: null, ...brought }),
    ...(Object.keys(agent.modelSettings).length > 0 && {
      model_settings: mergeModelSettings([agent.modelSettings, before.model_settings]),
    }),
  }
}

async function policyOf(
  { directory }: ProfileDeps,
  request: ProfileRequest,
  agent: AgentDefinition,
): Promise<Profile['policy']> {
  if (request.policy !== null) return readPolicyFile(resolve(directory, request.policy))
  return agent.policy ?? (await readProjectPolicy(directory)) ?? DEFAULT_POLICY
}

/** P1: paths in the policy of a project are those of the project, also in a run that was started further below. */
function rulesFrom(
  { config }: ProfileDeps,
  request: ProfileRequest,
  agent: AgentDefinition,
): Pick<Profile, 'rules_from'> {
  const isOfProject = request.policy === null && !agent.policy
  return isOfProject && config.root !== null ? { rules_from: realpathSync(config.root) } : {}
}

function instructionsFrom({ instructions_files }: ProfileDeps['config']): Pick<Profile, 'project_instructions'> {
  const names = instructions_files ?? INSTRUCTIONS_FILES
  return names.length === 0 ? {} : { project_instructions: { names, files: [] } }
}

/** An agent that brings a model object needs no name for it. */
function defaultModel({ env, config }: ProfileDeps, agent: AgentDefinition): string | null {
  return agent.model === null ? env['HOLDPOINT_MODEL'] || config.model : null
}

/** A flag replaces the limits of its kind. */
function withLimits(
  stop: readonly StopCondition[],
  { maxSteps, budget }: Pick<ProfileRequest, 'maxSteps' | 'budget'>,
): readonly StopCondition[] {
  const limits: StopCondition[] = [
    ...(maxSteps === null ? [] : [{ type: 'max_rounds' as const, rounds: maxSteps }]),
    ...(budget == null ? [] : [{ type: 'budget' as const, usd: budget }]),
  ]
  return [...stop.filter(({ type }) => !limits.some(limit => limit.type === type)), ...limits]
}

/** A run keeps the prices with which it began. A model that has none takes the one of the project. */
function withPrices({ config }: ProfileDeps, before: Profile, changes: ProfileChanges): ProfileChanges {
  if (config.prices === null || unpricedModels({ ...before, ...changes }).length === 0) return changes
  return { ...changes, prices: { ...before.prices, ...config.prices, ...before.prices } }
}

function workdirOf(directory: string, workdir: string | null): string | null {
  const path = absolute(directory, workdir)
  if (path !== null) refuseMissingWorkdir(path)
  return path
}

function absolute(directory: string, path: string | null): string | null {
  return path === null ? null : resolve(directory, path)
}
