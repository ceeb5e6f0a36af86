import type { Decision } from '../../core/hold/decision.ts'
import type { Json } from '../../core/text/json.ts'
import type { SuspendRequest } from './suspend-request.ts'

/** The hold by which a tool suspended its call, as the tool sees it when it runs again. */
export interface Suspended {
  readonly holdId: string
  /** The context that people were shown; `null` if there was none, or it is gone. */
  readonly context: Json
  /** The `basis` of the request, or its context if it named none. */
  readonly basis: Json
  readonly decision: Decision
  /**
   * Goes on if `basis` is the one that was shown: the `basis` of the request, or its `context` if it named none.
   * Otherwise it stops here, and people are asked anew, with the difference (P9). `anew` replaces fields of the earlier
   * request in the new one. Call it before the effect. A deadline never approves a basis that changed.
   */
  confirm(basis: Json, anew?: Partial<SuspendRequest>): void
}
