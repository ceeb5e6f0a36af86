/** How a chat in a terminal tells what waits, and what its tokens cost. */
import { isJsonObject, type Json } from '../text/json.ts'

/** Dollars for a million tokens. */
export interface Price {
  /** @minimum 0 */
  readonly input: number
  /** @minimum 0 */
  readonly output: number
  /**
   * For input that the provider had kept from an earlier request. Default: as `input`.
   * @minimum 0
   */
  readonly cached_input?: number
}

/** By the name of a model, or a glob over names. The first that matches counts. */
export type Prices = Readonly<Record<string, Price>>

/** `null` for each that a file leaves out. */
export interface ChatSettings {
  /** The terminal rings when something waits. Default: no. */
  readonly bell: boolean | null
  /** What models cost. */
  readonly prices: Prices | null
}

export const NO_CHAT_SETTINGS: ChatSettings = { bell: null, prices: null }

/** What is wrong with a value; `null` if nothing is. */
export const CHAT_FAULTS: Readonly<Record<keyof ChatSettings, (value: Json) => string | null>> = {
  bell: value => (typeof value === 'boolean' ? null : 'must be true or false'),
  prices: pricesFault,
}

const KEYS = ['input', 'output', 'cached_input'] as const

function pricesFault(written: Json): string | null {
  if (!isJsonObject(written)) return 'must be an object: each model, or a glob over models, with its price'
  for (const [model, price] of Object.entries(written)) {
    const fault = priceFault(price)
    if (fault !== null) return `${model} ${fault}`
  }
  return null
}

function priceFault(price: Json): string | null {
  if (!isJsonObject(price)) return 'must be an object'
  const unknown = Object.keys(price).find(key => !(KEYS as readonly string[]).includes(key))
  if (unknown !== undefined) return `has an unknown key ${unknown}; known are ${KEYS.join(', ')}`
  const wrong = KEYS.find(key => (key !== 'cached_input' || key in price) && !isAmount(price[key]))
  return wrong === undefined ? null : `needs ${wrong}: a number from 0, dollars for a million tokens`
}

function isAmount(value: Json | undefined): boolean {
  return typeof value === 'number' && value >= 0
}
