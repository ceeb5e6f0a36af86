import { accessTo } from '../../models/provider-access.ts'
import { PROVIDERS } from '../../models/providers.ts'

export interface ProviderKey {
  readonly provider: string
  /** The variable that holds the key; `null` if none is set. */
  readonly variable: string | null
  /** The variables that may hold it. */
  readonly variables: readonly string[]
  readonly isRequired: boolean
  /** `provider/model`, as a person could write it. */
  readonly example: string
}

/** Which providers have a key in this environment. No key is read further than that. */
export function providerKeys(env: Readonly<Record<string, string | undefined>>): readonly ProviderKey[] {
  return Object.entries(PROVIDERS).map(([provider, { keyVariables, keyRequired, example }]) => ({
    provider,
    variable: keyVariables.find(name => env[name]?.trim()) ?? null,
    variables: keyVariables,
    isRequired: keyRequired,
    example,
  }))
}

/** The address that a model by `provider/model` is asked at; `null` for every other one. @throws RefusedError as the model would. */
export function endpointOf(id: string, env: Readonly<Record<string, string | undefined>>): string | null {
  const [name = ''] = id.split('/')
  const provider = Object.hasOwn(PROVIDERS, name) ? PROVIDERS[name] : undefined
  return provider === undefined ? null : accessTo(id, provider, env).baseURL
}
