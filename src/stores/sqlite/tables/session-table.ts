import type { Role } from '../../../core/people/role.ts'
import type { NewSession, Session, SessionStore } from '../../../ports/store/people/sessions.ts'
import type { AccessDeps } from './access-table.ts'
import { isoTime } from './iso-times.ts'

export class SqliteSessions implements SessionStore {
  readonly #site: Pick<AccessDeps, 'database' | 'clock'>

  constructor(site: Pick<AccessDeps, 'database' | 'clock'>) {
    this.#site = site
  }

  /** Those that expired go: a store keeps as many as people are signed in. */
  async add({ digest, name, role, via, token_id, expires_at }: NewSession): Promise<Session> {
    const { database, clock } = this.#site
    return database.transaction(() => {
      const at = clock.now()
      database.statement('DELETE FROM sessions WHERE expires_at <= ?').run(at)
      return asSession(
        database
          .statement(
            `INSERT INTO sessions (digest, name, role, via, token_id, created_at, expires_at)
               VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING *`,
          )
          .get(digest, name, role, via, token_id, at, Date.parse(expires_at)) ?? {},
      )
    })
  }

  async find(digest: string): Promise<Session | null> {
    const { database } = this.#site
    return database.read(() => {
      const row = database.statement('SELECT * FROM sessions WHERE digest = ?').get(digest)
      return row ? asSession(row) : null
    })
  }

  async list({ valid_at, name }: { readonly valid_at: string; readonly name?: string }): Promise<readonly Session[]> {
    const { database } = this.#site
    return database.read(() =>
      database
        .statement(
          `SELECT * FROM sessions WHERE ended_at IS NULL AND expires_at > ?1 AND (?2 IS NULL OR name = ?2)
           ORDER BY created_at, digest`,
        )
        .all(Date.parse(valid_at), name ?? null)
        .map(asSession),
    )
  }

  async end(which: { readonly digest: string } | { readonly name: string }): Promise<number> {
    const { database, clock } = this.#site
    return database.transaction(() => {
      const [column, value] = 'digest' in which ? ['digest', which.digest] : ['name', which.name]
      const end = database.statement(`UPDATE sessions SET ended_at = ? WHERE ${column} = ? AND ended_at IS NULL`)
      return Number(end.run(clock.now(), value).changes)
    })
  }
}

function asSession(row: Readonly<Record<string, unknown>>): Session {
  return {
    digest: String(row['digest']),
    name: String(row['name']),
    role: String(row['role']) as Role,
    via: String(row['via']),
    token_id: row['token_id'] as string | null,
    created_at: new Date(Number(row['created_at'])).toISOString(),
    expires_at: new Date(Number(row['expires_at'])).toISOString(),
    ended_at: isoTime(row['ended_at']),
  }
}
