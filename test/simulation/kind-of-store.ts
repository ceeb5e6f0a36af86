/**
 * The kinds of store that a life may be lived on. Both keep their rows in memory. `database` is a model of a store in
 * PostgreSQL, as the runtime meets it beyond what a file does:
 * - The answer to a commit may be lost, and nobody can tell whether it happened (`store_commit_unknown`).
 * - Notices may be lost: some processes hear of nothing, and look every two seconds.
 * - The time of leases and deadlines is the database's, however far the clock of a host is ahead.
 */
import { StoreError } from '../../src/stores/store-error.ts'
import type { Mortality } from './mortal-store.ts'

export type KindOfStore = 'file' | 'database'

/** As `stores/postgres/changes/outside-listener.ts` does without notices. */
export const LOOKS_MS = 2_000

export const HEARS: Readonly<Record<KindOfStore, readonly Mortality['hears'][]>> = {
  file: ['at_once', 'later', 'something'],
  database: ['something', 'later', 'by_looking'],
}

/** The error that the store has for it. */
export function unknownCommit(): StoreError {
  return new StoreError('store_commit_unknown', 'The connection was lost during a commit.')
}

export function isUnknownCommit(thrown: unknown): boolean {
  return thrown instanceof StoreError && thrown.code === 'store_commit_unknown'
}

/** Once its transaction is over, and before its process hears of it. */
export const COMMITTED: RegExp = /^(start|claim|renew|release|request|append|decide|amend|revoke|record):after$/

/** Of what people say. */
export const SAID: RegExp = /^(request|decide|amend|revoke):after$/
