import type { GrantRow } from '../../core/audit/standing-on-record.ts'
import type { Grant, NewGrant } from '../../core/hold/grant.ts'
import { isoTimeOrNull } from './iso-times.ts'

type Row = Readonly<Record<string, unknown>>

export function asGrant(row: Row): Grant {
  const given = JSON.parse(String(row['given'])) as Omit<NewGrant, 'id' | 'agent' | 'tool' | 'expires_at'>
  return {
    id: String(row['id']),
    ...given,
    agent: String(row['agent']),
    tool: String(row['tool']),
    expires_at: isoTimeOrNull(row['expires_at']),
    revoked_at: isoTimeOrNull(row['revoked_at']),
    revoked_by: row['revoked_by'] as string | null,
    uses: Number(row['uses']),
  }
}

/** A row for the check of the log: also one that cannot be read. */
export function asGrantRow(row: Row): GrantRow {
  return { id: String(row['id']), grant: readableGrant(row) }
}

function readableGrant(row: Row): Grant | null {
  try {
    return asGrant(row)
  } catch {
    return null
  }
}
