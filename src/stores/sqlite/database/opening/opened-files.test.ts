import { mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { OpenedFiles } from './opened-files.ts'

async function aPath(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'holdpoint-files-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true, maxRetries: 10 }))
  return join(directory, 'a.db')
}

function opened(path: string): DatabaseSync {
  const connection = new DatabaseSync(path)
  connection.exec('PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS kept (value)')
  return connection
}

test('a log that its last other user deletes meanwhile is no replaced store', async () => {
  const path = await aPath()
  const other = opened(path)
  const files = new OpenedFiles(path)
  other.close()
  expect(await readdir(join(path, '..'))).toEqual(['a.db'])
  // It takes the place on disk of the deleted log, so the next log gets another one.
  await writeFile(`${path}.other`, 'taken')
  const own = opened(path)
  onTestFinished(() => own.close())
  own.exec('INSERT INTO kept VALUES (1)')
  files.noteLog()
  expect([files.look(), files.areReplaced]).toEqual([false, false])
})

test.each(['', '-wal'])('a store whose file a.db%s is replaced or deleted is noticed, and stays so', async suffix => {
  const path = await aPath()
  const own = opened(path)
  onTestFinished(() => own.close())
  const files = new OpenedFiles(path)
  files.noteLog()
  expect(files.look()).toBe(false)
  await rename(path + suffix, `${path}.moved`)
  expect(files.look()).toBe(true)
  await rename(`${path}.moved`, path + suffix)
  expect([files.look(), files.areReplaced]).toEqual([true, true])
})

test('a store in memory has no files', () => {
  const files = new OpenedFiles(':memory:')
  files.noteLog()
  expect(files.look()).toBe(false)
})
