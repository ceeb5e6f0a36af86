/** The values that code may use for a model. Loads no package, because it checks every agent definition. */
import type { AiSdkModel, Model, ModelChoice } from '../ports/agent/model.ts'

/** Versions of the AI SDK's language model specification, newest last. */
export const SPECIFICATIONS: readonly string[] = ['v2', 'v3', 'v4']

/** Why a value cannot be a model, in a few words; `null` if it can. */
export function faultOfModel(model: unknown): string | null {
  if (typeof model === 'string' || isOwnModel(model)) return null
  if (typeof model === 'function') return 'the model is a function; call it with a name, like openai("gpt-5")'
  if (!isObject(model) || !('specificationVersion' in model))
    return `the model is ${JSON.stringify(model)}; it must be a name such as provider/model, or a language model of the AI SDK`
  if (!SPECIFICATIONS.includes(model.specificationVersion as string))
    return `the model has the specification ${String(model.specificationVersion)}, and only ${SPECIFICATIONS.join(', ')} are known; install a provider package of another version`
  const isComplete =
    'doStream' in model && typeof model.doStream === 'function' && 'modelId' in model && 'provider' in model
  return isComplete ? null : 'the model is no language model of the AI SDK: it needs provider, modelId and doStream'
}

export function isAiSdkModel(model: ModelChoice): model is AiSdkModel {
  return typeof model === 'object' && !isOwnModel(model)
}

/** The name that people read: `provider/model`. */
export function nameOfModel(model: ModelChoice): string {
  if (typeof model === 'string') return model
  return isAiSdkModel(model) ? `${model.provider}/${model.modelId}` : model.id
}

function isOwnModel(model: unknown): model is Model {
  return isObject(model) && 'answer' in model && typeof model.answer === 'function'
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
