import { type FleetHost, HOST_LEASE_MS, type HostName } from '../../../core/fleet/fleet-host.ts'
import type { HostStore } from '../../../ports/store/fleet/hosts.ts'
import { isoTimeOrNull } from '../../rows/iso-times.ts'
import { ifAllowed } from '../../sql/audit/seal-if-allowed.ts'
import type { SqlDriver, Transaction } from '../../sql/driver/driver.ts'
import { all, first, type Row, run, type Work } from '../../sql/driver/work.ts'
import { nameHost } from '../../sql/tasks/task-table.ts'

/** The machines that share the store. Each writes its own row alone; the time is the store's. */
export class PostgresHosts implements HostStore {
  readonly #driver: SqlDriver
  readonly #host: HostName

  constructor(driver: SqlDriver, host: HostName) {
    this.#driver = driver
    this.#host = host
  }

  get self(): string {
    return this.#host.id
  }

  async list(): Promise<FleetHost[]> {
    return this.#driver.snapshot(function* ({ now }) {
      const rows = yield* all('SELECT id, name, address, output, seen_at FROM @hosts ORDER BY id')
      return rows.map(row => asHost(row, now))
    })
  }

  async keepsOutput(directory: string): Promise<void> {
    const row = await this.#driver.read(() => first('SELECT output FROM @hosts WHERE id = ?', [this.self]))
    if (row?.['output'] === directory) return
    const note = 'UPDATE @hosts SET output = ? WHERE id = ?'
    // A process that may only look starts no task, so it keeps no output either.
    await ifAllowed(() => this.#write(() => run(note, [directory, this.self])))
  }

  async isSeen(address?: string | null): Promise<void> {
    await this.#write(({ now }) =>
      address === undefined
        ? run('UPDATE @hosts SET seen_at = ? WHERE id = ?', [now, this.self])
        : run('UPDATE @hosts SET seen_at = ?, address = ? WHERE id = ?', [now, address, this.self]),
    )
  }

  async #write(work: (transaction: Transaction) => Work<unknown>): Promise<void> {
    const host = this.#host
    await this.#driver.transaction(function* (transaction) {
      yield* nameHost(host)
      yield* work(transaction)
    })
  }
}

function asHost(row: Row, now: number): FleetHost {
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
