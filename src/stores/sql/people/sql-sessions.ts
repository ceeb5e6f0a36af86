import { type SessionRow, sessionOnRecord } from '../../../core/audit/standing/sessions-on-record.ts'
import type { Session } from '../../../core/people/session.ts'
import type { NewSession, RedeemedLink, SessionEnd, SessionStore } from '../../../ports/store/people/sessions.ts'
import { asSession, asSessionRow } from '../../rows/session-row.ts'
import { sha256 } from '../../sha256.ts'
import type { SqlDeps, Transaction } from '../driver/driver.ts'
import { all, first, run, type Work } from '../driver/work.ts'
import { removeEnded } from './sql-subscriptions.ts'

export class SqlSessions implements SessionStore {
  readonly #deps: SqlDeps

  constructor(deps: SqlDeps) {
    this.#deps = deps
  }

  /** Expired sessions are deleted, so that a store keeps as many as there are browsers. */
  async add({ id, kind, name, role, groups, proof, digest, expires_at, surface }: NewSession): Promise<Session> {
    return this.#recording(function* (transaction) {
      const { now } = transaction
      yield* run('DELETE FROM @sessions WHERE expires_at <= ?', [now])
      const row = yield* first(
        `INSERT INTO @sessions (id, kind, name, role, groups, proof, digest, created_at, expires_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING *`,
        [id, kind, name, role, JSON.stringify(groups), JSON.stringify(proof), digest, now, Date.parse(expires_at)],
      )
      const session = asSession(row ?? {})
      if (kind === 'session') yield* recordOpened(transaction, { session, digest, surface })
      return session
    })
  }

  async find(digest: string): Promise<Session | null> {
    const row = await this.#deps.driver.read(() => first('SELECT * FROM @sessions WHERE digest = ?', [digest]))
    return row ? asSession(row) : null
  }

  async redeem({ digest, session_digest, expires_at, surface }: RedeemedLink): Promise<Session | null> {
    return this.#recording(function* (transaction) {
      const row = yield* first(
        `UPDATE @sessions SET kind = 'session', digest = ?1, created_at = ?2, expires_at = ?3
         WHERE digest = ?4 AND kind = 'link' AND ended_at IS NULL AND expires_at > ?2 RETURNING *`,
        [session_digest, transaction.now, Date.parse(expires_at), digest],
      )
      if (!row) return null
      const session = asSession(row)
      yield* recordOpened(transaction, { session, digest: session_digest, surface })
      return session
    })
  }

  async end({ by, surface, ...which }: SessionEnd): Promise<readonly Session[]> {
    const [column, value] = 'id' in which ? ['id', which.id] : ['name', which.name]
    return this.#recording(function* ({ now, record }) {
      const rows = yield* all(
        `UPDATE @sessions SET ended_at = ?1, ended_by = ?2
         WHERE ${column} = ?3 AND ended_at IS NULL AND expires_at > ?1 RETURNING *`,
        [now, by, value],
      )
      const ended = rows.toSorted((one, other) => Number(one['number']) - Number(other['number'])).map(asSession)
      const entries = ended.flatMap(({ id, kind, name }) =>
        kind === 'link' ? [] : [{ kind: 'session.ended' as const, actor: by, surface, data: { session_id: id, name } }],
      )
      yield* record(entries)
      yield* removeEnded(now)
      return ended
    })
  }

  async list(): Promise<readonly Session[]> {
    const listed = 'SELECT * FROM @sessions WHERE ended_at IS NULL AND expires_at > ? ORDER BY number'
    return (await this.#deps.driver.snapshot(({ now }) => all(listed, [now]))).map(asSession)
  }

  async #recording<T>(work: (transaction: Transaction) => Work<T>): Promise<T> {
    const result = await this.#deps.driver.transaction(work)
    this.#deps.changes.tellOfRecords()
    return result
  }
}

/** Reads all sessions as they are now. Links are not on record. */
export function* storedSessions(): Work<SessionRow[]> {
  return (yield* all(`SELECT * FROM @sessions WHERE kind = 'session' ORDER BY number`)).map(asSessionRow)
}

interface Opened {
  readonly session: Session
  readonly digest: string
  readonly surface: string
}

function* recordOpened({ record }: Transaction, { session, digest, surface }: Opened): Work<void> {
  const data = sessionOnRecord({ ...session, digest }, sha256)
  yield* record([{ kind: 'session.opened', actor: session.name, surface, data }])
}
