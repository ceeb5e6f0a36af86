import { type FleetHost, HOST_LEASE_MS, type HostName } from '../../../core/fleet/fleet-host.ts'
import type { HostStore } from '../../../ports/store/fleet/hosts.ts'
import { isoTimeOrNull } from '../../rows/iso-times.ts'
import type { PostgresSite } from '../changes/site.ts'
import { ifAllowed } from '../database/database-errors.ts'
import type { Query, Transaction } from '../database/pool.ts'

/** The machines that share the store. Each writes its own row alone; the time is the store's. */
export class PostgresHosts implements HostStore {
  readonly #site: PostgresSite

  constructor(site: PostgresSite) {
    this.#site = site
  }

  get self(): string {
    return this.#site.host.id
  }

  async list(): Promise<FleetHost[]> {
    return this.#site.pool.snapshot(async ({ query, now }) => {
      const { rows } = await query('SELECT id, name, address, output, seen_at FROM @hosts ORDER BY id')
      return rows.map(row => asHost(row, now))
    })
  }

  async keepsOutput(directory: string): Promise<void> {
    const { rows } = await this.#site.pool.query('SELECT output FROM @hosts WHERE id = $1', [this.self])
    if (rows[0]?.['output'] === directory) return
    const note = 'UPDATE @hosts SET output = $2 WHERE id = $1'
    // A process that may only look starts no task, so it keeps no output either.
    await ifAllowed(() => this.#write(({ query }) => query(note, [this.self, directory])))
  }

  async isSeen(address?: string | null): Promise<void> {
    await this.#write(({ query, now }) =>
      address === undefined
        ? query('UPDATE @hosts SET seen_at = $2 WHERE id = $1', [this.self, now])
        : query('UPDATE @hosts SET seen_at = $2, address = $3 WHERE id = $1', [this.self, now, address]),
    )
  }

  async #write(work: (transaction: Transaction) => Promise<unknown>): Promise<void> {
    await this.#site.pool.transaction(async transaction => {
      await nameHost(transaction.query, this.#site.host)
      await work(transaction)
    })
  }
}

/** Inside a transaction: the host has a row, which is locked from here on. */
export async function nameHost(query: Query, { id, name }: HostName): Promise<void> {
  const insert = 'INSERT INTO @hosts (id, name) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET name = excluded.name'
  await query(insert, [id, name])
}

function asHost(row: Readonly<Record<string, unknown>>, now: number): FleetHost {
  const seen = row['seen_at'] === null ? null : Number(row['seen_at'])
  return {
    id: String(row['id']),
    name: String(row['name']),
    address: row['address'] as string | null,
    output: row['output'] as string | null,
    seen_at: isoTimeOrNull(seen),
    is_gone: seen === null || now - seen > HOST_LEASE_MS,
  }
}
