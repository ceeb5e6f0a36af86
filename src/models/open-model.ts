import { resolve } from 'node:path'
import type { RefusedError } from '../core/errors.ts'
import { toolRefusals } from '../core/refusals/tool-refusals.ts'
import type { AiSdkModel, Model } from '../ports/agent/model.ts'
import type { Environment } from './provider-access.ts'
import { openAiSdkModel, openProviderModel } from './provider-model.ts'
import { PROVIDERS } from './providers.ts'
import { openScriptedModel } from './scripted-model.ts'

export interface OpenModelOptions {
  /** The source of keys, addresses and HOLDPOINT_MODEL_TIMEOUT_MS. */
  readonly env: Environment
  /** The directory to which the file of a script is relative. */
  readonly directory: string
}

const SCRIPT = 'script:'
const TIMEOUT_VARIABLE = 'HOLDPOINT_MODEL_TIMEOUT_MS'
const DEFAULT_TIMEOUT_MS = 120_000

/**
 * Opens `script:FILE`, `provider/model` or a language model of the AI SDK. No provider is loaded or called before its
 * first answer. @throws RefusedError `unknown_model`, `invalid_script`, `missing_api_key` and the like, as far as they
 * can be known by now.
 */
export async function openModel(id: string | AiSdkModel, { env, directory }: OpenModelOptions): Promise<Model> {
  if (typeof id !== 'string') return openAiSdkModel(id, timeoutIn(env))
  if (id.startsWith(SCRIPT) && id.length > SCRIPT.length) {
    return openScriptedModel(id, resolve(directory, id.slice(SCRIPT.length)))
  }
  const [name = '', ...model] = id.split('/')
  const provider = Object.hasOwn(PROVIDERS, name) && model.join('/').trim() !== '' ? PROVIDERS[name] : undefined
  if (!provider) throw unknownModel(id)
  return openProviderModel(id, provider, { env, timeoutMs: timeoutIn(env) })
}

function unknownModel(id: string): RefusedError {
  const providers = Object.keys(PROVIDERS)
  const examples = Object.values(PROVIDERS).map(({ example }) => example)
  return toolRefusals.unknownModel(id, providers, examples[0], { details: { providers, examples } })
}

function timeoutIn(env: Environment): number {
  const written = env[TIMEOUT_VARIABLE]?.trim()
  if (!written) return DEFAULT_TIMEOUT_MS
  const timeoutMs = Number(written)
  if (timeoutMs > 0) return timeoutMs
  throw toolRefusals.invalidTimeout(TIMEOUT_VARIABLE, written, DEFAULT_TIMEOUT_MS)
}
