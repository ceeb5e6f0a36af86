import type { Link, LinkStore, NewLink } from '../../../ports/store/people/links.ts'
import { millisecondsOrNull } from '../../rows/iso-times.ts'
import { asLink } from '../../rows/link-row.ts'
import type { PostgresSite } from '../changes/site.ts'

export class PostgresLinks implements LinkStore {
  readonly #site: PostgresSite

  constructor(site: PostgresSite) {
    this.#site = site
  }

  async add(links: readonly NewLink[]): Promise<void> {
    if (links.length === 0) return
    await this.#site.pool.transaction(async ({ query, now }) => {
      for (const { digest, hold_id, person, channel, level, assignee, expires_at } of links)
        await query(
          `INSERT INTO @links (digest, hold_id, person, channel, level, assignee, created_at, expires_at)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
          [digest, hold_id, person, channel, level, assignee, now, millisecondsOrNull(expires_at)],
        )
    })
  }

  async find(digest: string): Promise<Link | null> {
    const [row] = (await this.#site.pool.query('SELECT * FROM @links WHERE digest = $1', [digest])).rows
    return row ? asLink(row) : null
  }

  async use(digest: string): Promise<boolean> {
    return this.#site.pool.transaction(async ({ query, now }) => {
      const use = 'UPDATE @links SET used_at = $1 WHERE digest = $2 AND used_at IS NULL'
      return (await query(use, [now, digest])).count === 1
    })
  }
}
