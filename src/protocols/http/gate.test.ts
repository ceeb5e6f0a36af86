import { expect, test } from 'vitest'
import { admit, type Caller, type Gate } from './gate.ts'
import { oneToken } from './one-token.ts'
import { isProblem, type Problem } from './problem.ts'

const token = 'the-token-of-this-test'
const ANA: Caller = { name: 'ana', role: 'admin' }
const identify = oneToken(token, ANA)
const loopback: Gate = { hosts: [], anyAddress: false, identify }
const network: Gate = { hosts: ['box.example'], anyAddress: true, identify }

/** `null`: it may enter, as its caller. */
async function problemOf(headers: Record<string, string>, gate: Gate = loopback): Promise<Problem | null> {
  const all = { host: '127.0.0.1:4653', authorization: `Bearer ${token}`, ...headers }
  const admitted = await admit(new Request('http://127.0.0.1:4653/mcp', { headers: all }), gate)
  if (isProblem(admitted)) return admitted
  expect(admitted.caller).toBe(ANA)
  return null
}

test.each(['127.0.0.1', 'localhost:4653', '[::1]:4653', 'LOCALHOST'])('Host %s is this machine', async host => {
  expect(await problemOf({ host })).toBeNull()
})

test.each([
  'evil.example',
  'localhost.evil.example:4653',
  '127.0.0.1.nip.io',
  '192.168.1.7',
  '',
  'a b',
  'x@localhost@y',
])('Host %j is turned away, with the right token too', async host => {
  expect((await problemOf({ host }))?.status).toBe(403)
})

test.each(['http://localhost:6274', 'https://127.0.0.1', 'http://[::1]:3000'])(
  'Origin %s is this machine',
  async origin => {
    expect(await problemOf({ origin })).toBeNull()
  },
)

test.each(['https://evil.example', 'null', 'file://', 'http://localhost.evil.example', 'chrome-extension://x'])(
  'a page of Origin %s is turned away, with the right token too',
  async origin => {
    expect((await problemOf({ origin }))?.status).toBe(403)
  },
)

test('a server that others reach is also addressed by number and by its names, and by no other name', async () => {
  for (const host of ['192.168.1.7:4653', '[fe80::1]', 'box.example'])
    expect(await problemOf({ host }, network)).toBeNull()
  for (const host of ['evil.example', '10.0.0.1.evil.example'])
    expect((await problemOf({ host }, network))?.status).toBe(403)
})

test.each(['', 'Bearer', 'Bearer ', `Basic ${token}`, token])(
  '%j as authorization is asked for a token',
  async authorization => {
    const problem = await problemOf({ authorization })
    expect(problem?.status).toBe(401)
    expect(problem?.headers?.['www-authenticate']).toBe('Bearer realm="holdpoint"')
  },
)

test('another token is refused as such', async () => {
  for (const other of ['x', `${token}x`, token.slice(1), token.toUpperCase()]) {
    const problem = await problemOf({ authorization: `Bearer ${other}` })
    expect(problem?.status).toBe(401)
    expect(problem?.headers?.['www-authenticate']).toContain('error="invalid_token"')
  }
})
