import type { AccessToken } from '../../../core/people/access-token.ts'
import { ROLES } from '../../../core/people/role.ts'
import { jsonLine, visibleLine } from '../../../core/text/visible-text.ts'
import type { CommandContext } from '../../command/command.ts'
import { oneOf, timeAhead } from '../../command/flag-values.ts'
import { fullId } from '../../command/full-id.ts'
import { openApp } from '../../compose/compose.ts'
import { ago, stateOf, whenExpires } from '../../display/ago.ts'
import { type List, listText } from '../../display/list.ts'
import { ownSecret, SERVER_TOKEN } from '../../listening/own-secret.ts'
import { signer } from '../../process/actor.ts'
import { systemClock } from '../../process/system-clock.ts'
import { makeProjectDirectory, readConfig } from '../../project/project.ts'
import { isDefaultStore, storeUrl } from '../../project/store-url.ts'
import { argumentRefusals } from '../../refusals/argument-refusals.ts'
import { serverRefusals } from '../../refusals/server-refusals.ts'
import { onlyWord, openForReading, refuseAgentHere, refuseWords } from '../open-for-reading.ts'

/** A token under the key that all documents share. */
export interface TokenDocument extends AccessToken {
  /** Equal to `id`. */
  readonly token_id: string
}

/** Only this document has the `secret`. */
export interface AddedToken extends TokenDocument {
  readonly secret: string
}

type Verb = (context: CommandContext, words: readonly string[]) => Promise<number>

const VERBS: Readonly<Record<string, { readonly run: Verb; readonly flags: readonly string[] }>> = {
  add: { run: add, flags: ['role', 'expires'] },
  list: { run: list, flags: ['all'] },
  revoke: { run: revoke, flags: [] },
  own: { run: ownToken, flags: [] },
}

export async function run(context: CommandContext): Promise<number> {
  const [name = 'list', ...words] = context.given.words
  const verb = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined
  if (!verb) throw argumentRefusals.usage('tokens [list] | add NAME | revoke TOKEN | own')
  const stray = ['role', 'expires', 'all'].find(flag => context.given.has(flag) && !verb.flags.includes(flag))
  if (stray) throw argumentRefusals.strayFlag(stray, `tokens ${name}`)
  return verb.run(context, words)
}

async function add(context: CommandContext, words: readonly string[]): Promise<number> {
  const { given, env, directory, io, json } = context
  const name = onlyWord(words, 'tokens add NAME --role ROLE')
  const role = oneOf(given, 'role', ROLES)
  if (role === null) throw argumentRefusals.noRole(ROLES)
  const expires = given.value('expires')
  const expires_at = expires === null ? null : timeAhead(expires, 'expires', systemClock.now())
  const config = await readConfig(directory, env)
  const store = storeUrl(given.value('store'), env, config)
  if (isDefaultStore(store, config)) makeProjectDirectory(directory)
  await using app = await openApp({ store, directory, env })
  const { secret, token } = await app.holdpoint.tokens.add({ name, role, expires_at }, signer(context.env))
  if (json) {
    io.out(jsonLine({ ...tokenDocument(token), secret } satisfies AddedToken))
    return 0
  }
  // The secret alone is stdout, so that a script can take it.
  io.err(`${visibleLine(`${token.id}: ${name} may use the server as ${role}${untilText(token)}.`)}\n`)
  io.err('The token is shown only now; keep it like a password:\n')
  io.out(`${secret}\n`)
  return 0
}

function untilText({ expires_at }: AccessToken): string {
  return expires_at === null ? '' : ` until ${expires_at}`
}

async function list(context: CommandContext, words: readonly string[]): Promise<number> {
  const { given, io, json } = context
  refuseWords(words, 'tokens list')
  await using app = await openForReading(context)
  const tokens = await app.holdpoint.tokens.list({ all: given.has('all') })
  io.out(json ? jsonLine(tokens.map(tokenDocument)) : listText(context, tokens, TOKENS))
  return 0
}

async function revoke(context: CommandContext, words: readonly string[]): Promise<number> {
  const { io, json } = context
  const named = onlyWord(words, 'tokens revoke TOKEN|NAME')
  await using app = await openForReading(context)
  const tokens = await app.holdpoint.tokens.revoke(await fullId(app.holdpoint, named), signer(context.env))
  if (json) io.out(jsonLine(tokens.map(tokenDocument)))
  else if (tokens.length === 0) io.out(`${visibleLine(named)} had no token, and is signed out of every browser.\n`)
  else
    for (const { id, name, revoked_by, revoked_at } of tokens)
      io.out(`${visibleLine(`${id} (${name}): revoked by ${revoked_by} at ${revoked_at}.`)}\n`)
  return 0
}

function tokenDocument(token: AccessToken): TokenDocument {
  return { token_id: token.id, ...token }
}

const TOKENS: List<AccessToken> = {
  empty: 'No tokens.\n',
  plain: {
    TOKEN: token => token.id,
    NAME: token => token.name,
    ROLE: token => token.role,
    STATE: stateOf,
    BY: token => token.created_by,
    CREATED: token => token.created_at,
    EXPIRES: token => token.expires_at ?? 'never',
  },
  screen: [
    { head: 'TOKEN', value: token => token.id },
    { head: 'NAME', least: 8, value: token => token.name },
    { head: 'ROLE', value: token => token.role },
    { head: 'STATE', least: 8, value: stateOf },
    { head: 'BY', least: 6, value: token => token.created_by },
    { head: 'CREATED', spare: true, value: (token, now) => ago(token.created_at, now) },
    { head: 'EXPIRES', value: (token, now) => whenExpires(token.expires_at, now) ?? 'never' },
  ],
}

/** The token of the owner. */
export interface OwnTokenDocument {
  readonly secret: string
  /** The variable or the file that has it. */
  readonly place: string
}

/** Prints it, and makes it if there is none yet. @throws RefusedError in a command of an agent */
async function ownToken(context: CommandContext, words: readonly string[]): Promise<number> {
  const { env, directory, io, json } = context
  refuseWords(words, 'tokens own')
  await refuseAgentHere(context, serverRefusals.tokenOfPerson)
  const own: OwnTokenDocument = ownSecret(SERVER_TOKEN, directory, env)
  io.out(json ? jsonLine(own) : `${own.secret}\n`)
  return 0
}
