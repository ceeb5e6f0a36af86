import fc from 'fast-check'
import { expect, test } from 'vitest'
import { harmlessName } from './client-name.ts'

test.each([
  ['claude-code', 'claude-code'],
  ['Claude Desktop 1.2', 'Claude-Desktop-1.2'],
  ['Ünïcode_ok', 'Ünïcode_ok'],
  ['an\u200ba\n@admins, ben', 'an-a-admins-ben'],
  ['\u202e', null],
  ['  ', null],
  ['../..', null],
  ['x'.repeat(1000), 'x'.repeat(64)],
  [`${'.'.repeat(1_000_000)}x`, null],
])('%j becomes %j', (given, name) => {
  expect(harmlessName(given)).toBe(name)
})

test('no name keeps what could hide something or mean something else', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(0x10ffff)), characters => {
      const given = String.fromCodePoint(...characters)
      expect(harmlessName(given) ?? 'none').toMatch(/^[\p{L}\p{N}._-]{1,64}$/u)
    }),
  )
})
