import type { SessionRow } from '../../core/audit/standing/sessions-on-record.ts'
import type { PushKeys, Subscription } from '../../core/notice/push/subscription.ts'
import { ROLES } from '../../core/people/role.ts'
import type { Session, SessionProof } from '../../core/people/session.ts'
import { json, oneOf, orNull, text, time } from './decode/cells.ts'
import { decodeRow, type Row } from './decode/decode-row.ts'
import { isOneOf, isText, listOf, objectWith } from './decode/shapes.ts'

const KINDS: readonly Session['kind'][] = ['link', 'session']
/** Proves nothing: no digest is empty. */
const UNPROVEN: SessionProof = { kind: 'token', digest: '' }

const IS_SECRET = objectWith({ kind: isOneOf(['token', 'owner']), digest: isText })
const IS_PROVIDER = objectWith({ kind: isOneOf(['provider']), issuer: isText, subject: isText })

const GROUPS = json<readonly string[]>(listOf(isText), 'a list of groups', [])
const PROOF = json<SessionProof>(value => IS_SECRET(value) || IS_PROVIDER(value), 'a proof', UNPROVEN)

const CELLS = {
  id: text(),
  kind: oneOf(KINDS, 'session'),
  name: text(),
  role: oneOf(ROLES, 'viewer'),
  ...{ groups: GROUPS, proof: PROOF },
  ...{ created_at: time, expires_at: time },
  ended_at: orNull(time, time.instead),
  ended_by: orNull(text()),
}

export function asSession(row: Row): Session {
  return decodeRow(CELLS, row)
}

/** A row for the check of the log, with the digest of its secret. */
export function asSessionRow(row: Row): SessionRow {
  return { ...asSession(row), digest: String(row['digest']) }
}

const SUBSCRIPTION = {
  ...{ id: text(), name: text(), endpoint: text(), p256dh: text(), auth: text() },
  // P1: nobody hears more by damage.
  role: oneOf(ROLES, 'viewer'),
  groups: GROUPS,
  proof: orNull(PROOF, UNPROVEN),
  created_at: time,
}

/** A browser that gets pushes, with what its session or token says. */
export function asSubscription(row: Row): Subscription {
  return decodeRow(SUBSCRIPTION, row)
}

const PUSH_KEYS = { public_key: text(), private_key: text() }

export function asPushKeys(row: Row): PushKeys {
  return decodeRow(PUSH_KEYS, row)
}
