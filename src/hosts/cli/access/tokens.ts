import { RefusedError } from '../../../core/errors.ts'
import type { AccessToken } from '../../../core/people/access-token.ts'
import { ROLES } from '../../../core/people/role.ts'
import { durationText } from '../../../core/text/duration-text.ts'
import { jsonLine } from '../../../core/text/json-line.ts'
import { visibleLine } from '../../../core/text/visible-text.ts'
import type { CommandContext } from '../../command/command.ts'
import { oneOf } from '../../command/flag-values.ts'
import { fullId } from '../../command/full-id.ts'
import { timeAhead } from '../../command/time-values.ts'
import { openApp } from '../../compose/compose.ts'
import { ago } from '../../display/ago.ts'
import { screenFor } from '../../display/screen.ts'
import { type Column, plainTable, screenTable } from '../../display/table.ts'
import { actor } from '../../process/actor.ts'
import { systemClock } from '../../process/system-clock.ts'
import { makeProjectDirectory, readConfig } from '../../project/project.ts'
import { isDefaultStore, storeUrl } from '../../project/store-url.ts'
import { onlyWord, openForReading, refuseWords } from '../open-for-reading.ts'

/** A token under the key that all documents share. */
export interface TokenDocument extends AccessToken {
  /** The same as `id`. */
  readonly token_id: string
}

/** `secret` is told here alone. */
export interface AddedToken extends TokenDocument {
  readonly secret: string
}

type Verb = (context: CommandContext, words: readonly string[]) => Promise<number>

const VERBS: Readonly<Record<string, { readonly run: Verb; readonly flags: readonly string[] }>> = {
  add: { run: add, flags: ['role', 'expires'] },
  list: { run: list, flags: ['all'] },
  revoke: { run: revoke, flags: [] },
}

export async function run(context: CommandContext): Promise<number> {
  const [name = 'list', ...words] = context.given.words
  const verb = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined
  if (!verb) throw new RefusedError('invalid_arguments', 'Usage: holdpoint tokens [list] | add NAME | revoke TOKEN')
  const stray = ['role', 'expires', 'all'].find(flag => context.given.has(flag) && !verb.flags.includes(flag))
  if (stray) throw new RefusedError('invalid_arguments', `--${stray} does not go with \`holdpoint tokens ${name}\`.`)
  return verb.run(context, words)
}

async function add(context: CommandContext, words: readonly string[]): Promise<number> {
  const { given, env, directory, io, json } = context
  const name = onlyWord(words, 'tokens add NAME --role ROLE')
  const role = oneOf(given, 'role', ROLES)
  if (role === null)
    throw new RefusedError('invalid_arguments', 'It is not said what the token is for.', {
      hint: `Add --role, one of ${ROLES.join(', ')}; each has the rights of those before it.`,
    })
  const expires = given.value('expires')
  const expires_at = expires === null ? null : timeAhead(expires, 'expires', systemClock.now())
  const config = await readConfig(directory, env)
  const store = storeUrl(given.value('store'), env, config)
  if (isDefaultStore(store, config)) makeProjectDirectory(directory)
  await using app = await openApp({ store, directory, env })
  const { secret, token } = await app.holdpoint.tokens.add({ name, role, expires_at }, signed(context))
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
  io.out(json ? jsonLine(tokens.map(tokenDocument)) : asText(context, tokens))
  return 0
}

async function revoke(context: CommandContext, words: readonly string[]): Promise<number> {
  const { io, json } = context
  const named = onlyWord(words, 'tokens revoke TOKEN|NAME')
  await using app = await openForReading(context)
  const tokens = await app.holdpoint.tokens.revoke(await fullId(app.holdpoint, named), signed(context))
  if (json) io.out(jsonLine(tokens.map(tokenDocument)))
  else if (tokens.length === 0) io.out(`${visibleLine(named)} had no token, and is signed out of every browser.\n`)
  else
    for (const { id, name, revoked_by, revoked_at } of tokens)
      io.out(`${visibleLine(`${id} (${name}): revoked by ${revoked_by} at ${revoked_at}.`)}\n`)
  return 0
}

function signed({ env }: CommandContext): { readonly by: string; readonly surface: string } {
  return { by: actor(env), surface: 'cli' }
}

function tokenDocument(token: AccessToken): TokenDocument {
  return { token_id: token.id, ...token }
}

const COLUMNS: readonly Column[] = [
  { head: 'TOKEN' },
  { head: 'NAME', least: 8 },
  { head: 'ROLE' },
  { head: 'STATE', least: 8 },
  { head: 'BY', least: 6 },
  { head: 'CREATED', spare: true },
  { head: 'EXPIRES' },
]

function asText(context: CommandContext, tokens: readonly AccessToken[]): string {
  if (tokens.length === 0) return 'No tokens.\n'
  const screen = screenFor(context)
  const rows = tokens.map(token => cellsOf(token, screen?.now ?? null).map(visibleLine))
  if (!screen)
    return plainTable(
      COLUMNS.map(({ head }) => head),
      rows,
    )
  return screenTable(
    COLUMNS,
    rows.map(cells => ({ cells })),
    screen,
  )
}

/** `now` is `null` for programs: they get times as they are. */
function cellsOf(token: AccessToken, now: number | null): string[] {
  const { id, name, role, created_by, created_at, expires_at } = token
  const created = now === null ? created_at : ago(created_at, now)
  return [id, name, role, stateOf(token), created_by, created, endText(expires_at, now)]
}

function endText(expires_at: string | null, now: number | null): string {
  if (expires_at === null) return 'never'
  if (now === null) return expires_at
  const left = Date.parse(expires_at) - now
  return left > 0 ? `in ${durationText(left)}` : ago(expires_at, now)
}

function stateOf({ revoked_at, revoked_by, expires_at }: AccessToken): string {
  if (revoked_at !== null) return `revoked by ${revoked_by}`
  return expires_at !== null && Date.parse(expires_at) <= systemClock.now() ? 'expired' : 'valid'
}
