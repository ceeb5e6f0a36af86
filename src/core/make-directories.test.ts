import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeDirectories } from './make-directories.ts'

let within = ''
beforeEach(() => {
  within = mkdtempSync(join(tmpdir(), 'holdpoint-directories-'))
})
afterEach(() => rmSync(within, { recursive: true }))

const make = (path: string) => makeDirectories(path, each => mkdirSync(each, { mode: 0o700 }))

test.each(['a', 'a/b/c', 'a/b/c/', 'a//b', './a/../a/b'])('%s is made with those above it, once and again', path => {
  make(`${within}/${path}`)
  make(`${within}/${path}`)
  const found = statSync(`${within}/${path}`)
  expect([found.isDirectory(), found.mode & 0o777]).toEqual([true, 0o700])
})

test('a path that is not absolute is made below the working directory', () => {
  const made: string[] = []
  makeDirectories('a/b', path => {
    made.push(path)
    if (made.length === 1) throw Object.assign(new Error('no a'), { code: 'ENOENT' })
  })
  expect(made).toEqual(['a/b', 'a', 'a/b'])
})

test.skipIf(process.platform !== 'linux').each(['/proc/x', '/proc/x/y', '/proc/self/x/y'])(
  'P4: %s, which cannot be made, is refused and not tried for ever',
  path => {
    expect(() => make(path)).toThrow(/ENOENT|EACCES|EPERM/)
  },
)

test('a file in the way is an error', () => {
  writeFileSync(join(within, 'file'), '')
  expect(() => make(join(within, 'file', 'a', 'b'))).toThrow('ENOTDIR')
})

test.skipIf(process.getuid?.() === 0)('a directory that may not be written is an error', () => {
  chmodSync(within, 0o500)
  expect(() => make(join(within, 'a', 'b'))).toThrow('EACCES')
  chmodSync(within, 0o700)
})
