import type { PushKeys, Subscription } from '../../core/notice/push/subscription.ts'
import { ROLES } from '../../core/people/role.ts'
import { oneOf, orNull, text, time } from './decode/cells.ts'
import { decodeRow, type Row } from './decode/decode-row.ts'
import { GROUPS, PROOF } from './session-row.ts'

const CELLS = {
  ...{ id: text(), name: text(), endpoint: text(), p256dh: text(), auth: text() },
  // P1: nobody hears more by damage.
  role: oneOf(ROLES, 'viewer'),
  groups: GROUPS,
  proof: orNull(PROOF, PROOF.instead),
  created_at: time,
}

export function asSubscription(row: Row): Subscription {
  return decodeRow(CELLS, row)
}

const KEYS = { public_key: text(), private_key: text() }

export function asPushKeys(row: Row): PushKeys {
  return decodeRow(KEYS, row)
}
