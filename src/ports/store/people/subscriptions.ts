import type { PushEndpoint, PushKeys, Subscription } from '../../../core/notice/push/subscription.ts'

/** A browser that a person subscribes. */
export interface NewSubscription extends PushEndpoint {
  readonly id: string
  /** The name that signs, of the session or the token. */
  readonly name: string
  /** The session that it ends with; `null` if a token alone made it. */
  readonly session_id: string | null
  /** The token that it ends with: its own, or that of its session. `null` if there is none. */
  readonly token_id: string | null
}

/**
 * Browsers that get pushes, and the keys that sign those. A subscription is gone for each reader once its session or its
 * token has ended, was revoked or has expired.
 */
export interface SubscriptionStore {
  /**
   * An endpoint has one subscription: the newest. The same person keeps its id. Of one name there are at most `most`:
   * the oldest give way.
   */
  add(subscription: NewSubscription, most: number): Promise<void>
  /** `null` if it is unknown or gone. */
  find(id: string): Promise<Subscription | null>
  /** Those that count now, oldest first. */
  list(options?: { readonly limit?: number }): Promise<readonly Subscription[]>
  remove(which: { readonly id: string } | { readonly name: string; readonly endpoint: string }): Promise<void>
  /** `null` as long as none were kept. */
  keys(): Promise<PushKeys | null>
  /** A compare-and-set: resolves to the keys of the store, which are these if there were none. */
  keepKeys(keys: PushKeys): Promise<PushKeys>
}
