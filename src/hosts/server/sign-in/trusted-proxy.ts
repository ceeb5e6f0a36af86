/**
 * The word of a proxy that signs people in, such as Identity-Aware Proxy, Cloudflare Access or Pomerium: a JWT in a header.
 * Only what the proxy signed counts, for this server, and while it lasts.
 */

import type { People } from '../../../core/notice/person.ts'
import { membershipOf } from '../../../core/people/membership.ts'
import { claimedPerson } from '../../../core/settings/people/claimed-person.ts'
import type { ProxySettings } from '../../../core/settings/people/sign-in-settings.ts'
import type { JsonObject } from '../../../core/text/json.ts'
import type { Caller } from '../../../protocols/http/gate.ts'

/** No shared secrets, and no unsigned tokens: each needs a key that the proxy alone has. */
const ALGORITHMS = ['ES256', 'ES384', 'ES512', 'RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'EdDSA']
/** Clocks of two machines differ. */
const TOLERANCE_S = 30

/** Finds the caller by the assertion; `null` if it does not count. */
export type ReadAssertion = (assertion: string) => Promise<Caller | null>

export function trustedProxy(settings: ProxySettings, people: People | null): ReadAssertion {
  const { issuer, audience, jwks_url } = settings
  let keys: ReturnType<typeof import('jose').createRemoteJWKSet> | null = null
  return async assertion => {
    const { createRemoteJWKSet, jwtVerify } = await import('jose')
    keys ??= createRemoteJWKSet(new URL(jwks_url))
    const options = { issuer, audience, algorithms: ALGORITHMS, clockTolerance: TOLERANCE_S, requiredClaims: ['exp'] }
    try {
      const { payload } = await jwtVerify(assertion, keys, options)
      // A proxy lets in only addresses that it has verified, and most do not say so.
      const found = claimedPerson({ email_verified: true, ...payload } as JsonObject, settings, people)
      if ('problem' in found) return null
      return { ...found, member_of: membershipOf(found.groups, settings.groups, { proven_by: 'proxy', issuer }) }
    } catch {
      return null
    }
  }
}
