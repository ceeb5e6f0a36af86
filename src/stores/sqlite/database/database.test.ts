import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { nextTurn } from '../../../async/next-turn.ts'
import { Database } from './database.ts'

let directory = ''
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'holdpoint-database-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true, maxRetries: 10 }))

/** As a disk does that is slow to sync. */
function holdUp(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

test('many writes at once, on a slow disk, leave turns of the event loop to others, and keep their order', async () => {
  using database = await Database.open(join(directory, 'holdpoint.db'))
  const order: number[] = []
  const write = (n: number) =>
    database.transaction(() => {
      holdUp(6)
      order.push(n)
    })
  let turns = 0
  let isOver = false
  const all = Promise.all(Array.from({ length: 20 }, (_, n) => write(n))).then(() => {
    isOver = true
  })
  while (!isOver) {
    await nextTurn()
    turns += 1
  }
  await all
  expect(order).toEqual(Array.from({ length: 20 }, (_, n) => n))
  expect(turns).toBeGreaterThanOrEqual(10)
})
