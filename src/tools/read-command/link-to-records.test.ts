import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { inspectCommand } from './inspect-command.ts'
import { linkToRecords } from './link-to-records.ts'

const home = realpathSync(mkdtempSync(join(tmpdir(), 'holdpoint-')))
mkdirSync(join(home, '.holdpoint/session'), { recursive: true })
mkdirSync(join(home, 'plain'))
writeFileSync(join(home, '.holdpoint/policy.json'), '{}')
symlinkSync('.holdpoint', join(home, 'build'))
symlinkSync('.holdpoint/policy.json', join(home, 'effects.log'))
afterAll(() => rmSync(home, { recursive: true }))

test.each([
  ['echo {} > build/policy.json', 'build/policy.json'],
  ['echo x >>effects.log', 'effects.log'],
  ['cp a build', 'build'],
  ['rm "build/new.json"', 'build/new.json'],
  ['tee --output=build/new.json', 'build/new.json'],
  ['cd build && rm x', 'build'],
])('P1: %j always needs a person, because a link leads to the records', async (command, word) => {
  expect(linkToRecords(command, home)).toBe(word)
  expect((await inspectCommand(command, home)).protected).toContain(word)
})

test.each(['true', 'echo applied >> other.log', 'ls plain', 'cat plain/nothing/there', ''])('%j does not', command => {
  expect(linkToRecords(command, home)).toBeNull()
})
