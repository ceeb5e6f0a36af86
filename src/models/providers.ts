import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { WireName } from './provider-rules/provider-rules.ts'

/** The address and the key of a provider. */
export interface ProviderSettings {
  readonly baseURL: string
  readonly apiKey: string | undefined
}

export interface Provider {
  /** The protocol that it speaks, which has rules of its own. */
  readonly wire: WireName
  /** Environment variables that may hold the key; the first that is set counts. */
  readonly keyVariables: readonly [string, ...string[]]
  readonly keyRequired: boolean
  /** The variables of the address, likewise; `defaultUrl` is `null` if there is no usual one. */
  readonly urlVariables: readonly [string, ...string[]]
  readonly defaultUrl: string | null
  readonly example: string
  /** Loads the provider's package: never before its first answer is wanted. */
  load(model: string, settings: ProviderSettings): Promise<LanguageModelV4>
}

/** To add a provider, add its row. */
export const PROVIDERS: Readonly<Record<string, Provider>> = {
  anthropic: {
    wire: 'anthropic',
    keyVariables: ['ANTHROPIC_API_KEY'],
    keyRequired: true,
    urlVariables: ['ANTHROPIC_BASE_URL'],
    defaultUrl: 'https://api.anthropic.com/v1',
    example: 'anthropic/claude-sonnet-4-5',
    async load(model, { baseURL, apiKey }) {
      const { createAnthropic } = await import('@ai-sdk/anthropic')
      return createAnthropic({ baseURL: withVersion(baseURL, 'v1'), apiKey: apiKey ?? '' })(model)
    },
  },
  openai: {
    wire: 'openai_chat',
    keyVariables: ['OPENAI_API_KEY'],
    keyRequired: true,
    urlVariables: ['OPENAI_BASE_URL'],
    defaultUrl: 'https://api.openai.com/v1',
    example: 'openai/gpt-5',
    async load(model, { baseURL, apiKey }) {
      const { createOpenAI } = await import('@ai-sdk/openai')
      // Chat completions, not responses: every server at an OPENAI_BASE_URL speaks it.
      return createOpenAI({ baseURL, apiKey: apiKey ?? '' }).chat(model)
    },
  },
  google: {
    wire: 'google',
    keyVariables: ['GEMINI_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY', 'GOOGLE_API_KEY'],
    keyRequired: true,
    urlVariables: ['GOOGLE_GENERATIVE_AI_BASE_URL', 'GOOGLE_GEMINI_BASE_URL'],
    defaultUrl: 'https://generativelanguage.googleapis.com/v1beta',
    example: 'google/gemini-2.5-flash',
    async load(model, { baseURL, apiKey }) {
      const { createGoogle } = await import('@ai-sdk/google')
      return createGoogle({ baseURL: withVersion(baseURL, 'v1beta'), apiKey: apiKey ?? '' })(model)
    },
  },
  'openai-compatible': {
    wire: 'compatible',
    keyVariables: ['OPENAI_COMPATIBLE_API_KEY'],
    keyRequired: false,
    urlVariables: ['OPENAI_COMPATIBLE_BASE_URL'],
    defaultUrl: null,
    example: 'openai-compatible/llama3.2',
    async load(model, { baseURL, apiKey }) {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
      const settings = { name: 'openai-compatible', baseURL, includeUsage: true }
      return createOpenAICompatible(apiKey === undefined ? settings : { ...settings, apiKey })(model)
    },
  },
}

/** The vendors' own clients add the version to the address, the AI SDK does not: both ways of writing it work. */
function withVersion(baseURL: string, version: string): string {
  return /\/v\d\w*$/.test(baseURL) ? baseURL : `${baseURL}/${version}`
}
