/**
 * Browsers in which people are signed in.
 * N1  A session counts as long as what proved its person does: it ends with its token.
 * N2  A link is exchanged for one session, by the first browser that brings it.
 */
import { type AccessToken, isValidToken } from '../../core/people/access-token.ts'
import { isOpenSession, type Session } from '../../core/people/session.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Ids } from '../../ports/ids.ts'
import type { Store } from '../../ports/store/store.ts'

export interface SessionDeps {
  readonly store: Pick<Store, 'access' | 'sessions'>
  readonly ids: Ids
  readonly clock: Pick<Clock, 'now'>
  /** The secret of the person who started the server; `null` if it does not count there. */
  readonly ownerSecret: string | null
}

/** A person, as they proved who they are. */
export type SignedPerson = Pick<Session, 'name' | 'role' | 'groups' | 'proof'>

/** `secret` is given only here: the store keeps its digest. */
export interface NewSignIn {
  readonly secret: string
  readonly session: Session
}

const HOUR_MS = 3_600_000
/** Each request looks at the token again. */
const TOKEN_SESSION_MS = 30 * 24 * HOUR_MS
/** No notice arrives when a person leaves the provider, so a session lasts one working day. */
const PROVIDER_SESSION_MS = 12 * HOUR_MS
const LINK_MS = 300_000

export class Sessions {
  readonly #deps: SessionDeps

  constructor(deps: SessionDeps) {
    this.#deps = deps
  }

  /** Signs in the bearer of an access token; `null` if that is unknown, expired or revoked. */
  async openByToken(secret: string, surface: string): Promise<NewSignIn | null> {
    const token = await this.#validToken(this.#deps.ids.digest(secret))
    return token && this.open(personOf(token, this.#deps.ids.digest(secret)), surface)
  }

  async open(person: SignedPerson, surface: string): Promise<NewSignIn> {
    return this.#add({ ...person, kind: 'session' }, { expires_at: await this.#endOf(person), surface })
  }

  /** A session that the person's own browser opens within five minutes. */
  async link(person: SignedPerson, surface: string): Promise<NewSignIn> {
    return this.#add({ ...person, kind: 'link' }, { expires_at: this.#later(LINK_MS), surface })
  }

  async #add(person: SignedPerson & Pick<Session, 'kind'>, rest: End): Promise<NewSignIn> {
    const { store, ids } = this.#deps
    const secret = ids.secret()
    const session = await store.sessions.add({
      ...{ ...person, ...rest },
      ...{ id: ids.next('session'), digest: ids.digest(secret) },
    })
    return { secret, session }
  }

  /** True until a browser has opened it. */
  async isUnusedLink(link: string): Promise<boolean> {
    return (await this.#deps.store.sessions.find(this.#deps.ids.digest(link)))?.kind === 'link'
  }

  /** N2. `null` if the link is unknown, used or too old. */
  async redeem(link: string, surface: string): Promise<NewSignIn | null> {
    const { store, ids } = this.#deps
    const digest = ids.digest(link)
    const found = await store.sessions.find(digest)
    if (found === null || !(await this.#isProven(found))) return null
    const secret = ids.secret()
    const session = await store.sessions.redeem({
      ...{ digest, session_digest: ids.digest(secret) },
      ...{ expires_at: await this.#endOf(found), surface },
    })
    return session && { secret, session }
  }

  /** N1. `null` if it is unknown, has ended or expired, or if its token has. */
  async identify(secret: string): Promise<Session | null> {
    const { store, ids, clock } = this.#deps
    const session = await store.sessions.find(ids.digest(secret))
    if (session === null || !isOpenSession(session, clock.now())) return null
    return (await this.#isProven(session)) ? session : null
  }

  async end(session: Session, surface: string): Promise<void> {
    await this.#deps.store.sessions.end({ id: session.id, by: session.name, surface })
  }

  /** Ends all sessions and links of this name. */
  async endAll(name: string, author: { readonly by: string; readonly surface: string }): Promise<readonly Session[]> {
    return this.#deps.store.sessions.end({ name, ...author })
  }

  async #isProven({ proof }: SignedPerson): Promise<boolean> {
    if (proof.kind === 'provider') return true
    if (proof.kind === 'token') return (await this.#validToken(proof.digest)) !== null
    const { ids, ownerSecret } = this.#deps
    return ownerSecret !== null && ids.digest(ownerSecret) === proof.digest
  }

  async #validToken(digest: string): Promise<AccessToken | null> {
    const token = await this.#deps.store.access.find(digest)
    return token && isValidToken(token, this.#deps.clock.now()) ? token : null
  }

  async #endOf({ proof }: SignedPerson): Promise<string> {
    if (proof.kind === 'provider') return this.#later(PROVIDER_SESSION_MS)
    const latest = this.#later(TOKEN_SESSION_MS)
    const token = proof.kind === 'token' ? await this.#validToken(proof.digest) : null
    return token?.expires_at && token.expires_at < latest ? token.expires_at : latest
  }

  #later(ms: number): string {
    return new Date(this.#deps.clock.now() + ms).toISOString()
  }
}

interface End {
  readonly expires_at: string
  readonly surface: string
}

/** `digest` is of the token's secret. */
function personOf({ name, role }: AccessToken, digest: string): SignedPerson {
  return { name, role, groups: [], proof: { kind: 'token', digest } }
}
