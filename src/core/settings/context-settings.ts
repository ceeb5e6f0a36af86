/** How the context of a conversation is managed, so that long work goes on: the same in code and in documents. */
import type { Count } from '../count.ts'
import { isJsonObject, type Json } from '../text/json.ts'

/** In documents. What is absent is known of the model, or has its default. */
export interface ContextSettings {
  /** The tokens that the model reads at most. Default: what is known of the model, or what its provider says. */
  readonly window?: Count
  /** The newest messages, up to this many tokens, stay as they are. Default: a quarter of the window. */
  readonly keep?: Count
  /**
   * The share of the window from which on older parts are shortened. Default: 0.8.
   * @minimum 0.1
   * @maximum 1
   */
  readonly compact_at?: number
  /**
   * `provider/model` that writes the summaries. Default: the model of the run.
   * @minLength 1
   */
  readonly model?: string
  /**
   * How to write a summary, in place of the usual instructions.
   * @minLength 1
   */
  readonly instructions?: string
}

/** The same settings as options in code. */
export interface ContextOptions extends Omit<ContextSettings, 'compact_at'> {
  readonly compactAt?: number
}

export const USUAL_COMPACT_AT = 0.8

const isText = (value: Json) => typeof value === 'string' && value !== ''
const isWhole = (value: Json) => Number.isSafeInteger(value) && Number(value) > 0

const CHECKS: { readonly [K in keyof ContextSettings]-?: readonly [fits: (value: Json) => boolean, wanted: string] } = {
  window: [isWhole, 'must be a whole number of tokens from 1'],
  keep: [isWhole, 'must be a whole number of tokens from 1'],
  compact_at: [
    value => typeof value === 'number' && value >= 0.1 && value <= 1,
    'must be a share of the window from 0.1 to 1',
  ],
  model: [isText, 'must be the name of a model'],
  instructions: [isText, 'must be a text'],
}

/** Reads it from a document or from code. @throws Error that names the fault. */
export function readContext(written: Json): ContextSettings {
  if (!isJsonObject(written)) throw new Error('context must be an object')
  const entries = Object.entries(written).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries.map(([key, value]) => [settingOf(key), checked(key, value)]))
}

function settingOf(key: string): keyof ContextSettings {
  const setting = key === 'compactAt' ? 'compact_at' : key
  if (Object.hasOwn(CHECKS, setting)) return setting as keyof ContextSettings
  throw new Error(`context.${key}: known keys are ${Object.keys(CHECKS).join(', ')}`)
}

function checked(key: string, value: Json): Json {
  const [fits, wanted] = CHECKS[settingOf(key)]
  if (fits(value)) return value
  throw new Error(`context.${key} ${wanted}, not ${JSON.stringify(value)}`)
}

/** The settings for a profile: the first that has a value wins. The profile has no such key if nothing is set. */
export function keptContext(settings: readonly (ContextSettings | null | undefined)[]): { context?: ContextSettings } {
  const context: ContextSettings = Object.assign({}, ...settings.toReversed())
  return Object.keys(context).length > 0 ? { context } : {}
}
