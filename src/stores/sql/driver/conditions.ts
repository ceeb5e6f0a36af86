import type { Cell } from './work.ts'

/** The conditions of a statement and their values: those that are not given are left out. */
export class Conditions {
  readonly #conditions: string[] = []
  readonly values: Cell[] = []

  /** Each `?` of `sql` takes the next of the values. */
  add(sql: string, value: Cell | undefined, ...more: readonly Cell[]): this {
    if (value === undefined) return this
    this.values.push(value, ...more)
    return this.addText(sql)
  }

  /** A condition without a value. */
  addText(sql: string | undefined): this {
    if (sql !== undefined) this.#conditions.push(sql)
    return this
  }

  /** `WHERE …`, or nothing. */
  get where(): string {
    return this.#conditions.length > 0 ? `WHERE ${this.#conditions.join(' AND ')}` : ''
  }
}
