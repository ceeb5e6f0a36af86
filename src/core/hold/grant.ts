import type { Amount } from '../count.ts'
import { canonicalJson, type JsonObject } from '../text/json.ts'
import type { MaybeUnreadable } from '../unreadable.ts'

/** How far a standing approval reaches: the run, its thread, or the whole store. */
export type GrantScope = (typeof GRANT_SCOPES)[number]

export const GRANT_SCOPES = ['run', 'thread', 'project'] as const

/** "Always allow", as a request along with an approval. */
export interface GrantInput {
  readonly name: string
  readonly scope: GrantScope
  /** ISO time. Default: 30 days from now; a grant for a run ends with it. */
  readonly expires_at?: string | null
  /** Argument name to glob, read as in a policy rule. Default: exactly the arguments that were approved. */
  readonly match?: Readonly<Record<string, string>> | null
}

/** A standing approval: what it covers runs without asking, until it expires or is revoked. Never for destructive tools that are not `grantable`. */
export interface Grant extends MaybeUnreadable {
  readonly id: string
  readonly name: string
  readonly scope: GrantScope
  /** The run, the thread, or the directory of the project; empty if a project has none. */
  readonly scope_id: string
  /** The agent that it covers: no child inherits it. */
  readonly agent: string
  readonly tool: string
  /** Exactly these, or `null` if `match` decides. */
  readonly arguments: JsonObject | null
  readonly match: Readonly<Record<string, string>> | null
  /**
   * The directory of the call: elsewhere, exact arguments mean something else. A grant of an older Holdpoint has none.
   */
  readonly workdir?: string
  /** `sha256:` of the tool's schema as it was: a tool that takes other arguments is another one. */
  readonly schema_digest: string
  /** The hold whose approval brought it about. */
  readonly hold_id: string
  readonly granted_by: string
  readonly surface: string
  /** ISO times. */
  readonly granted_at: string
  readonly expires_at: string | null
  readonly revoked_at: string | null
  readonly revoked_by: string | null
  /** How many calls it let pass. */
  readonly uses: Amount
}

/** A standing approval as it is put on record. */
export type NewGrant = Omit<Grant, 'revoked_at' | 'revoked_by' | 'uses' | 'unreadable'>

/** The whole grant as one text: its digest is recorded (P10). */
export function grantText(grant: NewGrant): string {
  const { id, name, scope, scope_id, agent, tool, arguments: args, match, schema_digest, hold_id, ...given } = grant
  const { granted_by, surface, granted_at, workdir } = given
  const expires_at = given.expires_at === null ? null : new Date(given.expires_at).toISOString()
  const covered = {
    name,
    scope,
    scope_id,
    agent,
    tool,
    arguments: args,
    match,
    schema_digest,
    expires_at,
    ...(workdir !== undefined && { workdir }),
  }
  return canonicalJson({ id, ...covered, hold_id, granted_by, surface, granted_at })
}
