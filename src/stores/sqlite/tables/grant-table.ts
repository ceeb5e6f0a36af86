import type { Grant, NewGrant } from '../../../core/hold/grant.ts'
import type { GrantQuery, Revocation } from '../../../ports/store/grants.ts'
import { asGrant } from '../../rows/grant-row.ts'
import type { Database } from '../database/database.ts'
import { auditEntries } from './audit-table.ts'

/** Inside a transaction. */
export function insertGrant(database: Database, grant: NewGrant): void {
  const { id, agent, tool, expires_at, ...given } = grant
  database
    .statement('INSERT INTO grants (id, agent, tool, expires_at, given) VALUES (?, ?, ?, ?, ?)')
    .run(id, agent, tool, expires_at === null ? null : Date.parse(expires_at), JSON.stringify(given))
}

export function findGrant(database: Database, id: string): Grant | null {
  const row = database.statement('SELECT * FROM grants WHERE id = ?').get(id)
  return row ? asGrant(row) : null
}

export function listGrants(database: Database, { agent, tool, valid_at }: GrantQuery): Grant[] {
  const at = valid_at === undefined ? null : Date.parse(valid_at)
  const conditions: [sql: string, value: string | number][] = []
  if (agent !== undefined) conditions.push(['agent = ?', agent])
  if (tool !== undefined) conditions.push(['tool = ?', tool])
  if (at !== null) conditions.push(['revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)', at])
  const where = conditions.length > 0 ? `WHERE ${conditions.map(([sql]) => sql).join(' AND ')}` : ''
  return database
    .statement(`SELECT * FROM grants ${where} ORDER BY number`)
    .all(...conditions.map(([, value]) => value))
    .map(asGrant)
}

/** Inside a transaction: once, and on record. The grant as it is then; `null` for an unknown one. */
export function revokeGrant(database: Database, { grant_id, by, surface }: Revocation, at: number): Grant | null {
  const { changes } = database
    .statement('UPDATE grants SET revoked_at = ?, revoked_by = ? WHERE id = ? AND revoked_at IS NULL')
    .run(at, by, grant_id)
  if (changes === 1) auditEntries(database, [{ kind: 'grant.revoked', actor: by, surface, data: { grant_id } }], at)
  return findGrant(database, grant_id)
}

/** Inside a transaction: it let one more call pass. */
export function useGrant(database: Database, id: string): void {
  database.statement('UPDATE grants SET uses = uses + 1 WHERE id = ?').run(id)
}

/** As they are now, those that cannot be read included. */
export function* storedGrants(database: Database): Iterable<Grant> {
  for (const row of database.statement('SELECT * FROM grants ORDER BY number').all()) yield asGrant(row)
}
