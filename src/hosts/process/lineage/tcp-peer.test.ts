import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { holdersOf, isOfThisMachine, stillHold } from './tcp-peer.ts'

const isLinux = process.platform === 'linux'

/** Both ends of a connection. */
async function connected(listensOn: string, to: string): Promise<[server: Socket, client: Socket]> {
  const server = createServer()
  await once(server.listen(0, listensOn), 'listening')
  const client = connect((server.address() as AddressInfo).port, to)
  const [own] = (await once(server, 'connection')) as [Socket]
  server.close()
  return [own, client]
}

test.runIf(isLinux).each([
  ['127.0.0.1', '127.0.0.1'],
  ['0.0.0.0', '127.0.0.2'],
  ['::', '127.0.0.1'],
  ['::', '::ffff:127.0.0.1'],
  ['::1', '::1'],
])('the process at the other end is found: listening on %s, reached as %s', async (listensOn, to) => {
  const [own, client] = await connected(listensOn, to)
  expect(isOfThisMachine(own)).toBe(true)
  const holders = holdersOf(own)
  expect(holders?.pids).toEqual([process.pid])
  expect(holders && stillHold(holders)).toBe(true)
  client.destroy()
  await once(client, 'close')
  expect(holders && stillHold(holders)).toBe(false)
  expect(holdersOf(own)?.pids ?? []).toEqual([])
  own.destroy()
})

test.each(['192.0.2.7', '::ffff:192.0.2.7', '2001:db8::7', 'fe80::7%eth9'])(
  'an end at %s is on another machine',
  remoteAddress => {
    expect(isOfThisMachine({ remoteAddress, remotePort: 5000, localPort: 4747 })).toBe(false)
  },
)

test('a connection without an address is of no machine', () => {
  expect(isOfThisMachine({})).toBe(false)
})
