import type pg from 'pg'
import { storeFailures } from '../../store-refusals.ts'
import { passwordInFile } from './password-file.ts'

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
    throw storeFailures.driverMissing(cause)
  }
}

/**
 * Connections that look for their password in the file of passwords, if neither the URL nor the environment has it. The
 * driver's own look at that file is deprecated, and it warns on stderr.
 */
export function clientOf(pg: Driver): typeof pg.Client {
  return class extends pg.Client {
    constructor(config?: string | pg.ClientConfig) {
      super(config)
      const value = () => passwordInFile(this).catch(thrown => this.#givesUp(thrown))
      if (!this.password) Object.defineProperty(this, 'password', { value, writable: true, configurable: true })
    }

    /** The server still waits for a password, and the open socket would keep the process alive. */
    #givesUp(thrown: unknown): never {
      this.end().catch(() => {})
      throw thrown
    }
  }
}

/** The options of each connection to a store. */
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
