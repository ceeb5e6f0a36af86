import { type RefusedError, unknown } from '../../core/errors.ts'
import { A_FLAG, A_NAME, A_TIME, checkFields, checkValue, oneWordOf, orNothing } from '../../core/given-fields.ts'
import { type AccessToken, isSignableName, isValidToken } from '../../core/people/access-token.ts'
import { isAgentActor } from '../../core/people/agent-actor.ts'
import { ROLES } from '../../core/people/role.ts'
import { isSamePerson } from '../../core/people/same-person.ts'
import { settingRefusals } from '../../core/refusals/setting-refusals.ts'
import { visibleLine } from '../../core/text/visible-text.ts'
import type { Runtime } from '../../ports/runtime.ts'
import type { TokenAuthor, TokenOptions, Tokens } from '../face/tokens.ts'

const OPTIONS = { name: A_NAME, role: oneWordOf(ROLES), expires_at: orNothing(A_TIME) }

export class RuntimeTokens implements Tokens {
  readonly #runtime: Runtime

  constructor(runtime: Runtime) {
    this.#runtime = runtime
  }

  async add(
    options: TokenOptions,
    author: TokenAuthor,
  ): Promise<{ readonly secret: string; readonly token: AccessToken }> {
    const { name, role, expires_at = null } = this.#checked(options)
    const { store, ids } = this.#runtime
    await this.#refuseLookAlike(name)
    const secret = ids.secret()
    const token = await store.access.add({
      ...{ id: ids.next('token'), name, role, digest: ids.digest(secret) },
      ...{ expires_at: expires_at && new Date(expires_at).toISOString() },
      ...byPerson('tokens.add', author),
    })
    return { secret, token }
  }

  /** Decisions made with the new token would look like those of another person. */
  async #refuseLookAlike(name: string): Promise<void> {
    const other = (await this.list()).find(token => token.name !== name && isSamePerson(token.name, name))
    if (other) throw looksAlike(name, other.name)
  }

  #checked(options: TokenOptions): TokenOptions {
    const { name, role, expires_at = null } = checkFields('tokens.add', options, OPTIONS)
    checkValue('The name of a token', name, A_NAME)
    checkValue('The role of a token', role, OPTIONS.role)
    if (!isSignableName(name)) throw settingRefusals.unusableName(name)
    if (expires_at !== null && Date.parse(expires_at) <= this.#runtime.clock.now())
      throw settingRefusals.tokenExpired(expires_at)
    return options
  }

  async list({ all = false }: { readonly all?: boolean } = {}): Promise<readonly AccessToken[]> {
    checkFields('tokens.list', { all }, { all: A_FLAG })
    const tokens = await this.#runtime.store.access.list()
    const now = this.#runtime.clock.now()
    return all ? tokens : tokens.filter(token => isValidToken(token, now))
  }

  async revoke(idOrName: string, author: TokenAuthor): Promise<readonly AccessToken[]> {
    const by = byPerson('tokens.revoke', author)
    const named = (await this.list({ all: true })).filter(({ id, name }) => id === idOrName || name === idOrName)
    // N1: it names a person, who may be signed in by other ways than a token.
    const ended = named.some(({ id }) => id === idOrName)
      ? []
      : await this.#runtime.store.sessions.end({ name: idOrName, ...by })
    if (named.length === 0 && ended.length === 0) throw unknownToken(idOrName)
    const revoked = await Promise.all(named.map(({ id }) => this.#runtime.store.access.revoke({ id, ...by })))
    return revoked.filter(token => token !== null)
  }

  async identify(secret: string): Promise<AccessToken | null> {
    const { store, ids, clock } = this.#runtime
    const token = await store.access.find(ids.digest(secret))
    return token && isValidToken(token, clock.now()) ? token : null
  }
}

function byPerson(verb: string, author: TokenAuthor): TokenAuthor {
  const { by, surface } = checkFields(verb, author, { by: A_NAME, surface: A_NAME })
  checkValue(`\`by\` of ${verb}`, by, A_NAME)
  checkValue(`\`surface\` of ${verb}`, surface, A_NAME)
  if (!isAgentActor(by)) return { by, surface }
  throw settingRefusals.agentCannotAddToken(by)
}

function looksAlike(name: string, other: string): RefusedError {
  const shown = [name, other].map(text => JSON.stringify(visibleLine(text)))
  return settingRefusals.nameLooksAlike(shown)
}

function unknownToken(idOrName: string): RefusedError {
  return unknown('unknown_token', 'token', { id: idOrName, find: 'find_token' })
}
