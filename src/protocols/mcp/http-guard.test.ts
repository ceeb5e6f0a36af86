import { expect, test } from 'vitest'
import { type Gate, turnedAway } from './http-guard.ts'

const token = 'the-token-of-this-test'
const loopback: Gate = { token, hosts: [], anyAddress: false }
const network: Gate = { token, hosts: ['box.example'], anyAddress: true }

function answer(headers: Record<string, string>, gate: Gate = loopback): Response | null {
  const all = { host: '127.0.0.1:4653', authorization: `Bearer ${token}`, ...headers }
  return turnedAway(new Request('http://127.0.0.1:4653/mcp', { headers: all }), gate)
}

test.each(['127.0.0.1', 'localhost:4653', '[::1]:4653', 'LOCALHOST'])('Host %s is this machine', host => {
  expect(answer({ host })).toBeNull()
})

test.each([
  'evil.example',
  'localhost.evil.example:4653',
  '127.0.0.1.nip.io',
  '192.168.1.7',
  '',
  'a b',
  'x@localhost@y',
])('Host %j is turned away, with the right token too', host => {
  expect(answer({ host })?.status).toBe(403)
})

test.each(['http://localhost:6274', 'https://127.0.0.1', 'http://[::1]:3000'])('Origin %s is this machine', origin => {
  expect(answer({ origin })).toBeNull()
})

test.each(['https://evil.example', 'null', 'file://', 'http://localhost.evil.example', 'chrome-extension://x'])(
  'a page of Origin %s is turned away, with the right token too',
  origin => {
    expect(answer({ origin })?.status).toBe(403)
  },
)

test('a server that others reach is also addressed by number and by its names, and by no other name', () => {
  for (const host of ['192.168.1.7:4653', '[fe80::1]', 'box.example']) expect(answer({ host }, network)).toBeNull()
  for (const host of ['evil.example', '10.0.0.1.evil.example']) expect(answer({ host }, network)?.status).toBe(403)
})

test.each(['', 'Bearer', 'Bearer ', `Basic ${token}`, token])(
  '%j as authorization is asked for a token',
  authorization => {
    const response = answer({ authorization })
    expect(response?.status).toBe(401)
    expect(response?.headers.get('www-authenticate')).toBe('Bearer realm="holdpoint"')
  },
)

test('another token is refused as such', () => {
  for (const other of ['x', `${token}x`, token.slice(1), token.toUpperCase()]) {
    const response = answer({ authorization: `Bearer ${other}` })
    expect(response?.status).toBe(401)
    expect(response?.headers.get('www-authenticate')).toContain('error="invalid_token"')
  }
})
