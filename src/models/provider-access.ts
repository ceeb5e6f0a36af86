import { toolRefusals } from '../core/refusals/tool-refusals.ts'
import type { Provider, ProviderSettings } from './providers.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** The settings of a provider, and the variables that they came from, so that errors can name them. */
export interface ProviderAccess extends ProviderSettings {
  readonly keyVariable: string
  readonly urlVariable: string
}

/**
 * Reads a provider's settings from `env`; variables that are blank count as not set.
 * @throws RefusedError `missing_api_key`, `invalid_api_key`, `missing_base_url` or `invalid_base_url`, none of which
 * repeats what the variable holds.
 */
export function accessTo(id: string, provider: Provider, env: Environment): ProviderAccess {
  return { ...keyIn(id, provider, env), ...urlIn(id, provider, env) }
}

function keyIn(id: string, provider: Provider, env: Environment): Pick<ProviderAccess, 'apiKey' | 'keyVariable'> {
  const { name: keyVariable, value: apiKey } = firstSet(provider.keyVariables, env)
  if (apiKey === undefined && provider.keyRequired) {
    throw toolRefusals.missingApiKey(id, keyVariable, provider.keyVariables.join(' or '), {
      details: { variables: provider.keyVariables },
    })
  }
  // A key that no HTTP header can carry would fail at the first call, with the key in the message.
  if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw toolRefusals.invalidApiKey(keyVariable)
  }
  return { apiKey, keyVariable }
}

function urlIn(id: string, provider: Provider, env: Environment): Pick<ProviderAccess, 'baseURL' | 'urlVariable'> {
  const { name: urlVariable, value } = firstSet(provider.urlVariables, env)
  const baseURL = (value ?? provider.defaultUrl)?.replace(/\/+$/, '')
  if (baseURL === undefined) {
    throw toolRefusals.missingBaseUrl(id, urlVariable, { details: { variables: provider.urlVariables } })
  }
  const url = URL.parse(baseURL)
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username || url.password) {
    throw toolRefusals.invalidAddress(urlVariable, provider.keyVariables[0])
  }
  return { baseURL, urlVariable }
}

function firstSet(
  names: readonly [string, ...string[]],
  env: Environment,
): { name: string; value: string | undefined } {
  const name = names.find(candidate => env[candidate]?.trim()) ?? names[0]
  return { name, value: env[name]?.trim() || undefined }
}
