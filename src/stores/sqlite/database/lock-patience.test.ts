import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { Store } from '../../../ports/store/store.ts'
import { handClock } from '../../../testing/kit/hand-clock.ts'
import { openSqliteStore } from '../sqlite-store.ts'
import { Database } from './database.ts'

interface Locked extends AsyncDisposable {
  readonly store: Store
  readonly path: string
  /** The connection of another program. */
  readonly other: DatabaseSync
}

async function aStore(): Promise<Locked> {
  const directory = await mkdtemp(join(tmpdir(), 'holdpoint-locks-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true, maxRetries: 10 }))
  const path = join(directory, 'a.db')
  const store = await openSqliteStore(path, handClock())
  const other = new DatabaseSync(path)
  const close = async () => {
    other.close()
    await store[Symbol.asyncDispose]()
  }
  return { store, path, other, [Symbol.asyncDispose]: close }
}

const by = (actor: string) => ({ kind: 'audit.exported', actor, surface: 'test', data: {} }) as never

test('who waits for the lock of another program does its other work meanwhile', async () => {
  await using it = await aStore()
  it.other.exec('BEGIN IMMEDIATE')
  let isWritten = false
  const writing = it.store.record([by('ana')]).then(() => {
    isWritten = true
  })
  const begun = performance.now()
  for (let n = 0; n < 20; n += 1) await sleep(5)
  expect(await it.store.auditHead()).toMatchObject({ seq: 0 })
  expect(performance.now() - begun).toBeLessThan(2_000)
  expect(isWritten).toBe(false)
  it.other.exec('COMMIT')
  await writing
  expect(await it.store.auditHead()).toMatchObject({ seq: 1 })
})

test('all who wait for a lock write once it is free, each as a whole', async () => {
  await using it = await aStore()
  it.other.exec('BEGIN IMMEDIATE')
  const names = Array.from({ length: 50 }, (_, n) => `person ${n}`)
  const writing = names.map(actor => it.store.record([by(actor), by(actor)]))
  await sleep(30)
  it.other.exec('ROLLBACK')
  await Promise.all(writing)
  const actors = (await it.store.feed(0, 200)).map(({ record }) => record?.actor)
  expect(actors.filter((_, place) => place % 2 === 0)).toEqual(actors.filter((_, place) => place % 2 === 1))
  expect(new Set(actors)).toEqual(new Set(names))
})

test('who opens a store waits while another program lets nobody read', async () => {
  const it = await aStore()
  await it.store.record([by('ana')])
  await it[Symbol.asyncDispose]()
  const other = new DatabaseSync(it.path)
  other.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; COMMIT')
  const opening = openSqliteStore(it.path, handClock())
  await sleep(30)
  other.close()
  await using store = await opening
  expect(await store.auditHead()).toMatchObject({ seq: 1 })
})

test('what a lock kept from being written is said not to be written, and may be written again', async () => {
  await using it = await aStore()
  using database = await Database.open(it.path)
  it.other.exec('BEGIN IMMEDIATE')
  const busy = expect.objectContaining({ code: 'store_busy', written: 'no', retryable: true })
  expect(() => database.readAtOnce(() => database.statement('BEGIN IMMEDIATE').run())).toThrow(busy)
})
