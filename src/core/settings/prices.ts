/** What models cost, as people set it: the same in code and in documents. */
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

/** Dollars for a million tokens, as an option in code. `cachedInput`: input that the provider had kept; default: as `input`. */
export interface PriceOptions extends Omit<Price, 'cached_input'> {
  readonly cachedInput?: number
}

const KEYS: Readonly<Record<string, keyof Price>> = { input: 'input', output: 'output', cached_input: 'cached_input' }
const OPTIONS: Readonly<Record<string, keyof Price>> = { input: 'input', output: 'output', cachedInput: 'cached_input' }

/** What is wrong with the prices of a document; `null` if nothing is. */
export function pricesFault(written: Json): string | null {
  return faultOf(written, KEYS)
}

/** Takes prices from options in code. @throws Error that names the fault. */
export function readPriceOptions(written: Json): Prices {
  const fault = faultOf(written, OPTIONS)
  if (fault !== null) throw new Error(`prices ${fault}`)
  const prices = Object.entries(written as unknown as Readonly<Record<string, PriceOptions>>)
  return Object.fromEntries(prices.map(([model, price]) => [model, inSnakeCase(price)]))
}

function inSnakeCase({ input, output, cachedInput }: PriceOptions): Price {
  return { input, output, ...(cachedInput !== undefined && { cached_input: cachedInput }) }
}

/** The prices for a profile, which has no such key if there are none. */
export function keptPrices(prices: Prices | null): { prices?: Prices } {
  return prices === null || Object.keys(prices).length === 0 ? {} : { prices }
}

type Keys = Readonly<Record<string, keyof Price>>

function faultOf(written: Json, keys: Keys): string | null {
  if (!isJsonObject(written)) return 'must be an object: each model, or a glob over models, with its price'
  for (const [model, price] of Object.entries(written)) {
    const fault = priceFault(price, keys)
    if (fault !== null) return `${model} ${fault}`
  }
  return null
}

function priceFault(price: Json, keys: Keys): string | null {
  if (!isJsonObject(price)) return 'must be an object'
  const unknown = Object.keys(price).find(key => !Object.hasOwn(keys, key))
  if (unknown !== undefined) return `has an unknown key ${unknown}; known are ${Object.keys(keys).join(', ')}`
  const wrong = Object.keys(keys).find(
    key => !isAmount(price[key]) && !(keys[key] === 'cached_input' && price[key] === undefined),
  )
  return wrong === undefined ? null : `needs ${wrong}: a number from 0, dollars for a million tokens`
}

function isAmount(value: Json | undefined): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}
