import type { Client } from 'pg'

/** A connection outside the pool. It hears notices, and ends with its owner. */
export interface Session extends Disposable {
  readonly query: (sql: string, values?: readonly string[]) => Promise<readonly Readonly<Record<string, unknown>>[]>
  /** Called with each notice of the channels that it listens to. */
  readonly onNotice: (listener: (payload: string, channel: string) => void) => void
  /** Called once if the connection breaks. */
  readonly onLost: (listener: () => void) => void
}

export async function connectSession(client: Client): Promise<Session> {
  const lost = Promise.withResolvers<void>()
  client.on('error', () => lost.resolve())
  client.on('end', () => lost.resolve())
  await client.connect()
  // The types of pg leave it out.
  ;(client as unknown as { unref(): void }).unref()
  let isClosed = false
  return {
    query: async (sql, values = []) => (await client.query(sql, [...values])).rows,
    onNotice: listener =>
      client.on('notification', ({ payload, channel }) => isClosed || listener(payload ?? '', channel)),
    onLost: listener => void lost.promise.then(() => isClosed || listener()),
    [Symbol.dispose]: () => {
      isClosed = true
      client.end().catch(() => {})
    },
  }
}

/** A process that waits for a session alone would end meanwhile. */
export async function keepingAlive<T>(work: () => Promise<T>): Promise<T> {
  const alive = setInterval(() => {}, 60_000)
  return work().finally(() => clearInterval(alive))
}
