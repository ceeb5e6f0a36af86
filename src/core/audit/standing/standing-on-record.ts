/** P10: compares the rows of grants, access tokens and sessions, which are used without asking, with their records. */
import { type Grant, grantText } from '../../hold/grant.ts'
import type { AccessToken } from '../../people/access-token.ts'
import { isJsonObject, type JsonObject } from '../../text/json.ts'
import type { AuditRecord } from '../audit.ts'
import type { FaultList, Sha256 } from '../audit-chain.ts'
import type { StoredEvent } from '../event-on-record.ts'
import { GrantsOnRecord, saysSame } from './grants-on-record.ts'
import { type SessionRow, SessionsOnRecord } from './sessions-on-record.ts'
import { takeUnreadable } from './unreadable-rows.ts'

/** A token, and `tokenProof` of its row. */
export type TokenRow = AccessToken & { readonly proof: string }

/** All rows, as they were when the newest record was read. */
export interface StandingRows {
  readonly grants: Iterable<Grant>
  readonly tokens: Iterable<TokenRow>
  readonly sessions: Iterable<SessionRow>
  /** The thread of a grant's hold; `null` if that is gone. */
  threadOf(grant: Grant): string | null
}

interface TokenOnRecord {
  readonly seq: number
  fields: JsonObject
}

/** Reads the records, then the rows. People give grants and tokens one by one, so they fit into memory. */
export class StandingCheck {
  readonly #sha256: Sha256
  readonly #faults: FaultList
  readonly #grants = new GrantsOnRecord()
  readonly #tokens = new Map<string, TokenOnRecord>()
  readonly #sessions: SessionsOnRecord

  constructor(sha256: Sha256, faults: FaultList) {
    this.#sha256 = sha256
    this.#faults = faults
    this.#sessions = new SessionsOnRecord(sha256)
  }

  takeRecord(seq: number, record: AuditRecord, stored: StoredEvent | null): void {
    const { kind, data, at, actor } = record
    const id = data['token_id']
    if (kind === 'access.added' && typeof id === 'string') {
      const fields = { ...data, created_at: at, created_by: actor, revoked_at: null, revoked_by: null }
      this.#tokens.set(id, { seq, fields })
    } else if (kind === 'access.revoked' && typeof id === 'string') {
      const token = this.#tokens.get(id)
      if (token) token.fields = { ...token.fields, revoked_at: at, revoked_by: actor }
    } else if (!this.#sessions.takeRecord(seq, record))
      this.#grants.takeRecord(seq, record, this.#givenBy(record, stored))
  }

  /** Call it once, after the last record. */
  takeRows(rows: StandingRows): void {
    for (const row of rows.grants) this.#takeGrant(row, rows)
    for (const { id, seq } of this.#grants.left())
      this.#faults.add('grant_missing', `Record ${seq} is of the grant ${id}, of which there is no row.`, { seq })
    for (const token of rows.tokens) this.#takeToken(token)
    for (const [id, { seq }] of this.#tokens)
      this.#faults.add('access_missing', `Record ${seq} is of the token ${id}, of which there is no row.`, { seq })
    for (const row of rows.sessions) this.#sessions.takeRow(row, this.#faults)
  }

  #takeGrant(grant: Grant, rows: StandingRows): void {
    const { id } = grant
    const known = this.#grants.take(id)
    if (takeUnreadable(this.#faults, { what: 'grant', row: grant })) return
    if (known === null) {
      if (!this.#grants.isFromOldBundle(rows.threadOf(grant)))
        this.#faults.add('not_on_record', `The grant ${id} has a row, and is not on record.`)
      return
    }
    const field = this.#grants.differingField(known, grant, this.#digestOf(grantText(grant)))
    if (field === null) return
    const { seq } = known
    this.#faults.add('grant_altered', `The row of the grant ${id} has another ${field} than record ${seq} on.`, { seq })
  }

  #takeToken(token: TokenRow): void {
    const known = this.#tokens.get(token.id)
    this.#tokens.delete(token.id)
    if (takeUnreadable(this.#faults, { what: 'access token', row: token })) return
    if (!known) {
      this.#faults.add('not_on_record', `The token ${token.id} has a row, and is not on record.`)
      return
    }
    const { seq, fields } = known
    const field = TOKEN_FIELDS.find(key => Object.hasOwn(fields, key) && !saysSame(fields[key] ?? null, token[key]))
    if (field === undefined) return
    const message = `The row of the token ${token.id} has another ${field} than record ${seq} on.`
    this.#faults.add('access_altered', message, { seq })
  }

  /** The digest of the grant if an older record lacks it; an altered event proves nothing. */
  #givenBy({ data, event_hash }: AuditRecord, stored: StoredEvent | null): string | null {
    const given = data['grant']
    if (!isJsonObject(given)) return null
    if (typeof data['grant_digest'] === 'string') return data['grant_digest']
    if (stored?.event.kind !== 'hold.decided' || this.#sha256(stored.text) !== event_hash) return null
    const { grant } = stored.event.data.decision
    return grant ? this.#digestOf(grantText(grant)) : null
  }

  #digestOf(text: string): string {
    return `sha256:${this.#sha256(text)}`
  }
}

const TOKEN_FIELDS = [
  ...(['name', 'role', 'expires_at', 'proof'] as const),
  ...(['created_at', 'created_by', 'revoked_at', 'revoked_by'] as const),
] as const
