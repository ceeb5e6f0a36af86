import type { JSONSchema7, LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { ModelRequest } from '../../ports/agent/model.ts'
import { offeredTools } from '../provider-calls/offered-tools.ts'
import type { FittedTools } from '../provider-rules/fit-tools.ts'
import type { ProviderRules } from '../provider-rules/provider-rules.ts'
import { type Origins, toPrompt } from './to-prompt.ts'

export interface Called {
  readonly request: ModelRequest
  readonly tools: FittedTools
  /** The `provider` of the language model. */
  readonly provider: string
  readonly rules: Pick<ProviderRules, 'wire' | 'files'>
  /** Filled with where the parts of the prompt come from, if it is given. */
  readonly origins?: Origins
}

/** A request in the words of the language model specification. */
export function toCall(called: Called): LanguageModelV4CallOptions {
  const { request, tools } = called
  const call = { ...settingsOf(request), prompt: promptOf(called) }
  const own = tools.sent.map(({ name, description, inputSchema }) => ({
    ...{ type: 'function' as const, name, description },
    inputSchema: inputSchema as JSONSchema7,
  }))
  const offered = [...own, ...offeredTools(called)]
  return offered.length === 0 ? call : { ...call, ...choiceOf(request, tools), tools: offered }
}

function promptOf({ request, tools, provider, rules, origins }: Called): LanguageModelV4CallOptions['prompt'] {
  // The results of tools are plain text in the Chat Completions API.
  const filesInResults = !provider.endsWith('.chat')
  return toPrompt(request.system, request.messages, { filesInResults, ...rules, tools, ...(origins && { origins }) })
}

/** The language model specification has its own names for most of them. */
function settingsOf(request: ModelRequest): Partial<LanguageModelV4CallOptions> {
  const { temperature, maxOutputTokens, topP, stopSequences, reasoning, providerOptions } = request
  const settings = { temperature, maxOutputTokens, topP, stopSequences, reasoning, providerOptions }
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value != null))
}

/** Providers refuse a choice if there is nothing to choose from, and a tool that they do not have. */
function choiceOf({ toolChoice }: ModelRequest, tools: FittedTools): Pick<LanguageModelV4CallOptions, 'toolChoice'> {
  if (toolChoice == null) return {}
  if (typeof toolChoice === 'string') return { toolChoice: { type: toolChoice } }
  const toolName = tools.wireName(toolChoice.toolName)
  return tools.sent.some(({ name }) => name === toolName) ? { toolChoice: { ...toolChoice, toolName } } : {}
}
