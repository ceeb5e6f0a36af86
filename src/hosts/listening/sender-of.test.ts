import { expect, test } from 'vitest'
import { PeerProofs } from './peer-proofs.ts'
import { senderOf } from './sender-of.ts'

const isLinux = process.platform === 'linux'
const ports = { remotePort: 1, localPort: 2 }

test('P1: of a process on another machine nothing is asked but its token', () => {
  expect(senderOf({ remoteAddress: '192.0.2.7', ...ports }).objection()).toBeNull()
})

test.runIf(isLinux).each(['127.0.0.1', '::1', '::ffff:127.0.0.1'])(
  'P1: a process of this machine that is not found may only look, from %s',
  remoteAddress => {
    expect(senderOf({ remoteAddress, ...ports }).objection()).toMatchObject({ code: 'process_not_trusted' })
  },
)

test.runIf(isLinux)('P1: over a Unix socket a secret that nobody has said proves nothing', async () => {
  const proofs = await PeerProofs.open()
  for (const secret of [null, '', '0'.repeat(64)])
    expect(proofs.objectionTo(secret)).toMatchObject({ code: 'process_not_trusted' })
  proofs.close()
})

test.runIf(isLinux).each([
  ['a browser', 'GET /holdpoint-peer HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: text/html, application/xhtml+xml\r\n\r\n'],
  ['a client with a short secret', `holdpoint-peer ${'0'.repeat(32)}\n${'x'.repeat(60)}`],
  ['a client that says more', `holdpoint-peer ${'0'.repeat(64)}\nholdpoint-peer ${'1'.repeat(64)}\n`],
])('what %s says is no proof', async (_who, text) => {
  const { connect } = await import('node:net')
  const proofs = await PeerProofs.open()
  const client = connect(proofs.port ?? 0, '127.0.0.1')
  client.write(text)
  const said: Buffer[] = []
  client.on('data', data => said.push(data)).on('error', () => {})
  await new Promise(resolve => client.once('close', resolve))
  expect(said).toEqual([])
  expect(proofs.objectionTo('0'.repeat(64))).toMatchObject({ code: 'process_not_trusted' })
  proofs.close()
})
