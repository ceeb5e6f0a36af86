import type { Session } from '../../people/session.ts'
import type { JsonObject } from '../../text/json.ts'
import type { AuditRecord } from '../audit.ts'
import type { FaultList, Sha256 } from '../audit-chain.ts'
import { tokenProof } from '../token-proof.ts'
import { takeUnreadable } from './unreadable-rows.ts'

/** A session that is open or has ended, with the digest of its secret; a store may leave out those that have expired. */
export type SessionRow = Session & { readonly digest: string }

/** The record of a session that begins: its columns that must not change, as one text each. */
export function sessionOnRecord({ digest, ...session }: SessionRow, sha256: Sha256): JsonObject {
  const { id, name, role, groups, proof, expires_at } = session
  return {
    ...{ session_id: id, name, role, groups: [...groups], by: proof.kind, expires_at },
    proof: tokenProof(`${digest} ${JSON.stringify(proof)}`, sha256),
  }
}

/** P10: compares the rows of sessions, which are used without asking, with their records. */
export class SessionsOnRecord {
  readonly #sha256: Sha256
  readonly #opened = new Map<string, { readonly seq: number; readonly text: string }>()
  readonly #ended = new Set<string>()

  constructor(sha256: Sha256) {
    this.#sha256 = sha256
  }

  /** False if the record is of something else. */
  takeRecord(seq: number, { kind, data, at }: AuditRecord): boolean {
    const id = String(data['session_id'])
    if (kind === 'session.ended') this.#ended.add(id)
    else if (kind === 'session.opened') this.#opened.set(id, { seq, text: textOf(data, at) })
    else return false
    return true
  }

  takeRow(row: SessionRow, faults: FaultList): void {
    if (takeUnreadable(faults, { what: 'session', row })) return
    const known = this.#opened.get(row.id)
    if (!known) {
      faults.add('not_on_record', `The session ${row.id} has a row, and is not on record.`)
      return
    }
    const isSame = textOf(sessionOnRecord(row, this.#sha256), row.created_at) === known.text
    if (isSame && this.#ended.has(row.id) === (row.ended_at !== null)) return
    const message = `The row of the session ${row.id} is not as record ${known.seq} and those after it say.`
    faults.add('access_altered', message, { seq: known.seq })
  }
}

function textOf(data: JsonObject, at: string): string {
  return JSON.stringify([
    ...['session_id', 'name', 'role', 'groups', 'by', 'expires_at', 'proof'].map(key => data[key]),
    at,
  ])
}
