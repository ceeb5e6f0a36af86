import type { TokenRow } from '../../core/audit/standing-on-record.ts'
import { tokenProof } from '../../core/audit/token-proof.ts'
import type { AccessToken } from '../../core/people/access-token.ts'
import type { Role } from '../../core/people/role.ts'
import { sha256 } from '../sha256.ts'
import { isoTimeOrNull } from './iso-times.ts'

type Row = Readonly<Record<string, unknown>>

export function asToken(row: Row): AccessToken {
  return {
    id: String(row['id']),
    name: String(row['name']),
    role: String(row['role']) as Role,
    created_at: new Date(Number(row['created_at'])).toISOString(),
    created_by: String(row['created_by']),
    expires_at: isoTimeOrNull(row['expires_at']),
    revoked_at: isoTimeOrNull(row['revoked_at']),
    revoked_by: row['revoked_by'] as string | null,
  }
}

/** A row for the check of the log, with its proof. */
export function asTokenRow(row: Row): TokenRow {
  return { ...asToken(row), proof: tokenProof(String(row['digest']), sha256) }
}
