import type { MaybeUnreadable } from '../unreadable.ts'
import { isAgentActor } from './agent-actor.ts'
import type { Role } from './role.ts'

/** The proof by which a caller of the server is known. The store has a digest of its secret, and never the secret. */
export interface AccessToken extends MaybeUnreadable {
  readonly id: string
  /** The name that its bearer signs with. */
  readonly name: string
  readonly role: Role
  /** ISO times. */
  readonly created_at: string
  readonly created_by: string
  /** `null`: it does not expire. */
  readonly expires_at: string | null
  readonly revoked_at: string | null
  readonly revoked_by: string | null
}

/** True as long as the token lets its bearer in; a damaged one does not. `now` is in milliseconds since 1970. */
export function isValidToken({ expires_at, revoked_at, unreadable }: AccessToken, now: number): boolean {
  return !unreadable && revoked_at === null && (expires_at === null || Date.parse(expires_at) > now)
}

const NAME = /^[\p{L}\p{N}][\p{L}\p{N}._@+ -]{0,98}[\p{L}\p{N}]$|^[\p{L}\p{N}]$/u

/** True for a name that no reader could take for another kind of signature. */
export function isSignableName(name: string): boolean {
  return NAME.test(name) && !isAgentActor(name)
}
