import { RefusedError } from '../../core/errors.ts'
import type { DecisionInput } from '../../core/hold/decision.ts'
import { GRANT_SCOPES, type GrantInput, type GrantScope, type NewGrant } from '../../core/hold/grant.ts'
import type { Hold } from '../../core/hold/hold.ts'
import type { Run } from '../../core/journal/thread.ts'
import { isAgentActor, isToldByAgent } from '../../core/people/agent-actor.ts'
import { DAY_SECONDS } from '../../core/people/due.ts'
import { holdRefusals } from '../../core/refusals/hold-refusals.ts'
import type { Profile } from '../../core/run/profile.ts'
import { canonicalJson, isJsonObject, type JsonObject } from '../../core/text/json.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import type { Runtime } from '../../ports/runtime.ts'
import { loadAgent } from '../foreign/load-agent.ts'
import { coversCall, mayBeGranted } from '../gate/standing-grant.ts'
import { POLICY_GATE } from '../policy/policy-gate.ts'
import { newestRun } from '../views/profile-of.ts'

type Granting = DecisionInput & { readonly grant: GrantInput }

/** The standing grant that an approval carries. @throws RefusedError if it may carry none */
export async function readyGrant(runtime: Runtime, hold: Hold, decision: Granting): Promise<NewGrant> {
  const now = await runtime.store.now()
  const problem = PROBLEMS.find(([has]) => has(hold, decision, now))
  if (problem) throw invalid(hold, problem[1])
  refuseUnknownArguments(hold, decision.grant.match ?? null)
  const run = await newestRun(runtime, hold.thread_id)
  const asked = run.holds.get(hold.id)
  if (asked && asked.plugin !== POLICY_GATE) throw invalid(hold, NOT_THE_POLICY)
  if (hold.destructive && !(await isGrantable(runtime, hold, run))) throw invalid(hold, DESTRUCTIVE)
  const { name, scope, match = null } = decision.grant
  const args = approvedArguments(hold, decision)
  if (match !== null) await refuseMissing(runtime, { hold, run, args, match })
  return {
    id: runtime.ids.next('grant'),
    name: name.trim(),
    scope,
    scope_id: SCOPE_IDS[scope](hold, run),
    agent: hold.agent,
    tool: hold.tool ?? '',
    arguments: match === null ? args : null,
    match,
    ...(match === null && { workdir: run.profile.workdir }),
    schema_digest: runtime.ids.digest(canonicalJson(hold.tool_schema)),
    hold_id: hold.id,
    granted_by: decision.decided_by,
    surface: decision.surface,
    granted_at: new Date(now).toISOString(),
    expires_at: expiryOf(decision.grant, now),
  }
}

/** P1: a grant replaces the policy's question. A plugin may ask other people than the policy would. */
const NOT_THE_POLICY = 'it was not the policy that asked, but a plugin or the tool itself, which asks each time'

const DESTRUCTIVE = 'what the tool does cannot be taken back (it is marked destructive), so each call is asked about'

async function isGrantable(runtime: Runtime, hold: Hold, { profile }: Run): Promise<boolean> {
  const tool = await toolNow(runtime, hold, profile)
  return tool !== undefined && mayBeGranted(tool)
}

async function toolNow(runtime: Runtime, { tool }: Hold, profile: Profile): Promise<Tool | undefined> {
  return (await loadAgent(runtime, profile, { needs: [tool ?? ''] })).tools.get(tool ?? '')
}

interface Matching {
  readonly hold: Hold
  readonly run: Run
  readonly args: JsonObject
  readonly match: Readonly<Record<string, string>>
}

/** A pattern that misses the approved call is misspelled, or is read otherwise than the approver thinks. */
async function refuseMissing(runtime: Runtime, { hold, run: { profile }, args, match }: Matching): Promise<void> {
  const tool = await toolNow(runtime, hold, profile).catch(elsewhere)
  if (!tool || (await coversCall({ arguments: null, match }, { tool, args, ruled: profile }))) return
  const asked = Object.fromEntries(Object.keys(match).map(name => [name, args[name] ?? null]))
  throw invalid(
    hold,
    `its match ${JSON.stringify(match)} does not cover this call itself, which has ${JSON.stringify(asked)}`,
  )
}

/** Agents of a program can be decided about where they are not defined. */
function elsewhere(thrown: unknown): undefined {
  if (!(thrown instanceof RefusedError)) throw thrown
}

const SCOPE_IDS: Record<GrantScope, (hold: Hold, run: Run) => string> = {
  run: ({ run_id }) => run_id,
  thread: ({ thread_id }) => thread_id,
  project: (_, { profile }) => profile.project ?? '',
}

const USUAL_DAYS = 30

function expiryOf({ scope, expires_at }: GrantInput, now: number): string | null {
  if (expires_at) return new Date(expires_at).toISOString()
  return scope === 'run' ? null : new Date(now + USUAL_DAYS * DAY_SECONDS * 1000).toISOString()
}

function approvedArguments(hold: Hold, { verdict, arguments: edited }: Granting): JsonObject {
  const args = verdict === 'edit' ? edited : hold.arguments
  return typeof args === 'object' && args !== null ? args : {}
}

/** P1: with a misspelled `expires_at` it would be in force for longer than was meant. */
const GRANT_FIELDS: readonly string[] = ['name', 'scope', 'expires_at', 'match'] satisfies (keyof GrantInput)[]

type Problem = readonly [has: (hold: Hold, decision: Granting, now: number) => boolean, what: string]

const PROBLEMS: readonly Problem[] = [
  [({ kind, tool }) => kind !== 'approval' || tool === null, 'only the approval of a tool call can be given for good'],
  [(_, { verdict }) => verdict !== 'approve' && verdict !== 'edit', 'it comes with no approval'],
  [
    ({ resume_mode }) => resume_mode === 'use_decision_as_tool_result',
    'the call never runs: its result is the decision itself',
  ],
  [({ deciders }) => (deciders?.quorum ?? 1) > 1, 'several people must approve each call'],
  [(_, { decided_by }) => isAgentActor(decided_by), 'agents grant nothing'],
  [
    ({ requesters }, { grant }) => grant.scope === 'project' && isToldByAgent(requesters),
    'an agent told this one what to do, so it holds for this run or session at most',
  ],
  [
    (_, { grant }) => Object.keys(grant).some(name => !GRANT_FIELDS.includes(name)),
    `it takes ${GRANT_FIELDS.join(', ')}, and nothing else`,
  ],
  [(_, { grant }) => typeof grant.name !== 'string' || grant.name.trim() === '', 'it has no name'],
  [(_, { grant }) => !GRANT_SCOPES.includes(grant.scope), `its scope is not one of ${GRANT_SCOPES.join(', ')}`],
  [
    (_, { grant }, now) => !isLater(grant.expires_at ?? null, now),
    'its expires_at is no ISO time that is still to come',
  ],
  [(_, { grant }) => !isMatch(grant.match ?? null), 'its match is not argument names with a pattern each'],
]

function isLater(time: unknown, now: number): boolean {
  return time === null || (typeof time === 'string' && Date.parse(time) > now)
}

/** A match that names no argument would cover every call. */
function isMatch(match: unknown): boolean {
  if (match === null) return true
  const patterns = isJsonObject(match as JsonObject) ? Object.values(match as JsonObject) : []
  return patterns.length > 0 && patterns.every(pattern => typeof pattern === 'string')
}

/** A pattern on an argument that the tool does not have would never match, and look like a limit. */
function refuseUnknownArguments(hold: Hold, match: Readonly<Record<string, string>> | null): void {
  const schema = hold.tool_schema
  const known = schema?.['properties']
  const isOpen = (schema?.['additionalProperties'] ?? false) !== false || schema?.['patternProperties'] !== undefined
  if (match === null || !isJsonObject(known) || isOpen) return
  const unknown = Object.keys(match).find(name => !Object.hasOwn(known, name))
  if (unknown === undefined) return
  const all = Object.keys(known).join(', ') || 'none'
  throw invalid(
    hold,
    `its match names ${JSON.stringify(unknown)}, and ${hold.tool} has no such argument (it has: ${all})`,
  )
}

function invalid({ id }: Hold, what: string): RefusedError {
  return holdRefusals.invalidGrant(id, what)
}
