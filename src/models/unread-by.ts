import type { ContentPart } from '../core/message/part.ts'
import type { Environment } from './provider-access.ts'
import { PROVIDER_RULES, type ProviderRules, rulesOf } from './provider-rules/provider-rules.ts'
import { PROVIDERS } from './providers.ts'
import { fitPart, sideAmong } from './translate/fit-part.ts'

/**
 * Why a model does not read a part of a message, by its name alone: `null` if it does, or if nobody knows. Nothing is
 * opened, so no key is needed. `among`: all parts of the request.
 */
export function unreadBy(
  model: string,
  part: ContentPart,
  { env, among = [] }: { readonly env: Environment; readonly among?: readonly ContentPart[] },
): string | null {
  const rules = rulesOfModel(model, env)
  if (rules === null || part.type === 'text') return null
  return fitPart(part, rules.files, sideAmong(among, rules.files)).why
}

/** The name of a model object begins with the provider in the words of its package, such as `anthropic.messages`. */
function rulesOfModel(model: string, env: Environment): ProviderRules | null {
  const [name = '', ...rest] = model.split('/')
  if (rest.length === 0 || name.includes(':')) return null
  const provider = Object.hasOwn(PROVIDERS, name) ? PROVIDERS[name] : undefined
  if (!provider) return rulesOf(name)
  const address = provider.urlVariables.map(variable => env[variable]?.trim()).find(Boolean) ?? provider.defaultUrl
  return address && URL.canParse(address) ? PROVIDER_RULES[provider.wireAt(address)] : null
}
