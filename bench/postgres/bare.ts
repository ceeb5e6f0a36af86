import pg from 'pg'

/** Rows of so many bytes, each in a commit of its own, over one connection. */
export class BareRows implements AsyncDisposable {
  readonly #client: pg.Client
  readonly #data: string

  private constructor(client: pg.Client, bytes: number) {
    this.#client = client
    this.#data = 'x'.repeat(bytes)
  }

  static async open(url: string, bytes: number): Promise<BareRows> {
    const client = new pg.Client(url)
    await client.connect()
    await client.query(MAKE_TABLE)
    return new BareRows(client, bytes)
  }

  async commit(): Promise<void> {
    await this.#client.query({ name: 'bare', text: 'INSERT INTO bare_rows (data) VALUES ($1)', values: [this.#data] })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.end()
  }
}

/** Of several that make it at once, one does. */
const MAKE_TABLE = `BEGIN; SELECT pg_advisory_xact_lock(1);
  CREATE TABLE IF NOT EXISTS bare_rows (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, data text); COMMIT`

/** Looks at rows over one connection. */
export class Looks implements AsyncDisposable {
  readonly #client: pg.Client

  private constructor(client: pg.Client) {
    this.#client = client
  }

  static async open(url: string): Promise<Looks> {
    const client = new pg.Client(url)
    await client.connect()
    return new Looks(client)
  }

  /** One value of one row. */
  async value(sql: string): Promise<number> {
    return Number(Object.values((await this.#client.query(sql)).rows[0] ?? {})[0])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.end()
  }
}

/** One value of one row. */
export async function oneValue(url: string, sql: string): Promise<number> {
  await using looks = await Looks.open(url)
  return await looks.value(sql)
}
