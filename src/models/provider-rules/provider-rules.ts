/** What providers refuse, as data. A new wire does not compile until it has a row. */

/** The protocols that providers speak. */
export type WireName = 'anthropic' | 'openai_chat' | 'openai_responses' | 'google' | 'compatible'

/** What a provider takes in the schema of a tool. All of them want an object at the top, without unions. */
export interface SchemaRules {
  /** `null`: any name. */
  readonly propertyName: RegExp | null
  /** The longest name of a property. */
  readonly longestProperty: number
  /** `null`: any keyword. */
  readonly keywords: readonly string[] | null
  /** The formats of texts. `null`: any. */
  readonly formats: readonly string[] | null
  /** True if an `enum` has texts and numbers alone, and no empty text. */
  readonly plainEnums: boolean
  /** True if a pattern may look ahead or back. */
  readonly lookaround: boolean
  /** True if each array needs `items`. */
  readonly itemsOfArrays: boolean
  /** True if `required` may name only properties that are defined. */
  readonly requiredIsDefined: boolean
}

/** The files that a provider reads as they are. Images have rules of their own, and texts are sent as texts. */
export interface FileRules {
  /** Types with which the bytes may be sent: `application/pdf`, `audio/*`. */
  readonly types: readonly string[]
  /** Types that it fetches from an address. */
  readonly addresses: readonly string[]
  /** A request with more images than this takes only smaller ones, in pixels a side. Default: the same for any number. */
  readonly manyImages?: { readonly over: number; readonly side: number }
}

export interface ProviderRules {
  readonly wire: WireName
  /** `null`: nobody knows, so files are sent as they are. */
  readonly files: FileRules | null
  readonly toolName: RegExp
  readonly longestToolName: number
  /** `null`: any number. */
  readonly mostTools: number | null
  /** The longest id of a call. All of them take letters, digits, `_` and `-` in it; Anthropic nothing else. */
  readonly longestCallId: number
  /** Images and files in one request, and the bytes of all of it. `null`: nobody knows. */
  readonly mostFiles: number | null
  readonly mostBytes: number | null
  readonly schema: SchemaRules
}

const MB = 1024 * 1024

const LENIENT: SchemaRules = {
  propertyName: null,
  longestProperty: Number.POSITIVE_INFINITY,
  keywords: null,
  formats: null,
  plainEnums: false,
  lookaround: true,
  itemsOfArrays: true,
  requiredIsDefined: false,
}

/**
 * OpenAI's own errors: "Invalid 'tools[0].function.name': string does not match pattern. Expected a string that matches
 * the pattern '^[a-zA-Z0-9_-]+$'", "... Expected a string with maximum length 64", "Invalid 'tools': array too long.
 * Expected an array with maximum length 128", "array schema missing items", "regex lookaround is not supported".
 */
const OPENAI: Omit<ProviderRules, 'wire' | 'files' | 'longestCallId'> = {
  toolName: /^[a-zA-Z0-9_-]+$/,
  longestToolName: 64,
  mostTools: 128,
  // The page "Images and vision": "Up to 500 individual images per request", "Up to 50 MB image bytes per request".
  ...{ mostFiles: 500, mostBytes: 50 * MB },
  schema: { ...LENIENT, lookaround: false },
}

const PDF = 'application/pdf'
const SPOKEN: readonly string[] = ['audio/wav', 'audio/mp3', 'audio/mpeg']

/** The keywords of the page "Structured outputs" of the Gemini API, for schemas in JSON Schema. */
const GOOGLE_KEYWORDS: readonly string[] = [
  ...['type', 'title', 'description', 'enum', 'format', 'items', 'prefixItems', 'minItems', 'maxItems'],
  ...['minimum', 'maximum', 'anyOf', 'oneOf', 'properties', 'additionalProperties', 'required', 'propertyOrdering'],
]

export const PROVIDER_RULES: { readonly [W in WireName]: ProviderRules & { readonly wire: W } } = {
  /**
   * Anthropic's own errors: "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
   * "tools.0.custom.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'",
   * "input_schema does not support oneOf, allOf, or anyOf at the top level".
   */
  anthropic: {
    wire: 'anthropic',
    // The pages "PDF support" and "Vision": "many-image requests" have a limit of 2,000 pixels.
    files: { types: [PDF], addresses: [PDF], manyImages: { over: 20, side: 2_000 } },
    toolName: /^[a-zA-Z0-9_-]+$/,
    longestToolName: 128,
    mostTools: null,
    // "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'", of any length.
    longestCallId: Number.POSITIVE_INFINITY,
    // "too many images and documents: 104 + 1 > 100", and the page "Errors": `request_too_large` beyond 32 MB.
    ...{ mostFiles: 100, mostBytes: 32 * MB },
    schema: { ...LENIENT, propertyName: /^[a-zA-Z0-9_.-]+$/, longestProperty: 64 },
  },
  // The pages "File inputs" and "Audio": chat takes audio and no addresses, Responses the other way round.
  // "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40", and "Invalid
  // 'input[4].call_id': string too long. Expected a string with maximum length 64".
  openai_chat: {
    ...{ wire: 'openai_chat', ...OPENAI, longestCallId: 40 },
    files: { types: [PDF, ...SPOKEN], addresses: [] },
  },
  openai_responses: {
    ...{ wire: 'openai_responses', ...OPENAI, longestCallId: 64 },
    files: { types: [PDF], addresses: [PDF] },
  },
  /**
   * Google's own errors: "Invalid function name. Must start with a letter or an underscore. Must be alphanumeric (a-z,
   * A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64", "enum[0]: cannot be
   * empty", "enum: only allowed for STRING type", "only 'enum' and 'date-time' are supported for STRING type",
   * "required[0]: property is not defined", "items: missing field".
   */
  google: {
    wire: 'google',
    // The pages "Document understanding", "Audio understanding" and "Video understanding".
    files: { types: [PDF, 'audio/*', 'video/*'], addresses: [PDF, 'audio/*', 'video/*'] },
    toolName: /^[a-zA-Z_][a-zA-Z0-9_.:-]*$/,
    longestToolName: 64,
    mostTools: null,
    longestCallId: Number.POSITIVE_INFINITY,
    // The pages "Image understanding" and "File input methods": 3,000 images, 100 MB of data in the request.
    ...{ mostFiles: 3_000, mostBytes: 100 * MB },
    schema: {
      ...LENIENT,
      keywords: GOOGLE_KEYWORDS,
      formats: ['enum', 'date-time'],
      plainEnums: true,
      requiredIsDefined: true,
    },
  },
  /** Other servers differ: what most of them have in common. */
  compatible: {
    wire: 'compatible',
    files: { types: [PDF, ...SPOKEN, 'video/*'], addresses: ['video/*'] },
    toolName: /^[a-zA-Z0-9_-]+$/,
    longestToolName: 64,
    mostTools: null,
    // Gateways hand requests on to OpenAI.
    longestCallId: 40,
    ...{ mostFiles: null, mostBytes: null },
    schema: LENIENT,
  },
}

/** The wire of a language model of the AI SDK, by its `provider`, such as `google.vertex.chat`. */
export function wireOf(provider: string): WireName {
  if (provider.includes('anthropic')) return 'anthropic'
  if (/^google\b/.test(provider)) return 'google'
  if (!/^(openai|azure)\b(?!-)/.test(provider)) return 'compatible'
  return provider.endsWith('.responses') ? 'openai_responses' : 'openai_chat'
}

/** The rules for a language model of the AI SDK. A provider that nobody knows may read any file. */
export function rulesOf(provider: string): ProviderRules {
  const rules = PROVIDER_RULES[wireOf(provider)]
  return rules.wire === 'compatible' ? UNKNOWN : rules
}

const UNKNOWN: ProviderRules = { ...PROVIDER_RULES.compatible, files: null }
