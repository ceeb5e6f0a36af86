import type { Link, LinkStore, NewLink } from '../../../ports/store/people/links.ts'
import { millisecondsOrNull } from '../../rows/iso-times.ts'
import { asLink } from '../../rows/link-row.ts'
import type { SqlDeps, SqlDriver } from '../driver/driver.ts'
import { first, run, runEach } from '../driver/work.ts'

export class SqlLinks implements LinkStore {
  readonly #driver: SqlDriver

  constructor({ driver }: SqlDeps) {
    this.#driver = driver
  }

  async add(links: readonly NewLink[]): Promise<void> {
    if (links.length === 0) return
    await this.#driver.transaction(({ now }) =>
      runEach(
        `INSERT INTO @links (digest, hold_id, person, channel, level, assignee, created_at, expires_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        links.map(({ digest, hold_id, person, channel, level, assignee, expires_at }) => {
          return [digest, hold_id, person, channel, level, assignee, now, millisecondsOrNull(expires_at)]
        }),
      ),
    )
  }

  async find(digest: string): Promise<Link | null> {
    const row = await this.#driver.read(() => first('SELECT * FROM @links WHERE digest = ?', [digest]))
    return row ? asLink(row) : null
  }

  async use(digest: string): Promise<boolean> {
    const use = 'UPDATE @links SET used_at = ? WHERE digest = ? AND used_at IS NULL'
    return (await this.#driver.transaction(({ now }) => run(use, [now, digest]))) === 1
  }
}
