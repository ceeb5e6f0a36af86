import { Pool } from '../../src/stores/postgres/database/pool.ts'
import { openPostgresStore, type PostgresStore } from '../../src/stores/postgres/postgres-store.ts'

/** What a new store begins with. */
const MADE: ReadonlySet<string> = new Set(['schema_version', 'secret', 'audit_head'])

interface Schema {
  readonly url: string
  readonly empty: () => Promise<void>
}

/**
 * Stores with nothing in them, one for each test. To empty the tables of a store that was closed takes a fraction of the time
 * to make others.
 */
export class EmptySchemas implements AsyncDisposable {
  readonly #database: string
  readonly #free: Schema[] = []
  readonly #pools: Pool[] = []
  readonly #urls = new WeakMap<object, string>()

  constructor(database: string) {
    this.#database = database
  }

  async open(now: () => number): Promise<PostgresStore> {
    const schema = this.#free.pop() ?? (await this.#make())
    await schema.empty()
    const store = await openPostgresStore(schema.url, now)
    this.#urls.set(store, schema.url)
    const close = store[Symbol.asyncDispose].bind(store)
    store[Symbol.asyncDispose] = async () => {
      await close()
      if (!this.#free.includes(schema)) this.#free.push(schema)
    }
    return store
  }

  /** Another one on what `store` holds. */
  reopen(store: object, now: () => number): Promise<PostgresStore> {
    return openPostgresStore(this.#urls.get(store) ?? '', now)
  }

  async #make(): Promise<Schema> {
    const url = `${this.#database}?schema=empty_${this.#pools.length}`
    const pool = await Pool.open(url, null)
    this.#pools.push(pool)
    const statement = await emptying(pool)
    return { url, empty: async () => void (await pool.query(statement)) }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const pool of this.#pools) await pool[Symbol.asyncDispose]()
  }
}

/** One statement, so that a reference between two of the tables is checked when both are empty. */
async function emptying(pool: Pool): Promise<string> {
  const { rows } = await pool.query('SELECT tablename AS name FROM pg_tables WHERE schemaname = $1', [pool.schema])
  const filled = rows.map(({ name }) => String(name)).filter(name => !MADE.has(name))
  const parts = filled.map(name => `${name}_gone AS (DELETE FROM @${name})`)
  return `WITH ${parts.join(', ')},
    secret_made AS (UPDATE @secret SET value = replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''))
    UPDATE @audit_head SET seq = 0, hash = repeat('0', 64)`
}
