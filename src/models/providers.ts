import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { WireName } from './provider-rules/provider-rules.ts'

/** The address and the key of a provider. */
export interface ProviderSettings {
  readonly baseURL: string
  readonly apiKey: string | undefined
}

export interface Provider {
  /** The protocol that it speaks at an address, which has rules of its own. */
  wireAt(baseURL: string): WireName
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

const OPENAI: Pick<Provider, 'keyVariables' | 'keyRequired' | 'urlVariables' | 'defaultUrl'> = {
  keyVariables: ['OPENAI_API_KEY'],
  keyRequired: true,
  urlVariables: ['OPENAI_BASE_URL'],
  defaultUrl: 'https://api.openai.com/v1',
}

/** To add a provider, add its row. */
export const PROVIDERS: Readonly<Record<string, Provider>> = {
  anthropic: {
    wireAt: () => 'anthropic',
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
    ...OPENAI,
    wireAt: openAiWire,
    example: 'openai/gpt-5',
    load: (model, settings) => loadOpenAi(openAiWire(settings.baseURL), model, settings),
  },
  'openai-responses': {
    ...OPENAI,
    wireAt: () => 'openai_responses',
    example: 'openai-responses/gpt-5',
    load: (model, settings) => loadOpenAi('openai_responses', model, settings),
  },
  'openai-chat': {
    ...OPENAI,
    wireAt: () => 'openai_chat',
    example: 'openai-chat/gpt-4.1',
    load: (model, settings) => loadOpenAi('openai_chat', model, settings),
  },
  google: {
    wireAt: () => 'google',
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
    wireAt: () => 'compatible',
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

/** Most servers at an OPENAI_BASE_URL speak chat completions alone; OpenAI has one more host for each region. */
function openAiWire(baseURL: string): WireName {
  return /^(?:\w+\.)?api\.openai\.com$/.test(new URL(baseURL).hostname) ? 'openai_responses' : 'openai_chat'
}

async function loadOpenAi(
  wire: WireName,
  model: string,
  { baseURL, apiKey }: ProviderSettings,
): Promise<LanguageModelV4> {
  const { createOpenAI } = await import('@ai-sdk/openai')
  const openai = createOpenAI({ baseURL, apiKey: apiKey ?? '' })
  return wire === 'openai_responses' ? openai.responses(model) : openai.chat(model)
}

/** The vendors' own clients add the version to the address, the AI SDK does not: both ways of writing it work. */
function withVersion(baseURL: string, version: string): string {
  return /\/v\d\w*$/.test(baseURL) ? baseURL : `${baseURL}/${version}`
}
