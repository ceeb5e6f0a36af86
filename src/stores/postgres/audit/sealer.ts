import type { Pool } from '../database/pool.ts'
import { sealAll } from './seal-audit.ts'

/** A record has its place at most so much later, if nothing fails. */
const REST_MS = 20

/**
 * Seals after the writers of this process. It may fail or be late without harm: the next process that reads or seals
 * takes what it left.
 */
export class Sealer implements AsyncDisposable {
  readonly #pool: Pool
  #timer: NodeJS.Timeout | null = null
  #underway: Promise<unknown> | null = null

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /** After a commit that may have put something on record. */
  soon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      if (this.#underway) this.soon()
      else this.#seal()
    }, REST_MS).unref()
  }

  #seal(): void {
    this.#underway = sealAll(this.#pool)
      .catch(() => {})
      .finally(() => {
        this.#underway = null
      })
  }

  /** Seals what is left, before its pool is closed. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#timer !== null) this.#timer.close()
    const wasDue = this.#timer !== null
    this.#timer = null
    await this.#underway
    if (wasDue) await sealAll(this.#pool).catch(() => {})
  }
}
