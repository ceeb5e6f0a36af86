import type { Offer, Sdk } from '../../protocols/mcp/offer/offer.ts'
import type { Holdpoint } from '../../runtime/face/holdpoint.ts'

/** The needs that every transport and protocol of the server shares. */
export interface Serving {
  readonly holdpoint: Holdpoint
  readonly sdk: Sdk
  readonly offer: Offer
  /** Resolves once this is to end, and what was under way is answered, or took too long. */
  readonly stopped: Promise<void>
}
