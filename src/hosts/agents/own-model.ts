import { RefusedError } from '../../core/errors.ts'
import type { Profile } from '../../core/run/profile.ts'
import { nameOfModel } from '../../models/model-shape.ts'
import type { ModelChoice } from '../../ports/agent/model.ts'
import type { AgentDefinition } from './define-agent.ts'
import { modelId } from './model-id.ts'

/** The name that a definition gives its model; `null` if it brings an object, or says nothing. */
export function ownModel({ model }: AgentDefinition): string | null {
  return typeof model === 'string' ? model : null
}

/** For a profile, which has no such key if the definition brings no object. */
export function broughtModel({ model }: AgentDefinition): { agent_model?: string } {
  return model === null || typeof model === 'string' ? {} : { agent_model: nameOfModel(model) }
}

/**
 * The model of a run: the name in its profile, or else the definition's present one. @throws RefusedError `no_model`
 */
export function chosenModel(agent: AgentDefinition, profile: Profile, directory: string): ModelChoice {
  const { model, agent_model } = profile
  if (model !== null) return model
  if (agent.model === null) throw agent_model === undefined ? noModel(agent.name) : modelGone(agent.name, agent_model)
  return typeof agent.model === 'string' ? (modelId(profile.project ?? directory, agent.model) as string) : agent.model
}

function noModel(agent: string): RefusedError {
  return new RefusedError('no_model', `The agent ${agent} names no model and none was given.`, {
    action: { do: 'name_model' },
  })
}

function modelGone(agent: string, model: string): RefusedError {
  return new RefusedError(
    'no_model',
    `The run asks ${model}, a model object that the definition of agent ${agent} brought. The definition here brings none.`,
    {
      hint: 'Resume it with the definition that brings the model, or with another model.',
      action: { do: 'name_model' },
    },
  )
}
