import type { TokenRow } from '../../../core/audit/standing/standing-on-record.ts'
import { tokenProof } from '../../../core/audit/token-proof.ts'
import type { AccessToken } from '../../../core/people/access-token.ts'
import type { AccessStore, NewAccessToken, TokenRevocation } from '../../../ports/store/access.ts'
import { millisecondsOrNull } from '../../rows/iso-times.ts'
import { asToken, asTokenRow } from '../../rows/token-row.ts'
import { sha256 } from '../../sha256.ts'
import { auditEntries } from '../audit/audit-records.ts'
import type { PostgresSite } from '../changes/site.ts'
import type { Query } from '../database/pool.ts'

export class PostgresAccess implements AccessStore {
  readonly #site: PostgresSite

  constructor(site: PostgresSite) {
    this.#site = site
  }

  async add({ id, name, role, digest, expires_at, by, surface }: NewAccessToken): Promise<AccessToken> {
    const { pool, changes } = this.#site
    const added = await pool.transaction(async ({ query, now }) => {
      const { rows } = await query(
        `INSERT INTO @access (id, kind, name, role, digest, created_at, created_by, expires_at)
         VALUES ($1, 'token', $2, $3, $4, $5, $6, $7) RETURNING *`,
        [id, name, role, digest, now, by, millisecondsOrNull(expires_at)],
      )
      const data = { token_id: id, name, role, expires_at, proof: tokenProof(digest, sha256) }
      auditEntries(query, [{ kind: 'access.added', actor: by, surface, data }], now)
      return asToken(rows[0] ?? {})
    })
    changes.tellOfRecords()
    return added
  }

  async find(digest: string): Promise<AccessToken | null> {
    const [row] = (await this.#site.pool.query('SELECT * FROM @access WHERE digest = $1', [digest])).rows
    return row ? asToken(row) : null
  }

  async list(): Promise<readonly AccessToken[]> {
    return (await this.#site.pool.query('SELECT * FROM @access ORDER BY number')).rows.map(asToken)
  }

  async revoke({ id, by, surface }: TokenRevocation): Promise<AccessToken | null> {
    const { pool, changes } = this.#site
    const token = await pool.transaction(async ({ query, now }) => {
      const { count } = await query(
        'UPDATE @access SET revoked_at = $1, revoked_by = $2 WHERE id = $3 AND revoked_at IS NULL',
        [now, by, id],
      )
      const [row] = (await query('SELECT * FROM @access WHERE id = $1', [id])).rows
      const token = row ? asToken(row) : null
      const data = { token_id: id, name: token?.name ?? null }
      if (count === 1) auditEntries(query, [{ kind: 'access.revoked', actor: by, surface, data }], now)
      return token
    })
    changes.tellOfRecords()
    return token
  }
}

/** As they are now, each with its proof. */
export async function storedTokens(query: Query): Promise<TokenRow[]> {
  return (await query('SELECT * FROM @access ORDER BY number')).rows.map(asTokenRow)
}
