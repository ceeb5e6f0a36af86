import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { BundleFile } from './bundle-file.ts'

let directory = ''
let path = ''
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'holdpoint-bundle-'))
  path = join(directory, 'run.bundle')
  await writeFile(path, 'a bundle')
})
afterEach(() => rm(directory, { recursive: true, force: true, maxRetries: 10 }))

function user(self: string, { gone = [], store = '/here.db' }: { gone?: string[]; store?: string } = {}) {
  return { liveness: { self, isGone: (owner: string) => gone.includes(owner) }, store }
}

function found(by: ReturnType<typeof user>): BundleFile {
  const file = BundleFile.find(path, by)
  if (!file) throw new TypeError('there is no file')
  return file
}

test('of two processes that found it, one takes it', async () => {
  const [one, two] = [found(user('host/1:1:1:0')), found(user('host/1:2:2:0'))]
  one.take()
  expect(() => two.take()).toThrow(expect.objectContaining({ code: 'bundle_in_use' }))
  expect(() => found(user('host/1:3:3:0'))).toThrow(expect.objectContaining({ code: 'bundle_in_use' }))
  expect(await one.read()).toBe('a bundle')
})

test('a file that was used is marked so, and used by nobody again', async () => {
  const file = found(user('one'))
  file.take()
  expect(file.markUsed()).toBe(`${path}.resumed`)
  expect(await readdir(directory)).toEqual(['run.bundle.resumed'])
  expect(() => BundleFile.find(path, user('two'))).toThrow(expect.objectContaining({ code: 'already_imported' }))
})

test('a file that was not used after all is as it was', async () => {
  const file = found(user('one'))
  file.take()
  file.giveBack()
  expect(await readdir(directory)).toEqual(['run.bundle'])
  expect(found(user('two')).wasLeft).toBe(false)
})

test('what a process left that died with it, one of those that come next takes, for the same store', async () => {
  found(user('one')).take()
  expect(() => found(user('two', { gone: ['one'], store: '/elsewhere.db' }))).toThrow(/bundle|imported/)
  const [two, three] = [found(user('two', { gone: ['one'] })), found(user('three', { gone: ['one'] }))]
  expect([two.wasLeft, await two.read()]).toEqual([true, 'a bundle'])
  two.take()
  expect(() => three.take()).toThrow(expect.objectContaining({ code: 'bundle_in_use' }))
})

test('there is no file where there never was one', () => {
  expect(BundleFile.find(join(directory, 'other'), user('one'))).toBeNull()
  expect(BundleFile.find(join(directory, 'no', 'such', 'directory'), user('one'))).toBeNull()
})
