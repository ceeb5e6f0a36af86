import type { LanguageModelV4ProviderTool } from '@ai-sdk/provider'
import { providerToolOf } from '../../core/policy/provider-tools.ts'
import type { ModelRequest } from '../../ports/agent/model.ts'
import type { FittedTools } from '../provider-rules/fit-tools.ts'
import type { ProviderRules, WireName } from '../provider-rules/provider-rules.ts'

interface Offering {
  readonly request: Pick<ModelRequest, 'providerTools'>
  readonly tools: Pick<FittedTools, 'sent'>
  /** The `provider` of the language model. */
  readonly provider: string
  readonly rules: Pick<ProviderRules, 'wire'>
}

/** The tools of the provider that this model may be offered. A tool of the agent goes before one of the same name. */
export function offeredTools({ request, tools, provider, rules }: Offering): LanguageModelV4ProviderTool[] {
  const taken = new Set(tools.sent.map(({ name }) => name))
  return Object.entries(request.providerTools ?? {}).flatMap(([id, args]): LanguageModelV4ProviderTool[] => {
    const [of = '', kind] = id.split('.')
    const name = providerToolOf(id)
    if (!isOf(of, provider, rules.wire) || taken.has(name)) return []
    // The policy has ruled by now: an answer that waits for its provider's own approval would never go on.
    const own = kind === 'mcp' ? { ...args, requireApproval: 'never' } : args
    return [{ type: 'provider', id: id as `${string}.${string}`, name, args: own }]
  })
}

/** Whose tools a wire takes, whatever the provider is called: Azure has those of OpenAI. */
const TOOLS_OF: Readonly<Record<Exclude<WireName, 'compatible'>, string | null>> = {
  anthropic: 'anthropic',
  openai_responses: 'openai',
  openai_chat: null,
  google: 'google',
}

function isOf(of: string, provider: string, wire: WireName): boolean {
  return wire === 'compatible' ? provider.split('.', 1)[0] === of : TOOLS_OF[wire] === of
}
