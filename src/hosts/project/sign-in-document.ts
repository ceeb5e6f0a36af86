/** `sign_in` of `.holdpoint/config.json`, as people write it. */

export interface SignInDocument {
  readonly oidc?: ProviderDocument
  readonly trusted_proxy?: ProxyDocument
}

/**
 * Text of one line.
 * @pattern ^(?=.*\S)[^\r\n\0]+$
 */
type Line = string

/** @pattern ^(https://[^\s/]+|http://(127\.0\.0\.1|localhost|\[::1\])(:\d+)?)(/\S*)?$ */
type SafeUrl = string

/**
 * Groups and names; `*` for everybody.
 * @minItems 1
 */
type Who = readonly Line[]

/**
 * Groups as the other system names them.
 * @minItems 1
 */
type Those = readonly OneGroup[]

/** @pattern ^(?=.*\S)(?!\*$)[^\r\n\0]+$ */
type OneGroup = string

/** By role: who has it. */
interface RolesDocument {
  readonly viewer?: Who
  readonly decider?: Who
  readonly operator?: Who
  readonly admin?: Who
}

interface ClaimsDocument {
  /** The claim that has the name. Default: `email`, which must be verified. */
  readonly name_claim?: Line
  /** The claim that has the groups. Default: `groups`. */
  readonly groups_claim?: Line
  /** @minProperties 1 */
  readonly roles: RolesDocument
  /** By group of this project: whose people are in it too, by sign-in. */
  readonly groups?: Readonly<Record<string, Those>>
}

/** An OpenID provider at which people sign in. */
interface ProviderDocument extends ClaimsDocument {
  readonly issuer: SafeUrl
  readonly client_id: Line
  /** The variable with the secret of the client. Default: the client has none. */
  readonly client_secret_env?: Line
  /** Default: `openid profile email groups`. */
  readonly scope?: Line
  /** The name on the button. */
  readonly title?: Line
}

/** A proxy that signs people in, and names them in a signed header of each request. */
interface ProxyDocument extends ClaimsDocument {
  /**
   * The header with the JWT.
   * @pattern ^[A-Za-z0-9-]+$
   */
  readonly header: string
  readonly issuer: Line
  readonly audience: Line
  /** The keys of the proxy. */
  readonly jwks_url: SafeUrl
}
