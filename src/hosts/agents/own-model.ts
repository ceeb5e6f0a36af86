import type { Profile } from '../../core/run/profile.ts'
import { nameOfModel } from '../../models/model-shape.ts'
import type { ModelChoice } from '../../ports/agent/model.ts'
import { agentFileRefusals } from '../refusals/agent-file-refusals.ts'
import type { AgentDefinition } from './define-agent.ts'
import { modelIdOfAgent } from './model-id.ts'

/** The model that a definition names; `null` if it brings an object, or names none. */
export function ownModel({ model }: AgentDefinition): string | null {
  return typeof model === 'string' ? model : null
}

/** The fields for a profile: none if the definition brings no object. */
export function broughtModel({ model }: AgentDefinition): { agent_model?: string } {
  return model === null || typeof model === 'string' ? {} : { agent_model: nameOfModel(model) }
}

/**
 * The model of a run: the name in its profile, or else the definition's present one. @throws RefusedError `no_model`
 */
export function chosenModel(agent: AgentDefinition, profile: Profile, directory: string): ModelChoice {
  const { model, agent_model } = profile
  if (model !== null) return model
  if (agent.model === null)
    throw agent_model === undefined
      ? agentFileRefusals.noModel(agent.name)
      : agentFileRefusals.modelGone(agent_model, agent.name)
  const place = { file: profile.agent_file, directory: profile.project ?? directory }
  return typeof agent.model === 'string' ? (modelIdOfAgent(place, agent.model) as string) : agent.model
}
