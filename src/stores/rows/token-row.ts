import type { TokenRow } from '../../core/audit/standing/standing-on-record.ts'
import { tokenProof } from '../../core/audit/token-proof.ts'
import type { AccessToken } from '../../core/people/access-token.ts'
import { ROLES } from '../../core/people/role.ts'
import type { TrustedPlace } from '../../core/people/trusted-place.ts'
import { isoTime } from '../../core/text/iso-time.ts'
import { sha256 } from '../sha256.ts'
import { oneOf, orNull, text, time } from './decode/cells.ts'
import { decodeRow, type Row } from './decode/decode-row.ts'

const CELLS = {
  ...{ id: text(), name: text() },
  role: oneOf(ROLES, 'viewer'),
  created_at: time,
  created_by: text(),
  // P1: damage moves neither end to a later time.
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

export function asPlace(row: Readonly<Record<string, unknown>>): TrustedPlace {
  const { boot, namespaces, trusted_at, trusted_by } = row
  return {
    ...{ boot: String(boot), namespaces: String(namespaces) },
    trusted_by: trusted_by === null ? null : String(trusted_by),
    trusted_at: Number.isNaN(new Date(Number(trusted_at)).getTime()) ? null : isoTime(Number(trusted_at)),
  }
}
