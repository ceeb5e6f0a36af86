/** One PostgreSQL for all test files of a run: each takes a database of it. It starts when the first file asks for it. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openServer, SHARED_SERVER, type TestDatabase } from './database.ts'

// biome-ignore lint/style/noDefaultExport: vitest asks for one
export default async function setup(): Promise<() => Promise<void>> {
  let opening: Promise<TestDatabase> | null = null
  const door = createServer(async (_request, response) => {
    opening ??= openServer()
    const database = await opening
    response.end(JSON.stringify('url' in database ? { url: database.url } : { missing: database.missing }))
  })
  door.listen(0, '127.0.0.1')
  await once(door, 'listening')
  process.env[SHARED_SERVER] = `http://127.0.0.1:${(door.address() as AddressInfo).port}`
  return async () => {
    door.close()
    await (await opening)?.[Symbol.asyncDispose]()
  }
}
