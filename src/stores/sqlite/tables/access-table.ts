import type { TokenRow } from '../../../core/audit/standing/standing-on-record.ts'
import { tokenProof } from '../../../core/audit/token-proof.ts'
import type { AccessToken } from '../../../core/people/access-token.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { AccessStore, NewAccessToken, TokenRevocation } from '../../../ports/store/access.ts'
import type { ChangeWatch } from '../../change-watch.ts'
import { asToken, asTokenRow } from '../../rows/token-row.ts'
import { sha256 } from '../../sha256.ts'
import type { Database } from '../database/database.ts'
import { auditEntries } from './audit-table.ts'

export interface AccessDeps {
  readonly database: Database
  readonly clock: Pick<Clock, 'now'>
  readonly changes: ChangeWatch
}

export class SqliteAccess implements AccessStore {
  readonly #site: AccessDeps

  constructor(site: AccessDeps) {
    this.#site = site
  }

  async add({ id, name, role, digest, expires_at, by, surface }: NewAccessToken): Promise<AccessToken> {
    const { database, clock, changes } = this.#site
    const added = await database.transaction(() => {
      const at = clock.now()
      const expires = expires_at === null ? null : Date.parse(expires_at)
      database
        .statement(
          `INSERT INTO access (id, kind, name, role, digest, created_at, created_by, expires_at)
             VALUES (?, 'token', ?, ?, ?, ?, ?, ?)`,
        )
        .run(id, name, role, digest, at, by, expires)
      const data = { token_id: id, name, role, expires_at, proof: tokenProof(digest, sha256) }
      auditEntries(database, [{ kind: 'access.added', actor: by, surface, data }], at)
      return findToken(database, id) as AccessToken
    })
    changes.tellOfRecords()
    return added
  }

  async find(digest: string): Promise<AccessToken | null> {
    const { database } = this.#site
    return database.read(() => {
      const row = database.statement('SELECT * FROM access WHERE digest = ?').get(digest)
      return row ? asToken(row) : null
    })
  }

  async list(): Promise<readonly AccessToken[]> {
    const { database } = this.#site
    return database.read(() => database.statement('SELECT * FROM access ORDER BY number').all().map(asToken))
  }

  async revoke({ id, by, surface }: TokenRevocation): Promise<AccessToken | null> {
    const { database, clock, changes } = this.#site
    const token = await database.transaction(() => {
      const at = clock.now()
      const { changes: rows } = database
        .statement('UPDATE access SET revoked_at = ?, revoked_by = ? WHERE id = ? AND revoked_at IS NULL')
        .run(at, by, id)
      const token = findToken(database, id)
      if (token && rows === 1)
        auditEntries(
          database,
          [{ kind: 'access.revoked', actor: by, surface, data: { token_id: id, name: token.name } }],
          at,
        )
      return token
    })
    changes.tellOfRecords()
    return token
  }
}

/** As they are now, each with its proof. */
export function* storedTokens(database: Database): Iterable<TokenRow> {
  for (const row of database.statement('SELECT * FROM access ORDER BY number').all()) yield asTokenRow(row)
}

function findToken(database: Database, id: string): AccessToken | null {
  const row = database.statement('SELECT * FROM access WHERE id = ?').get(id)
  return row ? asToken(row) : null
}
