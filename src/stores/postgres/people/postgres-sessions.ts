import { type SessionRow, sessionOnRecord } from '../../../core/audit/standing/sessions-on-record.ts'
import type { Session } from '../../../core/people/session.ts'
import type { NewSession, RedeemedLink, SessionEnd, SessionStore } from '../../../ports/store/people/sessions.ts'
import { asSession, asSessionRow } from '../../rows/session-row.ts'
import { sha256 } from '../../sha256.ts'
import { auditEntries } from '../audit/audit-records.ts'
import type { PostgresSite } from '../changes/site.ts'
import type { Query, Transaction } from '../database/pool.ts'

export class PostgresSessions implements SessionStore {
  readonly #site: PostgresSite

  constructor(site: PostgresSite) {
    this.#site = site
  }

  /** Those that expired go: a store keeps as many as there are browsers. */
  async add({ id, kind, name, role, groups, proof, digest, expires_at, surface }: NewSession): Promise<Session> {
    return this.#write(async transaction => {
      const { query, now } = transaction
      await query('DELETE FROM @sessions WHERE expires_at <= $1', [now])
      const { rows } = await query(
        `INSERT INTO @sessions (id, kind, name, role, groups, proof, digest, created_at, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING *`,
        [id, kind, name, role, JSON.stringify(groups), JSON.stringify(proof), digest, now, Date.parse(expires_at)],
      )
      const session = asSession(rows[0] ?? {})
      if (kind === 'session') await recordOpened(transaction, { session, digest, surface })
      return session
    })
  }

  async find(digest: string): Promise<Session | null> {
    const [row] = (await this.#site.pool.query('SELECT * FROM @sessions WHERE digest = $1', [digest])).rows
    return row ? asSession(row) : null
  }

  async redeem({ digest, session_digest, expires_at, surface }: RedeemedLink): Promise<Session | null> {
    return this.#write(async transaction => {
      const { query, now } = transaction
      const { rows } = await query(
        `UPDATE @sessions SET kind = 'session', digest = $1, created_at = $2, expires_at = $3
         WHERE digest = $4 AND kind = 'link' AND ended_at IS NULL AND expires_at > $2 RETURNING *`,
        [session_digest, now, Date.parse(expires_at), digest],
      )
      const [row] = rows
      if (!row) return null
      const session = asSession(row)
      await recordOpened(transaction, { session, digest: session_digest, surface })
      return session
    })
  }

  async end({ by, surface, ...which }: SessionEnd): Promise<readonly Session[]> {
    return this.#write(async ({ query, now }) => {
      const [column, value] = 'id' in which ? ['id', which.id] : ['name', which.name]
      const { rows } = await query(
        `WITH ended AS (
           UPDATE @sessions SET ended_at = $1, ended_by = $2
           WHERE ${column} = $3 AND ended_at IS NULL AND expires_at > $1 RETURNING *)
         SELECT * FROM ended ORDER BY number`,
        [now, by, value],
      )
      const ended = rows.map(asSession)
      const entries = ended.flatMap(({ id, kind, name }) =>
        kind === 'link' ? [] : [{ kind: 'session.ended' as const, actor: by, surface, data: { session_id: id, name } }],
      )
      auditEntries(query, entries, now)
      return ended
    })
  }

  async list(): Promise<readonly Session[]> {
    return this.#site.pool.transaction(async ({ query, now }) => {
      const listed = 'SELECT * FROM @sessions WHERE ended_at IS NULL AND expires_at > $1 ORDER BY number'
      return (await query(listed, [now])).rows.map(asSession)
    })
  }

  async #write<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const { pool, changes } = this.#site
    const result = await pool.transaction(work)
    changes.tellOfRecords()
    return result
  }
}

/** As they are now; links are not on record. */
export async function storedSessions(query: Query): Promise<SessionRow[]> {
  return (await query(`SELECT * FROM @sessions WHERE kind = 'session' ORDER BY number`)).rows.map(asSessionRow)
}

interface Opened {
  readonly session: Session
  readonly digest: string
  readonly surface: string
}

async function recordOpened({ query, now }: Transaction, { session, digest, surface }: Opened): Promise<void> {
  const data = sessionOnRecord({ ...session, digest }, sha256)
  auditEntries(query, [{ kind: 'session.opened', actor: session.name, surface, data }], now)
}
