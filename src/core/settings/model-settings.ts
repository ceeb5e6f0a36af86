/** How a model is asked: the same settings as options in code (camelCase) and in documents (snake_case). */
import type { Count } from '../count.ts'
import { isJsonObject, isTooDeep, type Json, type JsonObject } from '../text/json.ts'

const REASONING = ['provider-default', 'none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const
/** How much the model thinks before it answers. */
export type Reasoning = (typeof REASONING)[number]

const CHOICES = ['auto', 'none', 'required'] as const
/** `required`: the model has to call some tool in every step. */
type GeneralChoice = (typeof CHOICES)[number]
/** Whether the model may, must or must not call a tool, or the one that it must call. */
export type ToolChoice = GeneralChoice | { readonly type: 'tool'; readonly toolName: string }

/** Options by the name of a provider. Other providers ignore them. */
export type ProviderOptions = Readonly<Record<string, JsonObject>>

/**
 * Tools that the provider runs itself, by the id of the AI SDK: `{ "openai.web_search": {} }`. Each has the options that the
 * provider takes for it. Models of other providers are not offered them.
 */
export type ProviderTools = Readonly<Record<string, JsonObject>>

/** An absent option leaves the choice to the project, and then to the provider; `null` leaves it to the provider. */
export interface ModelOptions {
  /** 0 to 2. Some providers take less. */
  readonly temperature?: number | null
  /** Tokens, from 1. */
  readonly maxOutputTokens?: number | null
  /** 0 to 1. */
  readonly topP?: number | null
  readonly stopSequences?: readonly string[] | null
  /** Holds in every step. A model that has to call a tool never ends by itself: add a stop condition. */
  readonly toolChoice?: ToolChoice | null
  /** How much the model thinks before it answers. */
  readonly reasoning?: Reasoning | null
  /** Kept in the journal of each run, so they may hold no secrets. */
  readonly providerOptions?: ProviderOptions | null
  /** Only those are offered that the policy names: `provider:web_search`. Kept in the journal, so they may hold no secrets. */
  readonly providerTools?: ProviderTools | null
  /** Has Anthropic keep the beginning of the conversation for the next step. Default: true. */
  readonly promptCaching?: boolean | null
  /**
   * Seconds for which a model that takes no requests now is asked again. Default: 60 where somebody waits for the run, and a
   * day where a worker, a daemon or a server goes on with it.
   */
  readonly giveUpAfterSeconds?: number | null
  /** Asked in this order, `provider/model`, if the model of the run fails or refuses the request. */
  readonly fallbackModels?: readonly string[] | null
  /** The next of `fallbackModels` is asked after so many failures in a row, 1 to 8. Default: 3. */
  readonly fallbackAfter?: number | null
}

/** Model settings in documents. The provider decides what is absent. */
export interface ModelSettings {
  /**
   * Some providers take less than 2.
   * @minimum 0
   * @maximum 2
   */
  readonly temperature?: number
  /** Tokens. */
  readonly max_output_tokens?: Count
  /**
   * @minimum 0
   * @maximum 1
   */
  readonly top_p?: number
  readonly stop_sequences?: readonly SomeText[]
  /** Holds in every step: with `required` or a tool, a run ends only by a stop condition. */
  readonly tool_choice?: GeneralChoice | { readonly type: 'tool'; readonly tool_name: SomeText }
  /** How much the model thinks before it answers. */
  readonly reasoning?: Reasoning
  /** By provider, in the provider's own words. Kept in the journal of each run, so no secrets. */
  readonly provider_options?: ProviderOptions
  /** Tools that the provider runs itself, with their options. Only those are offered that the policy names. No secrets. */
  readonly provider_tools?: ProviderTools
  /** Has Anthropic keep the beginning of the conversation for the next step. Default: true. */
  readonly prompt_caching?: boolean
  /**
   * For how long a model that takes no requests now is asked again. Default: 60 where somebody waits for the run, and a day
   * where a worker, a daemon or a server goes on with it.
   * @minimum 0
   * @maximum 31536000
   */
  readonly give_up_after_seconds?: number
  /** Asked in this order, `provider/model`, if the model of the run fails or refuses the request. */
  readonly fallback_models?: readonly SomeText[]
  /**
   * The next of `fallback_models` is asked after so many failures in a row. Default: 3.
   * @asType integer
   * @minimum 1
   * @maximum 8
   */
  readonly fallback_after?: number
}

/** @minLength 1 */
type SomeText = string

/** The settings of one place; `null` takes away the setting of a more general place. */
export type ModelWishes = { readonly [K in keyof ModelSettings]: ModelSettings[K] | null }

/** The name of each option in documents. */
export const MODEL_SETTINGS: Readonly<Record<keyof ModelOptions, keyof ModelSettings>> = {
  temperature: 'temperature',
  maxOutputTokens: 'max_output_tokens',
  topP: 'top_p',
  stopSequences: 'stop_sequences',
  toolChoice: 'tool_choice',
  reasoning: 'reasoning',
  providerOptions: 'provider_options',
  providerTools: 'provider_tools',
  promptCaching: 'prompt_caching',
  giveUpAfterSeconds: 'give_up_after_seconds',
  fallbackModels: 'fallback_models',
  fallbackAfter: 'fallback_after',
}

export const MODEL_OPTIONS: readonly (keyof ModelOptions)[] = Object.keys(MODEL_SETTINGS) as (keyof ModelOptions)[]

/** Takes the model settings from options in code. @throws Error that names the fault. */
export function readModelOptions(options: ModelOptions): ModelWishes {
  return read(MODEL_OPTIONS, option => [option, plain(option, options[option])])
}

/** Takes the model settings from a document. @throws Error that names the fault. */
export function readModelSettings(document: JsonObject): ModelWishes {
  return read(MODEL_OPTIONS, option => [MODEL_SETTINGS[option], document[MODEL_SETTINGS[option]]])
}

type Written = readonly [name: string, value: Json | undefined]

function read(
  options: readonly (keyof ModelOptions)[],
  writtenAs: (option: keyof ModelOptions) => Written,
): ModelWishes {
  const wishes: Partial<Record<keyof ModelSettings, Json>> = {}
  for (const option of options) {
    const [name, value] = writtenAs(option)
    if (value === undefined) continue
    const setting = MODEL_SETTINGS[option]
    const problem = value === null ? null : CHECKS[setting](value)
    if (problem !== null) throw new Error(`${name} ${problem}, not ${shown(value)}`)
    wishes[setting] = setting === 'tool_choice' ? inSnakeCase(value) : value
  }
  return wishes as ModelWishes
}

/** Code may give more than JSON, which no journal can keep. */
function plain(option: string, value: unknown): Json | undefined {
  if (value === undefined || typeof value === 'number') return value
  const copy = copyOf(value)
  if (copy === undefined || isTooDeep(copy)) throw new Error(`${option} is not JSON, so no journal can keep it`)
  return copy
}

function copyOf(value: unknown): Json | undefined {
  try {
    const text: string | undefined = JSON.stringify(value)
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

function shown(value: Json): string {
  return typeof value === 'number' ? String(value) : JSON.stringify(value)
}

/** Merges settings: the first that has a value wins, so the most specific must be first. */
export function mergeModelSettings(settings: readonly (ModelWishes | null | undefined)[]): ModelSettings {
  const merged: ModelWishes = Object.assign({}, ...settings.toReversed())
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null))
}

/** The settings for a profile, which has no such key if nothing is set. */
export function keptModelSettings(settings: readonly (ModelWishes | null | undefined)[]): {
  model_settings?: ModelSettings
} {
  const model_settings = mergeModelSettings(settings)
  return Object.keys(model_settings).length > 0 ? { model_settings } : {}
}

/** The settings that are set, as options. */
export function modelOptions(settings: ModelSettings): ModelOptions {
  // Each step asks, and most runs set none.
  if (Object.keys(settings).length === 0) return {}
  const entries = MODEL_OPTIONS.flatMap(option => {
    const value = settings[MODEL_SETTINGS[option]]
    return value === undefined ? [] : [[option, isNamedTool(value) ? inCamelCase(value) : value]]
  })
  return Object.fromEntries(entries)
}

type Check = (value: Json) => string | null

const LONGEST_PATIENCE_SECONDS = 31_536_000

const CHECKS: Readonly<Record<keyof ModelSettings, Check>> = {
  temperature: value => (isNumber(value, 0, 2) ? null : 'must be a number from 0 to 2'),
  max_output_tokens: value => (isWhole(value) ? null : 'must be a whole number from 1'),
  top_p: value => (isNumber(value, 0, 1) ? null : 'must be a number from 0 to 1'),
  stop_sequences: value => (isTexts(value) ? null : 'must be a list of texts'),
  fallback_models: value => (isTexts(value) ? null : 'must be a list of models, like ["openai/gpt-5"]'),
  fallback_after: value => (isWhole(value) && Number(value) <= 8 ? null : 'must be a whole number from 1 to 8'),
  tool_choice: value =>
    CHOICES.some(choice => choice === value) || isNamedTool(value)
      ? null
      : `must be one of ${CHOICES.join(', ')}, or name a tool like { type: "tool", tool_name: "search" }`,
  reasoning: value => (REASONING.some(level => level === value) ? null : `must be one of ${REASONING.join(', ')}`),
  provider_options: value =>
    isJsonObject(value) && Object.values(value).every(isJsonObject)
      ? null
      : 'must have one object for each provider, like { anthropic: { … } }',
  provider_tools: value =>
    isJsonObject(value) && Object.values(value).every(isJsonObject)
      ? null
      : 'must have the options of each tool by its id, like { "openai.web_search": {} }',
  give_up_after_seconds: value =>
    isNumber(value, 0, LONGEST_PATIENCE_SECONDS) ? null : `must be seconds from 0 to ${LONGEST_PATIENCE_SECONDS}`,
  prompt_caching: value => (typeof value === 'boolean' ? null : 'must be true or false'),
}

function isTexts(value: Json): boolean {
  return Array.isArray(value) && value.every(text => typeof text === 'string' && text !== '')
}

function isNumber(value: Json, least: number, most: number): boolean {
  return typeof value === 'number' && value >= least && value <= most
}

function isWhole(value: Json): boolean {
  return Number.isSafeInteger(value) && Number(value) > 0
}

interface NamedTool {
  readonly type: 'tool'
  readonly toolName?: string
  readonly tool_name?: string
}

function isNamedTool(value: unknown): value is NamedTool {
  if (!isJsonObject(value as Json)) return false
  const { type, toolName, tool_name = toolName, ...rest } = value as JsonObject
  return type === 'tool' && typeof tool_name === 'string' && tool_name !== '' && Object.keys(rest).length === 0
}

function inSnakeCase(choice: Json): Json {
  return isNamedTool(choice) ? { type: 'tool', tool_name: choice.tool_name ?? choice.toolName ?? '' } : choice
}

function inCamelCase({ tool_name, toolName }: NamedTool): Json {
  return { type: 'tool', toolName: toolName ?? tool_name ?? '' }
}
