import type { Link, LinkStore, NewLink } from '../../../ports/store/people/links.ts'
import { asLink } from '../../rows/link-row.ts'
import type { AccessDeps } from './access-table.ts'

export class SqliteLinks implements LinkStore {
  readonly #site: Pick<AccessDeps, 'database' | 'clock'>

  constructor(site: Pick<AccessDeps, 'database' | 'clock'>) {
    this.#site = site
  }

  async add(links: readonly NewLink[]): Promise<void> {
    const { database, clock } = this.#site
    await database.transaction(() => {
      for (const { digest, hold_id, person, channel, level, assignee, expires_at } of links)
        database
          .statement(
            `INSERT INTO links (digest, hold_id, person, channel, level, assignee, created_at, expires_at)
               VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
          )
          .run(
            ...[digest, hold_id, person, channel, level, assignee, clock.now()],
            expires_at === null ? null : Date.parse(expires_at),
          )
    })
  }

  async find(digest: string): Promise<Link | null> {
    const { database } = this.#site
    return database.read(() => {
      const row = database.statement('SELECT * FROM links WHERE digest = ?').get(digest)
      return row ? asLink(row) : null
    })
  }

  async use(digest: string): Promise<boolean> {
    const { database, clock } = this.#site
    return database.transaction(() => {
      const use = database.statement('UPDATE links SET used_at = ? WHERE digest = ? AND used_at IS NULL')
      return use.run(clock.now(), digest).changes === 1
    })
  }
}
