/** How a chat in a terminal tells what waits, and what its tokens cost. */
import type { Json } from '../text/json.ts'
import { type Prices, pricesFault } from './prices.ts'

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
