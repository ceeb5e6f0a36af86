/** P10: the record of a decision, and of the policy that it overrules. */
import type { Decision, DecisionVerdict } from '../hold/decision.ts'
import { grantText, type NewGrant } from '../hold/grant.ts'
import type { EventData } from '../journal/event.ts'
import { isNever } from '../policy/refused-words.ts'
import type { Json, JsonObject } from '../text/json.ts'

/** Facts that an event does not carry. Each answer costs a look into the store, so ask only if it matters. */
export interface AuditContext {
  /** How the hold was opened. */
  opened(holdId: string): Pick<EventData['hold.opened'], 'because' | 'plugin'> | null
  /** The arguments that were asked about. */
  asked(holdId: string): Json
  /** `sha256:` of the text. Without it, grants are on record by name alone. */
  digest?(text: string): string
}

interface DecidedHold {
  readonly hold_id: string
  readonly call_id: string | null
  readonly decision: Decision
}

/** The decider and the surface of a decision, and the hold and the call that it is about. */
export function byDecision({ hold_id, call_id, decision }: DecidedHold): {
  readonly [K in 'hold_id' | 'call_id' | 'actor' | 'surface']: string | null
} {
  return { hold_id, call_id, actor: decision.decided_by, surface: decision.surface }
}

/** The decision without the answer. For an edit: the arguments that were asked about, and those that replaced them. */
export function decisionData({ hold_id, decision }: DecidedHold, context: AuditContext): JsonObject {
  const { decision_id, verdict, digest, reason, grant, member_of } = decision
  return {
    decision_id,
    verdict,
    digest,
    reason,
    ...(member_of && { member_of: { ...member_of, groups: [...member_of.groups] } }),
    ...(grant ? grantData(grant, context.digest) : {}),
    ...(verdict === 'edit' ? { edited: { from: context.asked(hold_id), to: decision.arguments } } : {}),
    ...(LETS_RUN[verdict] && overrides(context.opened(hold_id)) ? { override: true } : {}),
  }
}

/** Ids and the digest of a grant, for the record that gives it. */
export function grantData(grant: NewGrant, digest: AuditContext['digest']): JsonObject {
  const { id, name, scope, expires_at } = grant
  return { grant: { id, name, scope, expires_at }, ...(digest && { grant_digest: digest(grantText(grant)) }) }
}

const LETS_RUN: Record<DecisionVerdict, boolean> = {
  approve: true,
  edit: true,
  respond: false,
  reject: false,
  cancel: false,
}

/** True if the hold was opened because policy says never: to release it overrules the policy. */
export function overrides(opened: Pick<EventData['hold.opened'], 'because' | 'plugin'> | null): boolean {
  return opened !== null && opened.plugin === POLICY && isNever(opened.because)
}

export function forbidden(opened: Pick<EventData['hold.opened'], 'because' | 'plugin'>): JsonObject {
  return overrides(opened) ? { forbidden: true } : {}
}

/** The plugin that enforces the policy. */
const POLICY = 'policy'
