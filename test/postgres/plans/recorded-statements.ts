/** The statements that a store sends, as the driver gets them. */
import pg from 'pg'

export interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
}

/** Since the driver is watched: each statement once, with the values of its first call. */
export class RecordedStatements implements Disposable {
  readonly #statements = new Map<string, Statement>()
  readonly #query = pg.Client.prototype.query

  constructor() {
    const statements = this.#statements
    const query = this.#query
    pg.Client.prototype.query = function (this: pg.Client, ...given: unknown[]) {
      const [asked] = given as [Partial<Statement> | string]
      if (typeof asked === 'object' && asked.text !== undefined && !statements.has(asked.text))
        statements.set(asked.text, { text: asked.text, values: asked.values ?? [] })
      return Reflect.apply(query, this, given)
    } as typeof query
  }

  get all(): readonly Statement[] {
    return [...this.#statements.values()]
  }

  [Symbol.dispose](): void {
    pg.Client.prototype.query = this.#query
  }
}
