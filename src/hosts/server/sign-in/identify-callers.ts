/** Identifies a caller by a token, by the session of a browser, or by the word of a trusted proxy. */

import { ACTOR_HEADER } from '../../../client/reach/actor-header.ts'
import type { People } from '../../../core/notice/person.ts'
import { isAgentActor } from '../../../core/people/agent-actor.ts'
import { membershipOf } from '../../../core/people/membership.ts'
import { claimedPerson } from '../../../core/settings/people/claimed-person.ts'
import { memberToday, sessionToday } from '../../../core/settings/people/session-today.ts'
import type { ProviderSettings, ProxySettings } from '../../../core/settings/people/sign-in-settings.ts'
import type { JsonObject } from '../../../core/text/json.ts'
import type { Caller, Gate } from '../../../protocols/http/gate.ts'
import { oneToken } from '../../../protocols/http/one-token.ts'
import type { Route } from '../../../protocols/http/route.ts'
import type { Cookies } from '../../../protocols/http/session-cookie.ts'
import { SURFACE } from '../../../protocols/rest/route/rest-route.ts'
import type { SignIn, SignInWay } from '../../../protocols/rest/route/sign-in.ts'
import { Sessions } from '../../../runtime/access/sessions.ts'
import type { CommandContext } from '../../command/command.ts'
import type { App } from '../../compose/compose.ts'
import { type OwnSecret, ownSecret, SERVER_TOKEN } from '../../listening/own-secret.ts'
import { actor } from '../../process/actor.ts'
import { systemClock } from '../../process/system-clock.ts'
import { systemIds } from '../../process/system-ids.ts'
import type { ProjectConfig } from '../../project/project.ts'
import { serverRefusals } from '../../refusals/server-refusals.ts'
import { Provider } from './provider.ts'
import { DEPARTURE, providerRoutes } from './provider-routes.ts'

const LONGEST_NAME = 200

export interface Callers {
  readonly gate: Pick<Gate, 'identify' | 'cookies' | 'assertionHeader' | 'actorHeader'>
  readonly signIn: SignIn
  /** The redirects to a provider and back; none without one. */
  readonly routes: readonly Route[]
  /** The location of the owner's token; `null` if the server does not accept it. */
  readonly place: string | null
  /**
   * Digest of the owner's token, by which `holdpoint inbox` signs the owner in; `null` if the server does not accept
   * it.
   */
  readonly ownerDigest: string | null
}

export interface CallersDeps extends Pick<CommandContext, 'directory' | 'env'> {
  readonly app: Pick<App, 'holdpoint' | 'store'>
  readonly config: Pick<ProjectConfig, 'sign_in' | 'people'>
  /** True if only processes of this machine reach the server. */
  readonly isLocal: boolean
  /** True if only processes of its user reach the server: then they say for whom they ask. */
  readonly isPrivate: boolean
  readonly cookies: Cookies
}

/**
 * On this machine the owner has a token of their own. If other machines reach the server, only tokens that were added
 * count: each has a name, a role and an end. @throws RefusedError `no_token`, `missing_variable`
 */
export async function identifyCallers(deps: CallersDeps): Promise<Callers> {
  const { app, config, isLocal, isPrivate, cookies, directory, env } = deps
  const { tokens } = app.holdpoint
  if (!isLocal && config.sign_in === null) await refuseWithoutTokens(tokens)
  const own = isLocal ? ownSecret(SERVER_TOKEN, directory, env) : null
  const owner = ownerOf(own, env)
  const sessions = new Sessions({
    ...{ store: app.store, ids: systemIds, clock: systemClock },
    ownerSecret: own?.secret ?? null,
  })
  const { ways, routes, assertionHeader, readAssertion } = othersWord(deps, sessions)
  const { sign_in } = config
  const find = async (secret: string) => {
    const session = await sessions.identify(secret)
    return session && sessionToday(session, sign_in)
  }
  const identify: Gate['identify'] = async proof => {
    if (proof.kind === 'session') {
      const session = await find(proof.text)
      return session && { ...session, member_of: memberToday(session, sign_in) }
    }
    if (proof.kind === 'assertion') return readAssertion(proof.text)
    const own = await owner?.(proof)
    return own ? namedOwner(own, proof.actor) : tokens.identify(proof.text)
  }
  return {
    gate: { cookies, assertionHeader, actorHeader: isPrivate ? ACTOR_HEADER : null, identify },
    signIn: { cookies, ways: [...ways, { kind: 'token' }], ...signInBy(sessions, owner), find },
    routes,
    place: own?.place ?? null,
    ownerDigest: own && systemIds.digest(own.secret),
  }
}

/**
 * Follows the rule of the command line (`HOLDPOINT_ACTOR`): the owner may work for others, and a program that an agent
 * runs signs as that agent.
 */
function namedOwner(owner: Caller, header: string | undefined): Caller | null {
  if (header === undefined) return owner
  const name = decoded(header)?.trim() ?? ''
  if (name === '' || name.length > LONGEST_NAME) return null
  return { name, role: isAgentActor(name) ? 'operator' : owner.role }
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

interface OthersWord extends Pick<Callers, 'routes'> {
  readonly ways: readonly SignInWay[]
  readonly assertionHeader: string | null
  readonly readAssertion: ReadAssertion
}

/** Other systems that say who a person is. @throws RefusedError `missing_variable` */
function othersWord({ config, cookies, env }: CallersDeps, sessions: Sessions): OthersWord {
  const { people, sign_in } = config
  const { oidc = null, trusted_proxy = null } = sign_in ?? {}
  const provider = oidc && new Provider({ settings: oidc, people, clientSecret: secretOf(oidc, env) })
  return {
    ways: oidc ? [{ kind: 'provider', title: oidc.title, url: DEPARTURE }] : [],
    routes: provider ? providerRoutes({ provider, sessions, cookies }) : [],
    assertionHeader: trusted_proxy?.header ?? null,
    readAssertion: trusted_proxy ? trustedProxy(trusted_proxy, people) : async () => null,
  }
}

/** @throws RefusedError `no_token` */
async function refuseWithoutTokens(tokens: App['holdpoint']['tokens']): Promise<void> {
  if ((await tokens.list()).length === 0) throw serverRefusals.noToken()
}

type Owner = Gate['identify'] | null

function ownerOf(own: OwnSecret | null, env: CommandContext['env']): Owner {
  return own && oneToken(own.secret, { name: actor(env), role: 'admin' })
}

function signInBy(sessions: Sessions, owner: Owner): Omit<SignIn, 'cookies' | 'ways' | 'find'> {
  return {
    byToken: async token => {
      const known = await owner?.({ kind: 'token', text: token })
      if (!known) return sessions.openByToken(token, SURFACE)
      const proof = { kind: 'owner', digest: systemIds.digest(token) } as const
      return sessions.open({ name: known.name, role: known.role, groups: [], proof }, SURFACE)
    },
    byLink: link => sessions.redeem(link, SURFACE),
    end: session => sessions.end(session, SURFACE),
    endAll: async name => {
      await sessions.endAll(name, { by: name, surface: SURFACE })
    },
  }
}

function secretOf({ client_secret_env: name }: ProviderSettings, env: CommandContext['env']): string | null {
  if (name === null) return null
  const secret = env[name]
  if (secret) return secret
  throw serverRefusals.missingVariable(name)
}

/**
 * The word of a proxy that signs people in, such as Identity-Aware Proxy, Cloudflare Access or Pomerium: a JWT in a header.
 * Only what the proxy signed counts, for this server, and while it lasts.
 */

/** No shared secrets, and no unsigned tokens: each needs a key that the proxy alone has. */
const ALGORITHMS = ['ES256', 'ES384', 'ES512', 'RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'EdDSA']
/** Clocks of two machines differ. */
const TOLERANCE_S = 30

/** Finds the caller by the assertion; `null` if it does not count. */
type ReadAssertion = (assertion: string) => Promise<Caller | null>

function trustedProxy(settings: ProxySettings, people: People | null): ReadAssertion {
  const { issuer, audience, jwks_url } = settings
  let keys: ReturnType<typeof import('jose').createRemoteJWKSet> | null = null
  return async assertion => {
    const { createRemoteJWKSet, jwtVerify } = await import('jose')
    keys ??= createRemoteJWKSet(new URL(jwks_url))
    const options = { issuer, audience, algorithms: ALGORITHMS, clockTolerance: TOLERANCE_S, requiredClaims: ['exp'] }
    try {
      const { payload } = await jwtVerify(assertion, keys, options)
      // A proxy lets in only addresses that it has verified, and most do not say so.
      const claimed = claimedPerson({ email_verified: true, ...payload } as JsonObject, settings, people)
      if ('problem' in claimed) return null
      return { ...claimed, member_of: membershipOf(claimed.groups, settings.groups, { proven_by: 'proxy', issuer }) }
    } catch {
      return null
    }
  }
}
