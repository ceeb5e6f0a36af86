import type { ProvenGroups } from '../../people/membership.ts'
import { ROLES, type Role } from '../../people/role.ts'
import { isJsonObject, type Json } from '../../text/json.ts'
import { FieldReader, isLine } from './notify-fields.ts'

/** The name, the role and the groups that a person gets here, by the claims of another system. */
export interface ClaimSettings {
  /** The claim that has the name, such as `email`. */
  readonly name_claim: string
  /** The claim that has the groups. */
  readonly groups_claim: string
  /** By role: groups and names that have it; `*` for everybody. */
  readonly roles: Readonly<Partial<Record<Role, readonly string[]>>>
  /** By `@group` of the project: groups of the other system whose people are in it too. */
  readonly groups: ProvenGroups
}

/** An OpenID provider at which people sign in. */
export interface ProviderSettings extends ClaimSettings {
  readonly issuer: string
  readonly client_id: string
  /** The variable with the client's secret; `null` for a client that has none. */
  readonly client_secret_env: string | null
  readonly scope: string
  /** The name on the button. */
  readonly title: string
}

/** A proxy that signs people in, and proves it by a JWT in a header of each request. */
export interface ProxySettings extends ClaimSettings {
  /** In lower case. */
  readonly header: string
  readonly issuer: string
  readonly audience: string
  /** The keys of the proxy. */
  readonly jwks_url: string
}

export interface SignInSettings {
  readonly oidc: ProviderSettings | null
  readonly trusted_proxy: ProxySettings | null
}

/** Reads `sign_in`. @throws Error that names the fault. */
export function readSignIn(written: Json): SignInSettings {
  if (!isJsonObject(written)) throw new Error('sign_in must be like { "oidc": { "issuer": "https://…" } }')
  const { oidc, trusted_proxy, ...others } = written
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw new Error(`sign_in.${unknown}: known keys are oidc, trusted_proxy`)
  return {
    oidc: oidc === undefined ? null : readProvider(oidc),
    trusted_proxy: trusted_proxy === undefined ? null : readProxy(trusted_proxy),
  }
}

/** Keys that come unencrypted from elsewhere could be those of an attacker. */
const SAFE_URL = /^(https:\/\/[^\s/]+|http:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d+)?)(\/\S*)?$/
const LIKE_SAFE_URL = 'a URL that begins with https://'

function readProvider(written: Json): ProviderSettings {
  const at = 'sign_in.oidc'
  const { fields, claims } = readerOf(written, at)
  return fields.all({
    issuer: fields.matching('issuer', SAFE_URL, LIKE_SAFE_URL),
    client_id: fields.text('client_id'),
    client_secret_env: fields.maybe('client_secret_env'),
    scope: fields.maybe('scope') ?? 'openid profile email groups',
    title: fields.maybe('title') ?? 'your organisation',
    ...claims,
  })
}

function readProxy(written: Json): ProxySettings {
  const at = 'sign_in.trusted_proxy'
  const { fields, claims } = readerOf(written, at)
  return fields.all({
    header: fields.matching('header', /^[A-Za-z0-9-]+$/, 'the name of a header').toLowerCase(),
    issuer: fields.text('issuer'),
    audience: fields.text('audience'),
    jwks_url: fields.matching('jwks_url', SAFE_URL, LIKE_SAFE_URL),
    ...claims,
  })
}

function readerOf(written: Json, at: string): { readonly fields: FieldReader; readonly claims: ClaimSettings } {
  const fields = new FieldReader(written, at)
  const { roles = null, groups = {} } = isJsonObject(written) ? written : {}
  const claims = {
    name_claim: fields.maybe('name_claim') ?? 'email',
    groups_claim: fields.maybe('groups_claim') ?? 'groups',
    roles: readRoles(roles, `${at}.roles`),
    groups: readProvenGroups(groups, `${at}.groups`),
  }
  return { fields, claims }
}

function readRoles(written: Json, at: string): ClaimSettings['roles'] {
  if (!isJsonObject(written) || Object.keys(written).length === 0)
    throw new Error(`${at}: must say who may what, like { "decider": ["finance"], "viewer": ["*"] }`)
  for (const [role, who] of Object.entries(written)) {
    if (!(ROLES as readonly string[]).includes(role))
      throw new Error(`${at}.${role}: known roles are ${ROLES.join(', ')}`)
    if (!Array.isArray(who) || who.length === 0 || !who.every(isLine))
      throw new Error(`${at}.${role}: must be a list of groups and names, or ["*"] for everybody`)
  }
  return written as ClaimSettings['roles']
}

/** Refuses `*`: a group that everybody is in proves nothing about a person. */
function readProvenGroups(written: Json, at: string): ProvenGroups {
  if (!isJsonObject(written)) throw new Error(`${at}: must be like { "finance": ["finance-approvers"] }`)
  for (const [group, those] of Object.entries(written)) {
    if (!Array.isArray(those) || those.length === 0 || !those.every(isLine) || those.includes('*'))
      throw new Error(`${at}.${group}: must be a list of groups as the other system names them`)
  }
  return Object.fromEntries(
    Object.entries(written).map(([group, those]) => [group.replace(/^@/, ''), those]),
  ) as ProvenGroups
}

/** The groups of the project that have members by sign-in. */
export function provenGroupNames({ oidc, trusted_proxy }: SignInSettings): readonly string[] {
  return [...new Set([oidc, trusted_proxy].flatMap(each => Object.keys(each?.groups ?? {})))]
}
