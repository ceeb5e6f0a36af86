import type { TokenRow } from '../../core/audit/standing/standing-on-record.ts'
import { tokenProof } from '../../core/audit/token-proof.ts'
import type { AccessToken } from '../../core/people/access-token.ts'
import { ROLES } from '../../core/people/role.ts'
import { sha256 } from '../sha256.ts'
import { oneOf, orNull, text, time } from './decode/cells.ts'
import { decodeRow, type Row } from './decode/decode-row.ts'

const CELLS = {
  ...{ id: text(), name: text() },
  role: oneOf(ROLES, 'viewer'),
  created_at: time,
  created_by: text(),
  // P1: neither end comes later by damage.
  expires_at: orNull(time, time.instead),
  revoked_at: orNull(time, time.instead),
  revoked_by: orNull(text()),
}

export function asToken(row: Row): AccessToken {
  return decodeRow(CELLS, row)
}

/** A row for the check of the log, with its proof. */
export function asTokenRow(row: Row): TokenRow {
  return { ...asToken(row), proof: tokenProof(String(row['digest']), sha256) }
}
