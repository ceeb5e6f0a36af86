import type { Grant } from '../../core/hold/grant.ts'
import { isToldByAgent } from '../../core/people/agent-actor.ts'
import type { Policy } from '../../core/policy/policy.ts'
import { isoTime } from '../../core/text/iso-time.ts'
import { canonicalJson, type JsonObject } from '../../core/text/json.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import type { Ids } from '../../ports/ids.ts'
import { boundSchema, declaredSchema } from '../definitions/bound-schema.ts'
import { type Ruled, rulingOn } from '../policy/ruling.ts'
import type { Gated, GateSession } from './gate-session.ts'

/** A call as a grant may cover it. */
export interface Coverable {
  readonly tool: Tool
  readonly args: JsonObject
  readonly ruled: Ruled
  /** P10: whether the grant is as its records say. Default: it is. */
  readonly isAsGiven?: (grant: Grant) => Promise<boolean>
}

/** The standing grant that covers a call which policy would ask about, or `null`. */
export async function standingGrant(session: GateSession, { call, tool }: Gated): Promise<Grant | null> {
  const { final_arguments: args } = call
  if (typeof args === 'string') return null
  const isAsGiven = (grant: Grant) => isUnaltered(session, grant)
  return grantAmong(() => validGrants(session, tool), { tool, args, ruled: session.run.profile, isAsGiven })
}

/**
 * The first that covers the call. None lifts `never`, nor what always asks; none is for a destructive tool whose effect is
 * not in its arguments, or for a call that waits for an answer rather than for leave.
 */
export async function grantAmong(grants: () => Promise<readonly Grant[]>, coverable: Coverable): Promise<Grant | null> {
  const { tool, args, ruled, isAsGiven = async () => true } = coverable
  if (!mayBeGranted(tool) || tool.asks) return null
  const ruling = await rulingOn(ruled, tool, args)
  // P1: a link was perhaps made since: the grant is for the place and the program that its words name.
  if (ruling.verdict !== 'prompt' || ruling.binding || ruling.astray !== null) return null
  for (const grant of await grants()) if ((await coversCall(grant, coverable)) && (await isAsGiven(grant))) return grant
  return null
}

/** P1, P10: a row that was changed by hand allows nothing. */
async function isUnaltered({ runtime }: GateSession, { id }: Grant): Promise<boolean> {
  return (await runtime.store.grantFault(id)) === null
}

/** P1: an effect that cannot be taken back may be allowed for good only if policy sees all of it. */
export function mayBeGranted({ destructive, grantable = false }: Tool): boolean {
  return !destructive || grantable
}

/** Whether the grant by which a call was let pass still is one, and may be one for its tool as that is now. */
export async function stillGranted(session: GateSession, { call: { grant_id }, tool }: Gated): Promise<boolean> {
  if (grant_id === null) return true
  if (!mayBeGranted(tool)) return false
  const grant = (await validGrants(session, tool)).find(({ id }) => id === grant_id)
  return grant !== undefined && (await isUnaltered(session, grant))
}

/**
 * Grants of this agent, in these scopes, for this tool as it is now. Grants of an older Holdpoint bind no code of the
 * tool.
 */
async function validGrants({ runtime, run, thread }: GateSession, tool: Tool): Promise<readonly Grant[]> {
  const { agent, project } = run.profile
  const valid_at = isoTime(await runtime.store.now())
  // A child never inherits its parent's standing grants: the parent may have instructed it to do anything.
  const places = { run: run.id, thread: thread.id, project: isToldByAgent(run.requesters) ? null : (project ?? '') }
  const grants = await runtime.store.grants({ agent, tool: tool.name, valid_at })
  // P1: a damaged grant allows nothing, and holds up no call that another one covers.
  const here = grants.filter(({ scope, scope_id, unreadable }) => !unreadable && places[scope] === scope_id)
  return forToolNow(here, tool, runtime.ids)
}

/** The grants for the tool as it is now. */
export function forToolNow(grants: readonly Grant[], tool: Tool, ids: Pick<Ids, 'digest'>): readonly Grant[] {
  if (grants.length === 0) return []
  const digests = [boundSchema, declaredSchema].map(schema => ids.digest(canonicalJson(schema(tool))))
  return grants.filter(({ schema_digest }) => digests.includes(schema_digest))
}

/** Patterns are read as those of a policy: a command that does more than it seems to is not covered. */
export async function coversCall(
  { arguments: exact, match, workdir }: Pick<Grant, 'arguments' | 'match' | 'workdir'>,
  { tool, args, ruled }: Coverable,
): Promise<boolean> {
  // P1: `rm -rf build` is another call in another directory.
  const isHere = workdir === undefined || workdir === ruled.workdir
  if (match === null) return isHere && canonicalJson(exact) === canonicalJson(args)
  // P1: the tool's own word never lifts a default of never, so that nothing but the pattern lets a call pass.
  const policy: Policy = {
    default: 'never',
    tools: {},
    rules: [{ tool: tool.name, match, policy: 'auto' }],
    on_never: 'pause',
  }
  return (await rulingOn({ ...ruled, policy }, tool, args)).verdict === 'auto'
}
