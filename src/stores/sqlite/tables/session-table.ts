import { type SessionRow, sessionOnRecord } from '../../../core/audit/standing/sessions-on-record.ts'
import type { Session } from '../../../core/people/session.ts'
import type { NewSession, RedeemedLink, SessionEnd, SessionStore } from '../../../ports/store/people/sessions.ts'
import { asSession, asSessionRow } from '../../rows/session-row.ts'
import { sha256 } from '../../sha256.ts'
import type { Database } from '../database/database.ts'
import type { AccessDeps } from './access-table.ts'
import { auditEntries } from './audit-table.ts'

export class SqliteSessions implements SessionStore {
  readonly #site: AccessDeps

  constructor(site: AccessDeps) {
    this.#site = site
  }

  /** Those that expired go: a store keeps as many as there are browsers. */
  async add({ id, kind, name, role, groups, proof, digest, ...rest }: NewSession): Promise<Session> {
    return this.#write((database, at) => {
      database.statement('DELETE FROM sessions WHERE expires_at <= ?').run(at)
      const row = database
        .statement(
          `INSERT INTO sessions (id, kind, name, role, groups, proof, digest, created_at, expires_at)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING *`,
        )
        .get(
          ...[id, kind, name, role, JSON.stringify(groups), JSON.stringify(proof)],
          ...[digest, at, Date.parse(rest.expires_at)],
        )
      const session = asSession(row ?? {})
      if (kind === 'session') recordOpened(database, { session, digest, surface: rest.surface, at })
      return session
    })
  }

  async find(digest: string): Promise<Session | null> {
    const { database } = this.#site
    return database.read(() => {
      const row = database.statement('SELECT * FROM sessions WHERE digest = ?').get(digest)
      return row ? asSession(row) : null
    })
  }

  async redeem({ digest, session_digest, expires_at, surface }: RedeemedLink): Promise<Session | null> {
    return this.#write((database, at) => {
      const row = database
        .statement(
          `UPDATE sessions SET kind = 'session', digest = ?, created_at = ?, expires_at = ?
             WHERE digest = ? AND kind = 'link' AND ended_at IS NULL AND expires_at > ? RETURNING *`,
        )
        .get(session_digest, at, Date.parse(expires_at), digest, at)
      if (!row) return null
      const session = asSession(row)
      recordOpened(database, { session, digest: session_digest, surface, at })
      return session
    })
  }

  async end({ by, surface, ...which }: SessionEnd): Promise<readonly Session[]> {
    return this.#write((database, at) => {
      const [column, value] = 'id' in which ? ['id', which.id] : ['name', which.name]
      const ended = database
        .statement(
          `UPDATE sessions SET ended_at = ?, ended_by = ?
             WHERE ${column} = ? AND ended_at IS NULL AND expires_at > ? RETURNING *`,
        )
        .all(at, by, value, at)
        .map(asSession)
      const entries = ended.flatMap(({ id, kind, name }) =>
        kind === 'link' ? [] : [{ kind: 'session.ended' as const, actor: by, surface, data: { session_id: id, name } }],
      )
      auditEntries(database, entries, at)
      return ended
    })
  }

  async list(): Promise<readonly Session[]> {
    const { database, clock } = this.#site
    return database.read(() =>
      database
        .statement('SELECT * FROM sessions WHERE ended_at IS NULL AND expires_at > ? ORDER BY number')
        .all(clock.now())
        .map(asSession),
    )
  }

  async #write<T>(work: (database: Database, at: number) => T): Promise<T> {
    const { database, clock, changes } = this.#site
    const result = await database.transaction(() => work(database, clock.now()))
    changes.tellOfRecords()
    return result
  }
}

/** As they are now; links are not on record. */
export function* storedSessions(database: Database): Iterable<SessionRow> {
  for (const row of database.statement(`SELECT * FROM sessions WHERE kind = 'session' ORDER BY number`).all())
    yield asSessionRow(row)
}

interface Opened {
  readonly session: Session
  readonly digest: string
  readonly surface: string
  readonly at: number
}

function recordOpened(database: Database, { session, digest, surface, at }: Opened): void {
  const data = sessionOnRecord({ ...session, digest }, sha256)
  auditEntries(database, [{ kind: 'session.opened', actor: session.name, surface, data }], at)
}
