import { createHmac } from 'node:crypto'
import type { Pool } from '../database/pool.ts'

/**
 * Any user of PostgreSQL may listen to a channel, or notify one. So their names follow from the secret of the store: a
 * user who cannot read the store knows none of them.
 */
export class ChannelNames {
  readonly #schema: string
  readonly #secret: string

  constructor(schema: string, secret: string) {
    this.#schema = schema
    this.#secret = secret
  }

  /** @throws StoreError */
  static async read({ schema, query }: Pick<Pool, 'schema' | 'query'>): Promise<ChannelNames> {
    const { rows } = await query('SELECT value FROM @secret')
    return new ChannelNames(schema, String(rows[0]?.['value']))
  }

  /** The channel on which a new follower announces itself. */
  get followers(): string {
    return this.#name('followers')
  }

  /** Brings the pieces of this thread. */
  ofThread(threadId: string): string {
    return this.#name(`thread ${threadId}`)
  }

  /** A name may have 63 bytes. */
  #name(purpose: string): string {
    const digest = createHmac('sha256', this.#secret).update(`live ${this.#schema} ${purpose}`).digest('hex')
    return `holdpoint_${digest.slice(0, 40)}`
  }
}
