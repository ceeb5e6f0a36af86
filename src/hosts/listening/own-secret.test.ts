import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { MCP_TOKEN, ownSecret } from './own-secret.ts'

let directory = ''
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'holdpoint-token-'))
})
afterEach(() => {
  rmSync(directory, { recursive: true, force: true, maxRetries: 10 })
})

test('a token is made once, for its owner alone, and stays', () => {
  const { secret, place } = ownSecret(MCP_TOKEN, directory, {})
  expect(place).toBe(join(directory, '.holdpoint', 'mcp-token'))
  expect(readFileSync(place, 'utf8').trim()).toBe(secret)
  expect(Buffer.from(secret, 'base64url')).toHaveLength(32)
  expect(statSync(place).mode & 0o777).toBe(0o600)
  expect(ownSecret(MCP_TOKEN, directory, {}).secret).toBe(secret)
})

test("the environment's token comes first, and nothing is written", () => {
  const token = 'sixteen-or-more-characters'
  expect(ownSecret(MCP_TOKEN, directory, { HOLDPOINT_MCP_TOKEN: token })).toEqual({
    secret: token,
    place: 'HOLDPOINT_MCP_TOKEN',
  })
  expect(() => statSync(join(directory, '.holdpoint'))).toThrow('ENOENT')
})

test.each(['short', 'with spaces in the middle of it', 'line\nbreaks-are-no-token'])('%j is no token', token => {
  expect(() => ownSecret(MCP_TOKEN, directory, { HOLDPOINT_MCP_TOKEN: token })).toThrow(/cannot be used: it must be/)
})

test('a token that others may read, or that lies elsewhere, is refused', () => {
  const { place } = ownSecret(MCP_TOKEN, directory, {})
  chmodSync(place, 0o644)
  expect(() => ownSecret(MCP_TOKEN, directory, {})).toThrow(/others may read it/)
  rmSync(place)
  symlinkSync('/etc/hostname', place)
  expect(() => ownSecret(MCP_TOKEN, directory, {})).toThrow(/or it is a link/)
})
