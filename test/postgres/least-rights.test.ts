import { readFile } from 'node:fs/promises'
import pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { openPostgresStore } from '../../src/stores/postgres/postgres-store.ts'
import { aStart } from '../../src/testing/contracts/store-samples.ts'
import { openTestDatabase } from './database.ts'

const database = await openTestDatabase()
afterAll(() => database[Symbol.asyncDispose]())

if ('missing' in database) test.skip(`rights in PostgreSQL (${database.missing})`, () => {})
else leastRights(database.url)

function leastRights(url: string): void {
  test('a user with no right but a schema of its own, as docs/postgres.md makes it, keeps a store there', async () => {
    const [, made = ''] = /```sql\n([^`]*)```/.exec(await readFile('docs/postgres.md', 'utf8')) ?? []
    await asOwner(`REVOKE CREATE ON DATABASE postgres FROM PUBLIC; ${made}`)
    const own = url.replace('holdpoint:test@', `holdpoint_user:${encodeURIComponent('a long one')}@`)
    await using store = await openPostgresStore(own)
    await store.start(aStart())
    expect((await store.runs({})).map(({ id }) => id)).toEqual(['run_1'])
    await expect(openPostgresStore(`${own}?schema=another`)).rejects.toMatchObject({ code: 'store_denied' })
  })

  test('another user of the database reads nothing of a store', async () => {
    await using store = await openPostgresStore(`${url}?schema=private`)
    await store.start(aStart())
    await asOwner(`CREATE ROLE guest LOGIN PASSWORD 'test'; GRANT USAGE ON SCHEMA private TO guest;
      GRANT SELECT ON ALL TABLES IN SCHEMA private TO guest`)
    const guest = new pg.Client(url.replace('holdpoint:test@', 'guest:test@'))
    await guest.connect()
    try {
      // Even if rights are given by mistake.
      expect((await guest.query('SELECT * FROM private.events')).rows).toEqual([])
      expect((await guest.query('SELECT * FROM private.secret')).rows).toEqual([])
    } finally {
      await guest.end()
    }
  })

  async function asOwner(sql: string): Promise<void> {
    const owner = new pg.Client(url)
    await owner.connect()
    await owner.query(sql).finally(() => owner.end())
  }
}
