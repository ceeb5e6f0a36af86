import type { Cell } from './pool.ts'

/** The conditions of a statement and their values: those that are not given are left out. */
export class Conditions {
  readonly #conditions: string[] = []
  readonly #values: Cell[] = []

  /** Each `?` of `sql` stands for the value. */
  add(sql: string, value: Cell | undefined): this {
    if (value === undefined) return this
    this.#values.push(value)
    return this.addText(sql.replaceAll('?', `$${this.#values.length}`))
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

  get values(): readonly Cell[] {
    return this.#values
  }

  /** The place of one more value, behind those of the conditions. */
  get next(): string {
    return `$${this.#values.length + 1}`
  }
}
