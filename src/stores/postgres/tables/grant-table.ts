import type { Grant, NewGrant } from '../../../core/hold/grant.ts'
import type { GrantQuery, Revocation } from '../../../ports/store/grants.ts'
import { asGrant } from '../../rows/grant-row.ts'
import { millisecondsOrNull } from '../../rows/iso-times.ts'
import { auditEntries } from '../audit/audit-records.ts'
import type { Cell, Query, Transaction } from '../database/pool.ts'

/** Inside a transaction. Where it counts, and its hold, are columns too: threads find theirs by them. */
export async function insertGrant(query: Query, grant: NewGrant): Promise<void> {
  const { id, agent, tool, expires_at, ...given } = grant
  await query(
    `INSERT INTO @grants (id, agent, tool, scope, scope_id, hold_id, expires_at, given)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      ...[id, agent, tool, given.scope, given.scope_id, given.hold_id],
      millisecondsOrNull(expires_at),
      JSON.stringify(given),
    ],
  )
}

export async function findGrant(query: Query, id: string): Promise<Grant | null> {
  const [row] = (await query('SELECT * FROM @grants WHERE id = $1', [id])).rows
  return row ? asGrant(row) : null
}

export async function listGrants(query: Query, { agent, tool, valid_at }: GrantQuery): Promise<Grant[]> {
  const values: Cell[] = []
  const conditions: string[] = []
  const ask = (sql: string, value: Cell) => conditions.push(sql.replaceAll('?', `$${values.push(value)}`))
  if (agent !== undefined) ask('agent = ?', agent)
  if (tool !== undefined) ask('tool = ?', tool)
  if (valid_at !== undefined) ask('revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)', Date.parse(valid_at))
  const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''
  return (await query(`SELECT * FROM @grants ${where} ORDER BY number`, values)).rows.map(asGrant)
}

/** Those that count for these runs or threads alone, oldest first. */
export async function listGrantsWithin(query: Query, places: readonly string[]): Promise<Grant[]> {
  const { rows } = await query(
    `SELECT * FROM @grants WHERE scope <> 'project' AND scope_id = ANY($1::text[]) ORDER BY number`,
    [places],
  )
  return rows.map(asGrant)
}

/** Inside a transaction: once, and on record. The grant as it is then; `null` for an unknown one. */
export async function revokeGrant(
  { query, now }: Transaction,
  { grant_id, by, surface }: Revocation,
): Promise<Grant | null> {
  const { count } = await query(
    'UPDATE @grants SET revoked_at = $1, revoked_by = $2 WHERE id = $3 AND revoked_at IS NULL',
    [now, by, grant_id],
  )
  if (count === 1) auditEntries(query, [{ kind: 'grant.revoked', actor: by, surface, data: { grant_id } }], now)
  return findGrant(query, grant_id)
}

/** Inside a transaction: it let one more call pass. */
export async function useGrant(query: Query, id: string): Promise<void> {
  await query('UPDATE @grants SET uses = uses + 1 WHERE id = $1', [id])
}

/** As they are now, those that cannot be read included. */
export async function storedGrants(query: Query): Promise<Grant[]> {
  return (await query('SELECT * FROM @grants ORDER BY number')).rows.map(asGrant)
}
