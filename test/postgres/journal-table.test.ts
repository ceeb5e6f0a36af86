import { afterAll, describe, expect, test } from 'vitest'
import type { JournalEvent, NewEvent } from '../../src/core/journal/event.ts'
import { Pool } from '../../src/stores/postgres/database/pool.ts'
import { POSTGRES } from '../../src/stores/postgres/database/postgres-dialect.ts'
import { runWork } from '../../src/stores/postgres/database/run-work.ts'
import type { Work } from '../../src/stores/sql/driver/work.ts'
import {
  insertEvents,
  insertThread,
  lockThread,
  newestSeqs,
  readEvents,
} from '../../src/stores/sql/tables/journal-table.ts'
import { anEvent } from '../../src/testing/contracts/sample-journal.ts'
import { openTestDatabase } from './database.ts'

const database = await openTestDatabase()
afterAll(() => database[Symbol.asyncDispose]())

if ('missing' in database) test.skip(`journals in PostgreSQL (${database.missing})`, () => {})
else describe('journals in PostgreSQL', () => keeping(database.url))

function keeping(url: string): void {
  const write = (pool: Pool, events: readonly NewEvent[]) =>
    pool.transaction(async ({ query, now }) => {
      const write = function* (): Work<readonly JournalEvent[]> {
        const made = yield* insertThread('th_1', { at: now, copied: 0 })
        const thread = made ?? (yield* lockThread(POSTGRES, 'th_1'))
        if (thread === null) throw new TypeError('the thread is gone')
        return yield* insertEvents(POSTGRES, thread, { at: now, events })
      }
      return runWork(query, write())
    })
  const read = (
    pool: Pool,
    threadId: string,
    page: { readonly after: number; readonly limit?: number } = { after: 0 },
  ) => runWork(pool.query, readEvents(POSTGRES, threadId, page))
  const said = (content: string, input_id?: string) =>
    anEvent('message.received', { content, ...(input_id !== undefined && { input_id }) })

  test('events come back as they were written, with any character in them', async () => {
    await using pool = await Pool.open(`${url}?schema=texts`, null)
    const written = await write(pool, [said('a\u0000b\ud800\u2028'), said('')])
    expect(await read(pool, 'th_1')).toEqual(written)
    expect(await read(pool, 'th_1', { after: 1, limit: 1 })).toEqual(written.slice(1))
    expect(await read(pool, 'th_0')).toEqual([])
    expect([...(await runWork(pool.query, newestSeqs(POSTGRES, ['th_0', 'th_1'])))]).toEqual([['th_1', 2]])
  })

  test('many who write to one thread at once get places without a gap', async () => {
    await using pool = await Pool.open(`${url}?schema=places`, null)
    await Promise.all(Array.from({ length: 20 }, (_, n) => write(pool, [said(`line ${n}`), said('and more')])))
    const seqs = (await read(pool, 'th_1')).map(({ seq }) => seq)
    expect(seqs).toEqual(Array.from({ length: 40 }, (_, n) => n + 1))
  })

  test('P2: of a message that is sent twice at once, one is written and the other is refused', async () => {
    await using pool = await Pool.open(`${url}?schema=twice`, null)
    const sent = await Promise.allSettled([write(pool, [said('go', 'in_1')]), write(pool, [said('go', 'in_1')])])
    const [refused] = sent.filter(({ status }) => status === 'rejected')
    expect(refused).toMatchObject({ reason: { code: 'duplicate_input', details: { seq: 1 } } })
    expect(await read(pool, 'th_1')).toHaveLength(1)
  })
}
