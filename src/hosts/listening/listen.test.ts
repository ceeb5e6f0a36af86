import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { listen } from './listen.ts'

test('a client that finds nearly all connections taken is told to come again, and is served once one is free', async () => {
  const server = await listen(async () => new Response('served'), { host: '127.0.0.1', port: 0 }, { connections: 66 })
  const { hostname, port } = new URL(server.url)
  const idle = await Promise.all(
    [1, 2].map(async () => {
      const socket: Socket = connect(Number(port), hostname)
      await once(socket, 'connect')
      return socket
    }),
  )
  const refused = await fetch(server.url)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
  expect(await refused.json()).toMatchObject({ code: 'server_busy' })
  idle[0]?.destroy()
  await expect.poll(async () => (await fetch(server.url)).status).toBe(200)
  idle[1]?.destroy()
  await server.close()
})
