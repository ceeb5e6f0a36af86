/**
 * Sign-in at an OpenID provider: the code flow with PKCE.
 * V1  The answer in a browser's redirect counts only with the state, the nonce and the verifier that this browser was
 *     given.
 * V2  The provider identifies the person; the settings give the rights.
 */
import { messageOf } from '../../../core/errors.ts'
import type { People } from '../../../core/notice/person.ts'
import { claimedPerson } from '../../../core/settings/people/claimed-person.ts'
import type { ProviderSettings } from '../../../core/settings/people/sign-in-settings.ts'
import type { JsonObject } from '../../../core/text/json.ts'
import type { SignedPerson } from '../../../runtime/access/sessions.ts'

type Client = typeof import('openid-client')

/** The facts that a browser keeps while its person is at the provider. */
export interface Journey {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  /** The path of the page that it returns to. */
  readonly next: string
}

export type Arrival = { readonly person: SignedPerson } | { readonly problem: string }

export interface ProviderDeps {
  readonly settings: ProviderSettings
  readonly people: People | null
  /** `null` if the client has none. */
  readonly clientSecret: string | null
}

export class Provider {
  readonly #deps: ProviderDeps
  #known: Promise<{ readonly client: Client; readonly config: import('openid-client').Configuration }> | null = null

  constructor(deps: ProviderDeps) {
    this.#deps = deps
  }

  /**
   * The address at the provider to which the browser is sent, and the data that it keeps meanwhile. @throws Error if
   * the provider does not answer
   */
  async depart(redirect_uri: string, next: string): Promise<{ readonly url: URL; readonly journey: Journey }> {
    const { client, config } = await this.#configuration()
    const journey = {
      ...{ state: client.randomState(), nonce: client.randomNonce(), verifier: client.randomPKCECodeVerifier() },
      next,
    }
    const url = client.buildAuthorizationUrl(config, {
      ...{ redirect_uri, scope: this.#deps.settings.scope, state: journey.state, nonce: journey.nonce },
      ...{ code_challenge: await client.calculatePKCECodeChallenge(journey.verifier), code_challenge_method: 'S256' },
    })
    return { url, journey }
  }

  /** `url` is what the provider sent the browser to. */
  async arrive(url: URL, { state, nonce, verifier }: Journey): Promise<Arrival> {
    const { settings, people } = this.#deps
    try {
      const { client, config } = await this.#configuration()
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true }
      const tokens = await client.authorizationCodeGrant(config, url, checks)
      const proven = tokens.claims()
      if (proven === undefined) return { problem: 'The provider did not say who signed in.' }
      const more = await this.#moreClaims(proven, tokens.access_token)
      const claimed = claimedPerson({ ...more, ...proven } as JsonObject, settings, people)
      if ('problem' in claimed) return claimed
      return { person: { ...claimed, proof: { kind: 'provider', issuer: settings.issuer, subject: proven.sub } } }
    } catch (thrown) {
      return { problem: `The provider's answer does not count: ${messageOf(thrown)}.` }
    }
  }

  /** Some providers say of groups and mail addresses only if they are asked. */
  async #moreClaims(proven: { readonly sub: string }, accessToken: string): Promise<object> {
    const { name_claim, groups_claim } = this.#deps.settings
    if (Object.hasOwn(proven, name_claim) && Object.hasOwn(proven, groups_claim)) return {}
    const { client, config } = await this.#configuration()
    if (config.serverMetadata().userinfo_endpoint === undefined) return {}
    return client.fetchUserInfo(config, accessToken, proven.sub)
  }

  /** Asked for once it is needed, and again after a failure. */
  #configuration() {
    this.#known ??= this.#discover().catch(thrown => {
      this.#known = null
      throw thrown
    })
    return this.#known
  }

  async #discover() {
    const { settings, clientSecret } = this.#deps
    const client = await import('openid-client')
    const issuer = new URL(settings.issuer)
    const proof = clientSecret === null ? client.None() : client.ClientSecretPost(clientSecret)
    const execute = issuer.protocol === 'http:' ? [client.allowInsecureRequests] : []
    const config = await client.discovery(issuer, settings.client_id, undefined, proof, { execute, timeout: TIMEOUT_S })
    return { client, config }
  }
}

const TIMEOUT_S = 10
