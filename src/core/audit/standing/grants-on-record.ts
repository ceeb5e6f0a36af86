/** P10: the grants that must exist, and their exact fields, by the records alone. */
import { type Grant, grantText, type NewGrant } from '../../hold/grant.ts'
import { isJsonObject, type Json, type JsonObject } from '../../text/json.ts'
import type { AuditKind, AuditRecord } from '../audit.ts'

/** A grant according to its records. */
export interface GrantOnRecord {
  readonly id: string
  /** The `seq` of the record that gave it. */
  readonly seq: number
  readonly thread_id: string | null
  /** The fields that its record has. */
  readonly said: JsonObject
  /** The digest of the whole grant; `null` if neither a record nor a journal has it. */
  readonly digest: string | null
  readonly revoked_at: string | null
  readonly revoked_by: string | null
  readonly uses: number
}

/** Takes the records in order. */
export class GrantsOnRecord {
  readonly #grants = new Map<string, GrantOnRecord>()
  readonly #ofThread = new Map<string, Set<string>>()
  /** Threads of bundles from before grants were recorded. */
  readonly #oldBundles = new Set<string>()

  /** Takes a record. `digest` is that of the record's grant. */
  takeRecord(seq: number, record: AuditRecord, digest: string | null): void {
    const { kind, data, at, actor, thread_id } = record
    if (GIVES.includes(kind)) this.#give(seq, thread_id, { said: data['grant'], digest })
    else if (kind === 'call.gated') this.#change(data['grant_id'], ({ uses }) => ({ uses: uses + 1 }))
    else if (kind === 'grant.revoked') this.#change(data['grant_id'], () => ({ revoked_at: at, revoked_by: actor }))
    else if (kind === 'thread.pruned') this.#prune(thread_id ?? '')
    else if (kind === 'checkpoint.imported') this.#import(seq, record)
  }

  /** Takes out the grant with this id; the remaining ones are `left`. */
  take(id: string): GrantOnRecord | null {
    const known = this.#grants.get(id) ?? null
    this.#grants.delete(id)
    return known
  }

  left(): Iterable<GrantOnRecord> {
    return this.#grants.values()
  }

  isFromOldBundle(threadId: string | null): boolean {
    return threadId === null ? this.#oldBundles.size > 0 : this.#oldBundles.has(threadId)
  }

  /** The field of the row that differs from the records; `null` if it fits. */
  differingField(known: GrantOnRecord, row: Grant, digest: string | null): string | null {
    // A grant without a decision arrived in no bundle.
    const isOld = known.thread_id !== null && this.isFromOldBundle(known.thread_id)
    const other = SAID.find(key => Object.hasOwn(known.said, key) && !saysSame(known.said[key] ?? null, row[key]))
    if (other) return other
    if (known.digest !== null && known.digest !== digest) return 'content'
    // Bundles of older versions may have brought a revocation or uses.
    if (isOld && known.revoked_at === null) return null
    if (!saysSame(known.revoked_at, row.revoked_at)) return 'end'
    if (known.revoked_by !== row.revoked_by) return 'revoker'
    return known.uses === row.uses || isOld ? null : 'count of uses'
  }

  #give(
    seq: number,
    thread_id: string | null,
    { said, digest }: { said: Json | undefined; digest: string | null },
  ): void {
    if (!isJsonObject(said) || typeof said['id'] !== 'string') return
    this.#put({ id: said['id'], seq, thread_id, said, digest, revoked_at: null, revoked_by: null, uses: 0 })
  }

  #put(grant: GrantOnRecord): void {
    this.#grants.set(grant.id, grant)
    if (grant.thread_id === null || grant.said['scope'] === 'project') return
    const ofThread = this.#ofThread.get(grant.thread_id) ?? new Set()
    this.#ofThread.set(grant.thread_id, ofThread.add(grant.id))
  }

  #change(id: Json | undefined, changes: (grant: GrantOnRecord) => Partial<GrantOnRecord>): void {
    const known = this.#grants.get(String(id))
    if (known) this.#grants.set(known.id, { ...known, ...changes(known) })
  }

  /** Grants for a project stay. */
  #prune(threadId: string): void {
    for (const id of this.#ofThread.get(threadId) ?? []) this.#grants.delete(id)
    this.#ofThread.delete(threadId)
  }

  #import(seq: number, { thread_id, data }: AuditRecord): void {
    const came = data['grants']
    if (!Array.isArray(came)) {
      this.#oldBundles.add(thread_id ?? '')
      return
    }
    for (const each of came.filter(isJsonObject)) {
      const { digest, revoked_at = null, revoked_by = null, uses, ...said } = each
      const known = this.#grants.get(String(said['id']))
      const given = { id: String(said['id']), seq, thread_id, said, digest: asText(digest), ...known }
      this.#put({ ...given, revoked_at: asText(revoked_at), revoked_by: asText(revoked_by), uses: Number(uses) })
    }
  }
}

/** The facts about one grant. */
export interface GrantFacts {
  /** All records that name it, oldest first. */
  readonly records: Iterable<{ readonly seq: number; readonly record: AuditRecord }>
  /** The grant that the decision on its hold gave; `null` if the hold is gone, or gave none. */
  readonly given: NewGrant | null
  readonly digest: (text: string) => string
}

/**
 * The field of the row that differs from the given grant; `null` if it fits. A grant of an older version may have no
 * record.
 */
export function differingGrant(row: Grant, { records, digest, ...facts }: GrantFacts): string | null {
  const given = facts.given?.id === row.id ? facts.given : null
  const onRecord = new GrantsOnRecord()
  for (const { seq, record } of records) onRecord.takeRecord(seq, record, asText(record.data['grant_digest']))
  const known = onRecord.take(row.id)
  const now = digest(grantText(row))
  const isAsGiven = given !== null && digest(grantText(given)) === now
  if (known === null) return isAsGiven ? null : 'record'
  return onRecord.differingField(known, row, now) ?? (given === null || isAsGiven ? null : 'content')
}

/** Kinds of records that give grants. */
const GIVES: readonly AuditKind[] = ['hold.decided', 'grant.given']

const SAID = ['name', 'scope', 'expires_at'] as const

function asText(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null
}

/** True for equal texts, and for times with the same meaning. */
export function saysSame(one: Json, other: string | null): boolean {
  if (one === other) return true
  return typeof one === 'string' && other !== null && /^\d{4}-/.test(one) && Date.parse(one) === Date.parse(other)
}
