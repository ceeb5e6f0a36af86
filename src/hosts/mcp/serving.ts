import type { Offer } from '../../protocols/mcp/offer/offer.ts'

/** The needs that every transport of the server shares. */
export interface Serving {
  readonly offer: Offer
  /** Resolves once this is to end, and what was under way is answered, or took too long. */
  readonly stopped: Promise<void>
}
