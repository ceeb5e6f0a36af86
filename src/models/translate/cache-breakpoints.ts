/**
 * Anthropic keeps the beginning of a request up to each breakpoint and charges a tenth for it the next time. Keeps: the
 * last breakpoint of a step is also one of the next step, so a long run pays for its conversation once, however many
 * results one step adds; and there are at most four, which is the limit of the API.
 */
import type { LanguageModelV4CallOptions, LanguageModelV4Prompt, SharedV4ProviderOptions } from '@ai-sdk/provider'
import type { ModelRequest } from '../../ports/agent/model.ts'

/** Whether a request is to have breakpoints: not if its options say how to cache. */
export function isCached(provider: string, { promptCaching, providerOptions }: ModelRequest): boolean {
  return provider.includes('anthropic') && promptCaching !== false && !providerOptions?.['anthropic']?.['cacheControl']
}

/**
 * Sets breakpoints after the tools, the instructions, the newest message, and the newest message of the step before.
 */
export function withCacheBreakpoints(call: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
  const { prompt, tools = [] } = call
  const places = breakpoints(prompt)
  return {
    ...call,
    prompt: prompt.map((message, index) => (places.includes(index) ? marked(message) : message)),
    ...(tools.length > 0 && {
      tools: tools.map((tool, index) => (index === tools.length - 1 && tool.type === 'function' ? marked(tool) : tool)),
    }),
  }
}

function breakpoints(prompt: LanguageModelV4Prompt): number[] {
  const instructions = prompt.findLastIndex(({ role }) => role === 'system')
  const beforeAnswer = prompt.findLastIndex(({ role }) => role === 'assistant') - 1
  return [instructions, beforeAnswer, prompt.length - 1]
}

function marked<T extends { providerOptions?: SharedV4ProviderOptions }>(part: T): T {
  const { providerOptions = {} } = part
  const anthropic = { ...providerOptions['anthropic'], cacheControl: { type: 'ephemeral' } }
  return { ...part, providerOptions: { ...providerOptions, anthropic } }
}
