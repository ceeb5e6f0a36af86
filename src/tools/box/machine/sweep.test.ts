import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { sweep } from './sweep.ts'

test('what boxes left a month ago is removed, even if it is closed, and nothing else', async () => {
  const root = mkdtempSync(join(tmpdir(), 'holdpoint-sweep-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const [old, young, lock] = ['old', 'young', 'commit.lock'].map(name => join(root, name)) as [string, string, string]
  mkdirSync(join(old, 'closed'), { recursive: true })
  writeFileSync(join(old, 'closed/file'), 'x')
  mkdirSync(young)
  writeFileSync(lock, '')
  const monthAgo = Date.now() / 1000 - 31 * 24 * 60 * 60
  for (const path of [old, lock]) utimesSync(path, monthAgo, monthAgo)
  await sweep([root, join(root, 'missing')])
  expect([old, young, lock].map(existsSync)).toEqual([false, true, true])
})
