import type { Grant } from '../../../core/hold/grant.ts'
import { jsonLine, visibleLine } from '../../../core/text/visible-text.ts'
import type { CommandContext } from '../../command/command.ts'
import { timeAhead } from '../../command/flag-values.ts'
import type { Given } from '../../command/flags.ts'
import { fullId } from '../../command/full-id.ts'
import { stateOf, whenExpires } from '../../display/ago.ts'
import { type List, listText } from '../../display/list.ts'
import { signer } from '../../process/actor.ts'
import { systemClock } from '../../process/system-clock.ts'
import { argumentRefusals } from '../../refusals/argument-refusals.ts'
import { policyRefusals } from '../../refusals/policy-refusals.ts'
import { onlyWord, openForReading, refuseWords } from '../open-for-reading.ts'
import { matchIn } from './grant-flags.ts'

export async function run(context: CommandContext): Promise<number> {
  const [verb, ...words] = context.given.words
  if (verb === 'add') return addGrant(context, words)
  return verb === 'revoke' ? revoke(context, onlyWord(words, 'grants revoke GRANT|NAME')) : list(context)
}

/** `duplicate`: it was revoked before. */
export interface RevocationDocument {
  readonly outcome: 'recorded' | 'duplicate'
  readonly grant: GrantDocument
}

async function list(context: CommandContext): Promise<number> {
  const { given, io, json } = context
  refuseWords(given.words, 'grants')
  const flag = ['match', 'expires'].find(each => given.has(each))
  if (flag !== undefined) throw policyRefusals.flagOfGrantsAdd(flag)
  const asked = { agent: given.value('agent'), tool: given.value('tool') }
  const query = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== null))
  await using app = await openForReading(context)
  const grants = await app.holdpoint.grants.list({ ...query, all: given.has('all') })
  io.out(json ? jsonLine(grants.map(grantDocument)) : listText(context, grants, GRANTS))
  return 0
}

async function revoke(context: CommandContext, word: string): Promise<number> {
  const { io, json, env, given } = context
  const flag = ['all', 'agent', 'tool', 'match', 'expires'].find(each => given.has(each))
  if (flag !== undefined) throw policyRefusals.flagWithRevoke(flag)
  await using app = await openForReading(context)
  const { grants } = app.holdpoint
  const all = await grants.list({ all: true })
  const before = named(all, await fullId(app.holdpoint, word))
  const id = before?.id ?? word
  const grant = await grants.revoke(id, signer(env))
  const outcome = before?.revoked_at ? 'duplicate' : 'recorded'
  if (json) io.out(jsonLine({ outcome, grant: grantDocument(grant) } satisfies RevocationDocument))
  else io.out(`${visibleLine(`${id} (${grant.name}): revoked by ${grant.revoked_by} at ${grant.revoked_at}.`)}\n`)
  return 0
}

/** A grant by its id, or by its name if no other one that is not revoked has it. @throws RefusedError `ambiguous_id` */
function named(grants: readonly Grant[], word: string): Grant | undefined {
  const byId = grants.find(({ id }) => id === word)
  if (byId) return byId
  const [grant, ...others] = grants.filter(({ name, revoked_at }) => name === word && revoked_at === null)
  if (grant === undefined || others.length === 0) return grant
  const ids = [grant, ...others].map(({ id }) => id)
  throw argumentRefusals.severalGrants(word, ids.length, ids.slice(0, MOST_LISTED))
}

const MOST_LISTED = 10

/** In a terminal two lines for each: what it covers is the second. */
const GRANTS: List<Grant> = {
  empty: 'Nothing is always allowed.\n',
  plain: {
    GRANT: grant => grant.id,
    NAME: grant => grant.name,
    STATE: stateOf,
    SCOPE: grant => grant.scope,
    AGENT: grant => grant.agent,
    TOOL: grant => grant.tool,
    USES: grant => grant.uses,
    BY: grant => grant.granted_by,
    EXPIRES: grant => grant.expires_at ?? endOf(grant),
    COVERS: coverText,
  },
  screen: [
    { head: 'GRANT', value: grant => grant.id, style: 'bold' },
    { head: 'NAME', least: 8, value: grant => grant.name },
    { head: 'STATE', least: 7, value: stateOf },
    { head: 'SCOPE', value: grant => grant.scope },
    { head: 'TOOL', least: 8, value: grant => grant.tool },
    { head: 'EXPIRES', value: (grant, now) => whenExpires(grant.expires_at, now) ?? endOf(grant) },
    { head: 'AGENT', spare: true, value: grant => grant.agent },
    { head: 'USES', spare: true, value: grant => grant.uses },
    { head: 'BY', spare: true, value: grant => grant.granted_by },
  ],
  below: grant => visibleLine(coverText(grant)),
}

function endOf({ scope }: Grant): string {
  return scope === 'run' ? 'with its run' : 'never'
}

/** In full: these calls will not be asked about (P9). */
function coverText({ match, arguments: args }: Grant): string {
  return match === null ? `exactly ${JSON.stringify(args)}` : `like ${JSON.stringify(match)}`
}

/** `grants add`: switches on a rule that `policy suggest` named. */
async function addGrant(context: CommandContext, [name, ...more]: readonly string[]): Promise<number> {
  const { given, io, json, env } = context
  const [agent, tool, match] = [given.value('agent'), given.value('tool'), matchIn(given.values('match'))]
  if (more.length > 0 || agent === null || tool === null || match === null)
    throw argumentRefusals.usage(ADD_USAGE, ADD_HINT)
  await using app = await openForReading(context)
  const rule = { agent, tool, match, ...(name !== undefined && { name }), ...expiryIn(given) }
  const grant = await app.holdpoint.grants.add(rule, signer(env))
  if (json) io.out(jsonLine(grantDocument(grant)))
  else
    io.out(
      `${visibleLine(`${grant.id} (${grant.name}): ${agent} may call ${tool} like this without asking until ${grant.expires_at}. \`holdpoint grants revoke ${grant.id}\` takes it back.`)}\n`,
    )
  return 0
}

function expiryIn(given: Given): { readonly expires_at?: string } {
  const expires = given.value('expires')
  return expires === null ? {} : { expires_at: timeAhead(expires, 'expires', systemClock.now()) }
}

const ADD_USAGE = 'grants add [NAME] --agent NAME --tool NAME --match ARG=GLOB [--expires TIME]'
const ADD_HINT = '`holdpoint policy suggest` prints such commands. Quote each pattern as one word.'

/** A standing approval under the key that all documents share. */
export interface GrantDocument extends Grant {
  /** Equal to `id`. */
  readonly grant_id: string
}

function grantDocument(grant: Grant): GrantDocument {
  return { grant_id: grant.id, ...grant }
}
