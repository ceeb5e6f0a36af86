import type { SessionRow } from '../../core/audit/sessions-on-record.ts'
import type { Role } from '../../core/people/role.ts'
import type { Session, SessionProof } from '../../core/people/session.ts'
import { isoTimeOrNull } from './iso-times.ts'

type Row = Readonly<Record<string, unknown>>

export function asSession(row: Row): Session {
  return {
    id: String(row['id']),
    kind: row['kind'] as Session['kind'],
    name: String(row['name']),
    role: String(row['role']) as Role,
    groups: readOr<readonly string[]>(row['groups'], []),
    proof: readOr<SessionProof>(row['proof'], UNPROVEN),
    created_at: new Date(Number(row['created_at'])).toISOString(),
    expires_at: new Date(Number(row['expires_at'])).toISOString(),
    ended_at: isoTimeOrNull(row['ended_at']),
    ended_by: row['ended_by'] as string | null,
  }
}

/** A row for the check of the log, with the digest of its secret. */
export function asSessionRow(row: Row): SessionRow {
  return { ...asSession(row), digest: String(row['digest']) }
}

/** Proves nothing: no digest is empty. */
const UNPROVEN: SessionProof = { kind: 'token', digest: '' }

/** A column that was written from outside may hold anything. */
function readOr<T>(text: unknown, other: T): T {
  try {
    return JSON.parse(String(text)) as T
  } catch {
    return other
  }
}
