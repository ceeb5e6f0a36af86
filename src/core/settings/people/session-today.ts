import { type Membership, membershipOf } from '../../people/membership.ts'
import type { Role } from '../../people/role.ts'
import type { SessionProof } from '../../people/session.ts'
import { roleOf } from './claimed-person.ts'
import type { SignInSettings } from './sign-in-settings.ts'

/** A person who is signed in, as their session has it. */
interface SignedIn {
  readonly name: string
  readonly role: Role
  readonly groups: readonly string[]
  /** `null` for a token. */
  readonly proof: SessionProof | null
}

/**
 * A session of a provider counts as long as the settings name that provider, and the person has the role that they give
 * today: who lost a role need not sign out.
 */
export function sessionToday<S extends SignedIn>(session: S, sign_in: SignInSettings | null): S | null {
  if (session.proof?.kind !== 'provider') return session
  const oidc = sign_in?.oidc ?? null
  const role = oidc?.issuer === session.proof.issuer ? roleOf(session, oidc) : null
  return role && { ...session, role }
}

/** The provider named the groups when its person signed in; the settings of today say what they are here. */
export function memberToday({ groups, proof }: SignedIn, sign_in: SignInSettings | null): Membership | null {
  if (proof?.kind !== 'provider') return null
  return membershipOf(groups, sign_in?.oidc?.groups ?? {}, { proven_by: 'provider', issuer: proof.issuer })
}
