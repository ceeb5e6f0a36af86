import type { Offer, Sdk } from '../../protocols/mcp/offer/offer.ts'

/** What is served, whatever it is served over. */
export interface Serving {
  readonly sdk: Sdk
  readonly offer: Offer
  /** Resolves once this is to end, and what was under way is answered, or took too long. */
  readonly stopped: Promise<void>
}
