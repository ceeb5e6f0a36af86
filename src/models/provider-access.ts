import { RefusedError } from '../core/errors.ts'
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
    throw new RefusedError('missing_api_key', `${id} needs an API key, and ${keyVariable} is not set.`, {
      hint: `Set ${provider.keyVariables.join(' or ')}, or choose another model.`,
      details: { variables: provider.keyVariables },
    })
  }
  // A key that no HTTP header can carry would fail at the first call, with the key in the message.
  if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new RefusedError('invalid_api_key', `${keyVariable} holds something that cannot be an API key.`, {
      hint: 'A key is one line without spaces or special characters. Copy it again.',
    })
  }
  return { apiKey, keyVariable }
}

function urlIn(id: string, provider: Provider, env: Environment): Pick<ProviderAccess, 'baseURL' | 'urlVariable'> {
  const { name: urlVariable, value } = firstSet(provider.urlVariables, env)
  const baseURL = (value ?? provider.defaultUrl)?.replace(/\/+$/, '')
  if (baseURL === undefined) {
    throw new RefusedError('missing_base_url', `${id} needs to know its server, and ${urlVariable} is not set.`, {
      hint: `Set ${urlVariable}, for example to http://localhost:11434/v1.`,
      details: { variables: provider.urlVariables },
    })
  }
  const url = URL.parse(baseURL)
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username || url.password) {
    throw new RefusedError('invalid_base_url', `${urlVariable} is not the address of a server.`, {
      hint: `Write it like http://localhost:11434/v1, without user name or password; a key goes into ${provider.keyVariables[0]}.`,
    })
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
