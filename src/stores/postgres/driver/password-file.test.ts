import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { passwordIn, passwordInFile } from './password-file.ts'

const LOGIN = { host: 'db.example', port: 5432, database: 'app', user: 'ana' }

test.each([
  ['all fields', 'db.example:5432:app:ana:hush', 'hush'],
  ['any of them', '*:*:*:*:hush', 'hush'],
  ['the first line that fits', 'other:5432:app:ana:no\n*:*:app:ana:hush\n*:*:*:*:late', 'hush'],
  ['colons and backslashes in the password', '*:*:*:*:a:b\\:c\\\\d', 'a:b:c\\d'],
  ['a line end of Windows', '*:*:*:ana:hush\r\n', 'hush'],
  ['a comment', '#*:*:*:*:hush', undefined],
  ['another port', '*:5433:*:*:hush', undefined],
  ['a line that is cut off', '*:*:*:hush', undefined],
])('a password is found by %s', (_what, text, password) => {
  expect(passwordIn(text, LOGIN)).toBe(password)
})

test('a host with a colon is written with a backslash', () => {
  expect(passwordIn('\\:\\:1:*:*:*:hush', { ...LOGIN, host: '::1' })).toBe('hush')
})

test('a file that others may read is refused, and one that is not there has no password', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'holdpoint-passwords-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const path = join(directory, 'pgpass')
  expect(await passwordInFile(LOGIN, path)).toBeUndefined()
  await writeFile(path, '*:*:*:*:hush\n', { mode: 0o600 })
  expect(await passwordInFile(LOGIN, path)).toBe('hush')
  await chmod(path, 0o644)
  await expect(passwordInFile(LOGIN, path)).rejects.toMatchObject({
    code: 'store_denied',
    hint: expect.stringContaining(`chmod 600 ${path}`),
  })
})
