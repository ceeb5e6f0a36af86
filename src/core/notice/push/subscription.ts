import type { Role } from '../../people/role.ts'
import type { SessionProof } from '../../people/session.ts'
import type { MaybeUnreadable } from '../../unreadable.ts'

/** How a push service reaches one browser, as `PushSubscription.toJSON()` says it there. */
export interface PushEndpoint {
  /** The URL that takes messages for that browser. Whoever knows it may send there, so no list shows it. */
  readonly endpoint: string
  /** The public key of the browser: an uncompressed point of P-256 in base64url. */
  readonly p256dh: string
  /** 16 bytes in base64url. */
  readonly auth: string
}

/**
 * A browser that wants to hear of what waits. It counts as long as the session or the token that made it: name, role and
 * groups are those of today.
 */
export interface Subscription extends PushEndpoint, MaybeUnreadable {
  readonly id: string
  readonly name: string
  readonly role: Role
  /** The groups as the provider of the sign-in names them, without `@`. */
  readonly groups: readonly string[]
  /** The proof of its session; `null` if a token made it. */
  readonly proof: SessionProof | null
  /** ISO time. */
  readonly created_at: string
}

/** A pair of keys on P-256 by which push services know a store (RFC 8292). Both are in base64url. */
export interface PushKeys {
  /** The uncompressed point. */
  readonly public_key: string
  /** The scalar. */
  readonly private_key: string
}
