import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { MCP_TOKEN, ownSecret } from './own-secret.ts'

let directory = ''
let home = ''
beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'holdpoint-token-')))
  home = mkdtempSync(join(tmpdir(), 'holdpoint-home-'))
})
afterEach(() => {
  for (const each of [directory, home]) rmSync(each, { recursive: true, force: true, maxRetries: 10 })
})

const own = () => ownSecret(MCP_TOKEN, directory, { HOME: home })

test('a token is made once, for its owner alone, and stays', () => {
  const { secret, place } = own()
  expect(readFileSync(place, 'utf8').trim()).toBe(secret)
  expect(Buffer.from(secret, 'base64url')).toHaveLength(32)
  expect(statSync(place).mode & 0o777).toBe(0o600)
  expect(own().secret).toBe(secret)
})

test("P1: a token of the user lies with the user's state, and nothing of it below the project", () => {
  const { place } = own()
  expect(place).toMatch(`${home}/.local/state/holdpoint/secrets/`)
  expect(statSync(dirname(place)).mode & 0o777).toBe(0o700)
  expect(existsSync(join(directory, '.holdpoint'))).toBe(false)
  const elsewhere = ownSecret(MCP_TOKEN, directory, { HOME: home, XDG_STATE_HOME: join(home, 'state') })
  expect(elsewhere.place).toMatch(`${home}/state/holdpoint/secrets/`)
})

test('a project has one token by whatever path it is reached, and another project another one', () => {
  mkdirSync(join(directory, '.holdpoint'))
  mkdirSync(join(directory, 'sub'))
  symlinkSync(directory, join(home, 'link'))
  const { secret } = own()
  expect(ownSecret(MCP_TOKEN, join(directory, 'sub'), { HOME: home }).secret).toBe(secret)
  expect(ownSecret(MCP_TOKEN, join(home, 'link'), { HOME: home }).secret).toBe(secret)
  expect(ownSecret(MCP_TOKEN, home, { HOME: home }).secret).not.toBe(secret)
})

test('a token that an older version left below the project is moved, and stays the same', () => {
  mkdirSync(join(directory, '.holdpoint'))
  const before = join(directory, '.holdpoint/mcp-token')
  writeFileSync(before, 'the-token-of-an-older-version\n', { mode: 0o600 })
  expect(own().secret).toBe('the-token-of-an-older-version')
  expect(existsSync(before)).toBe(false)
  writeFileSync(before, 'a-token-that-an-older-version-made-later\n', { mode: 0o600 })
  expect(own().secret).toBe('the-token-of-an-older-version')
  expect(existsSync(before)).toBe(false)
})

test('a home that cannot be written is told, with what to do', () => {
  writeFileSync(join(home, '.local'), '')
  expect(own).toThrow(
    expect.objectContaining({ code: 'unusable_token', hint: expect.stringContaining('XDG_STATE_HOME') }),
  )
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
  const { place } = own()
  chmodSync(place, 0o644)
  expect(own).toThrow(/others may read it/)
  rmSync(place)
  symlinkSync('/etc/hostname', place)
  expect(own).toThrow(/or it is a link/)
})
