import { RefusedError } from '../../../core/errors.ts'
import type { Grant } from '../../../core/hold/grant.ts'
import { durationText } from '../../../core/text/duration-text.ts'
import { jsonLine } from '../../../core/text/json-line.ts'
import { visibleLine } from '../../../core/text/visible-text.ts'
import type { CommandContext } from '../../command/command.ts'
import { fullId } from '../../command/full-id.ts'
import { ago } from '../../display/ago.ts'
import { type Screen, screenFor } from '../../display/screen.ts'
import { type Cell, type Column, plainTable, screenTable } from '../../display/table.ts'
import { actor } from '../../process/actor.ts'
import { systemClock } from '../../process/system-clock.ts'
import { onlyWord, openForReading, refuseWords } from '../open-for-reading.ts'

export async function run(context: CommandContext): Promise<number> {
  const [verb, ...words] = context.given.words
  return verb === 'revoke' ? revoke(context, onlyWord(words, 'grants revoke GRANT|NAME')) : list(context)
}

/** A standing approval under the key that all documents share. */
export interface GrantDocument extends Grant {
  /** The same as `id`. */
  readonly grant_id: string
}

/** `duplicate`: it was revoked before. */
export interface RevocationDocument {
  readonly outcome: 'recorded' | 'duplicate'
  readonly grant: GrantDocument
}

function grantDocument(grant: Grant): GrantDocument {
  return { grant_id: grant.id, ...grant }
}

async function list(context: CommandContext): Promise<number> {
  const { given, io, json } = context
  refuseWords(given.words, 'grants')
  const asked = { agent: given.value('agent'), tool: given.value('tool') }
  const query = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== null))
  await using app = await openForReading(context)
  const grants = await app.holdpoint.grants.list({ ...query, all: given.has('all') })
  io.out(json ? jsonLine(grants.map(grantDocument)) : asText(context, grants))
  return 0
}

async function revoke(context: CommandContext, word: string): Promise<number> {
  const { io, json, env, given } = context
  const flag = ['all', 'agent', 'tool'].find(each => given.has(each))
  if (flag !== undefined)
    throw new RefusedError('invalid_arguments', `--${flag} is for the list; revoke takes one grant.`)
  await using app = await openForReading(context)
  const { grants } = app.holdpoint
  const all = await grants.list({ all: true })
  const before = named(all, await fullId(app.holdpoint, word))
  const id = before?.id ?? word
  const grant = await grants.revoke(id, { by: actor(env), surface: 'cli' })
  const outcome = before?.revoked_at ? 'duplicate' : 'recorded'
  if (json) io.out(jsonLine({ outcome, grant: grantDocument(grant) } satisfies RevocationDocument))
  else io.out(`${visibleLine(`${id} (${grant.name}): revoked by ${grant.revoked_by} at ${grant.revoked_at}.`)}\n`)
  return 0
}

/** A grant by its id, or by its name if no other one that is not revoked has it. @throws RefusedError `ambiguous_id` */
function named(grants: readonly Grant[], word: string): Grant | undefined {
  const byId = grants.find(({ id }) => id === word)
  if (byId) return byId
  const [found, ...others] = grants.filter(({ name, revoked_at }) => name === word && revoked_at === null)
  if (found === undefined || others.length === 0) return found
  const ids = [found, ...others].map(({ id }) => id)
  throw new RefusedError('ambiguous_id', `${ids.length} grants are named ${JSON.stringify(word)}.`, {
    hint: `Name one by its id: ${ids.slice(0, MOST_LISTED).join(', ')}${ids.length > MOST_LISTED ? ', …' : ''}.`,
    details: { ids: ids.slice(0, MOST_LISTED) },
  })
}

const MOST_LISTED = 10

const COLUMNS: readonly Column[] = [
  { head: 'GRANT' },
  { head: 'NAME', least: 8 },
  { head: 'STATE', least: 7 },
  { head: 'SCOPE' },
  { head: 'TOOL', least: 8 },
  { head: 'EXPIRES' },
  { head: 'AGENT', spare: true },
  { head: 'USES', spare: true },
  { head: 'BY', spare: true },
]

function asText(context: CommandContext, grants: readonly Grant[]): string {
  if (grants.length === 0) return 'Nothing is always allowed.\n'
  const screen = screenFor(context)
  if (screen) return grantScreen(grants, screen)
  const head = ['GRANT', 'NAME', 'STATE', 'SCOPE', 'AGENT', 'TOOL', 'USES', 'BY', 'EXPIRES', 'COVERS']
  const cells = grants.map(grant => [...shared(grant), grant.expires_at ?? endOf(grant), coverText(grant)])
  return plainTable(
    head,
    cells.map(row => row.map(visibleLine)),
  )
}

/** Two lines for each: what it covers is the second. */
function grantScreen(grants: readonly Grant[], screen: Screen): string {
  const rows = grants.map(grant => {
    const { id, name, scope, agent, tool, uses, granted_by, expires_at } = grant
    const expires = expires_at === null ? endOf(grant) : whenExpires(expires_at, screen.now)
    const texts = [name, stateOf(grant), scope, tool, expires, agent, String(uses), granted_by]
    const head: Cell = { text: visibleLine(id), style: 'bold' }
    return { cells: [head, ...texts.map(visibleLine)], below: visibleLine(coverText(grant)) }
  })
  return screenTable(COLUMNS, rows, screen)
}

function shared(grant: Grant): string[] {
  const { id, name, scope, agent, tool, uses, granted_by } = grant
  return [id, name, stateOf(grant), scope, agent, tool, String(uses), granted_by]
}

function endOf({ scope }: Grant): string {
  return scope === 'run' ? 'with its run' : 'never'
}

function whenExpires(time: string, now: number): string {
  const left = Date.parse(time) - now
  return left > 0 ? `in ${durationText(left)}` : ago(time, now)
}

function stateOf({ revoked_at, revoked_by, expires_at }: Grant): string {
  if (revoked_at !== null) return `revoked by ${revoked_by}`
  return expires_at !== null && Date.parse(expires_at) <= systemClock.now() ? 'expired' : 'valid'
}

/** In full: these calls will not be asked about (P9). */
function coverText({ match, arguments: args }: Grant): string {
  return match === null ? `exactly ${JSON.stringify(args)}` : `like ${JSON.stringify(match)}`
}
