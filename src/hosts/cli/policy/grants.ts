import { RefusedError } from '../../../core/errors.ts'
import type { Grant } from '../../../core/hold/grant.ts'
import { jsonLine } from '../../../core/text/json-line.ts'
import { visibleLine } from '../../../core/text/visible-text.ts'
import type { CommandContext } from '../../command/command.ts'
import { fullId } from '../../command/full-id.ts'
import { table } from '../../display/table.ts'
import { actor } from '../../process/actor.ts'
import { systemClock } from '../../process/system-clock.ts'
import { onlyWord, openForReading, refuseWords } from '../open-for-reading.ts'

export async function run(context: CommandContext): Promise<number> {
  const [verb, ...words] = context.given.words
  return verb === 'revoke' ? revoke(context, onlyWord(words, 'grants revoke GRANT')) : list(context)
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
  io.out(json ? jsonLine(grants.map(grantDocument)) : asText(grants))
  return 0
}

async function revoke(context: CommandContext, word: string): Promise<number> {
  const { io, json, env, given } = context
  const flag = ['all', 'agent', 'tool'].find(each => given.has(each))
  if (flag !== undefined)
    throw new RefusedError('invalid_arguments', `--${flag} is for the list; revoke takes one grant.`)
  await using app = await openForReading(context)
  const { grants } = app.holdpoint
  const id = await fullId(app.holdpoint, word)
  const before = (await grants.list({ all: true })).find(grant => grant.id === id)
  const grant = await grants.revoke(id, { by: actor(env), surface: 'cli' })
  const outcome = before?.revoked_at ? 'duplicate' : 'recorded'
  if (json) io.out(jsonLine({ outcome, grant: grantDocument(grant) } satisfies RevocationDocument))
  else io.out(`${visibleLine(`${id} (${grant.name}): revoked by ${grant.revoked_by} at ${grant.revoked_at}.`)}\n`)
  return 0
}

function asText(grants: readonly Grant[]): string {
  if (grants.length === 0) return 'Nothing is always allowed.\n'
  const head = ['GRANT', 'NAME', 'STATE', 'SCOPE', 'AGENT', 'TOOL', 'USES', 'BY', 'EXPIRES', 'COVERS']
  const cells = grants.map(grant => [
    grant.id,
    grant.name,
    stateOf(grant),
    grant.scope,
    grant.agent,
    grant.tool,
    String(grant.uses),
    grant.granted_by,
    grant.expires_at ?? (grant.scope === 'run' ? 'with its run' : 'never'),
    coverText(grant),
  ])
  return table(
    head,
    cells.map(row => row.map(visibleLine)),
  )
}

function stateOf({ revoked_at, revoked_by, expires_at }: Grant): string {
  if (revoked_at !== null) return `revoked by ${revoked_by}`
  return expires_at !== null && Date.parse(expires_at) <= systemClock.now() ? 'expired' : 'valid'
}

/** In full: these calls will not be asked about (P9). */
function coverText({ match, arguments: args }: Grant): string {
  return match === null ? `exactly ${JSON.stringify(args)}` : `like ${JSON.stringify(match)}`
}
