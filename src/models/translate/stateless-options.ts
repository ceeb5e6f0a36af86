import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { WireName } from '../provider-rules/provider-rules.ts'

/**
 * P1: the journal has the conversation, so OpenAI is asked to keep nothing of it, unless the options say otherwise. The
 * AI SDK's package then sends each item whole: thoughts with their ids and encrypted content, for which it asks where it
 * knows the model as one that reasons; texts with their `phase`; calls and results by `call_id`.
 */
export function statelessOptions(
  { providerOptions = {} }: LanguageModelV4CallOptions,
  { wire, provider }: { readonly wire: WireName; readonly provider: string },
): Pick<LanguageModelV4CallOptions, 'providerOptions'> {
  if (wire !== 'openai_responses') return {}
  const usual = provider.startsWith('azure') ? 'azure' : 'openai'
  // The package reads one of the two names alone.
  const name = [usual, 'openai'].find(each => providerOptions[each] !== undefined) ?? usual
  return { providerOptions: { ...providerOptions, [name]: { store: false, ...providerOptions[name] } } }
}
