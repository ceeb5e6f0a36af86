import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { emptyDatabase } from './empty-database.ts'
import { makePrivateFile } from './private-file.ts'

test('P4: a new file is a database that has a log, as SQLite itself makes it, before SQLite opens it', () => {
  const directory = mkdtempSync(join(tmpdir(), 'holdpoint-new-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const path = join(directory, 'new.db')
  makePrivateFile(path)
  expect(readFileSync(path)).toEqual(Buffer.from(emptyDatabase()))
  using database = new DatabaseSync(path)
  expect(database.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' })
  expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
  database.exec('CREATE TABLE one (id); INSERT INTO one VALUES (1); PRAGMA wal_checkpoint(TRUNCATE)')
  expect(database.prepare('SELECT id FROM one').all()).toEqual([{ id: 1 }])
  expect(database.prepare('PRAGMA page_size').get()).toEqual({ page_size: 4_096 })
})
