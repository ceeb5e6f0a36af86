import type pg from 'pg'
import { StoreError } from '../../store-error.ts'

type Driver = typeof pg

const CONNECT_MS = 10_000
/** A connection on which an answer is longer overdue than any statement may take is lost. */
const ANSWER_MS = 20_000
const INT8 = 20

/** An optional peer: only who names a store in PostgreSQL installs it. @throws StoreError `store_driver_missing` */
export async function loadPg(): Promise<Driver> {
  try {
    return (await import('pg')).default
  } catch (cause) {
    throw new StoreError(
      'store_driver_missing',
      'A store in PostgreSQL needs the package pg, which is not installed.',
      {
        hint: 'Run `npm install pg` in the project, and run the command again.',
        cause,
      },
    )
  }
}

/** Of each connection to a store. */
export function connectionOptions({ types }: Driver, connectionString: string): pg.ClientConfig {
  return {
    pipeline: true,
    connectionString,
    connectionTimeoutMillis: CONNECT_MS,
    application_name: 'holdpoint',
    query_timeout: ANSWER_MS,
    keepAlive: true,
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === INT8 ? Number : types.getTypeParser(oid, format as 'text'),
    },
  }
}
