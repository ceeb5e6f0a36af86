import { numbered } from '../../refuse-unkept.ts'
import { sha256 } from '../../sha256.ts'
import type { Cell, Result, Statement as WantedStatement } from '../../sql/driver/work.ts'
import { isLostStatement } from './database-errors.ts'

/** A statement with its values. */
export type Statement = Pick<WantedStatement, 'sql' | 'values'>

export type Query = (sql: string, values?: readonly Cell[]) => Promise<Result>

/** The statements of one transaction. */
export interface Statements extends Query {
  /**
   * Sends one whose result the caller does not need, and does not wait for it: those that follow each other, and the
   * commit, cost one round trip. If it fails, the transaction fails with the same error.
   */
  readonly send: (sql: string, values?: readonly Cell[]) => void
}

/** The statements and the time of one transaction. */
export interface Transaction {
  readonly query: Statements
  /** Milliseconds since 1970, of the database. */
  readonly now: number
}

/** The time of the database, as a column of a statement: milliseconds since 1970, as text. */
export const TIME = 'floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now'

/** The id shows later whether it was committed. */
export const BEGIN: string = `BEGIN; SELECT ${TIME}, pg_current_xact_id()::text AS id`
export const BEGIN_SNAPSHOT: string = `BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY; SELECT ${TIME}`

/** The statements of one transaction, of which some were sent and not waited for. PostgreSQL answers them in their order. */
export class SentStatements {
  readonly statements: Statements
  readonly #sent: Promise<void>[] = []
  #failure: unknown = null

  /** `run` is to refuse at once what cannot be sent. */
  constructor(run: Query) {
    const query: Query = (sql, values) => run(sql, values)
    const send: Statements['send'] = (sql, values) => {
      const answered = run(sql, values).then(
        () => {},
        thrown => {
          this.#failure ??= thrown
        },
      )
      this.#sent.push(answered)
    }
    this.statements = Object.assign(query, { send })
  }

  /** Once all are answered: why the first of them failed, of which the others know nothing; `null` if none did. */
  async failure(): Promise<unknown> {
    await Promise.all(this.#sent)
    return this.#failure
  }

  /** P4: one that never went out fails here, so that nothing is committed without it: PostgreSQL does not know of it. */
  async areOut(): Promise<void> {
    // pg refuses in a tick, and rejects in the microtasks after it.
    for (let ticks = 0; ticks < 2; ticks += 1) await new Promise<void>(resolve => process.nextTick(resolve))
    if (this.#failure !== null) throw this.#failure
  }
}

/** The texts of statements in one schema. Each is prepared once in each connection, as long as connections keep them. */
export class StatementTexts {
  readonly #schema: string
  readonly #known = new Map<string, { readonly name: string; readonly text: string }>()
  #isNaming = true

  constructor(schema: string) {
    this.#schema = schema
  }

  /** The name follows from the text: so processes that share a pooler never give one name to two statements. */
  of(sql: string): { readonly name?: string; readonly text: string } {
    const known = this.#known.get(sql) ?? this.#add(sql)
    return this.#isNaming ? known : { text: known.text }
  }

  /** True if a pooler gave the client a connection without its statements: from then on none is named. */
  isLostBy(thrown: unknown): boolean {
    if (!isLostStatement(thrown)) return false
    this.#isNaming = false
    return true
  }

  #add(sql: string): { readonly name: string; readonly text: string } {
    const text = numbered(sql).replaceAll(/@(?=[a-z_])/g, `"${this.#schema}".`)
    const added = { name: `holdpoint_${sha256(text).slice(0, 32)}`, text }
    this.#known.set(sql, added)
    return added
  }
}
