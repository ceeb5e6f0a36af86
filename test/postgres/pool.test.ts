import { afterAll, describe, expect, test } from 'vitest'
import { type Cell, Pool } from '../../src/stores/postgres/database/pool.ts'
import { openTestDatabase } from './database.ts'

const database = await openTestDatabase()
afterAll(() => database[Symbol.asyncDispose]())

if ('missing' in database) test.skip(`connections to PostgreSQL (${database.missing})`, () => {})
else describe('connections to PostgreSQL', () => connecting(database.url))

function connecting(url: string): void {
  const insert = 'INSERT INTO @cursors (name, seq) VALUES ($1, $2)'
  const names = async (pool: Pool) =>
    (await pool.query('SELECT name FROM @cursors ORDER BY name')).rows.map(row => row['name'])

  test('of many who open a new schema at once, each can use it', async () => {
    const pools = await Promise.all(Array.from({ length: 4 }, () => Pool.open(`${url}?schema=many`, null)))
    for (const [n, pool] of pools.entries()) await pool.query(insert, [`reader ${n}`, n])
    expect(await names(pools[0] as Pool)).toEqual(['reader 0', 'reader 1', 'reader 2', 'reader 3'])
    await Promise.all(pools.map(pool => pool[Symbol.asyncDispose]()))
  })

  test('who finds a schema made while it waited for the right to make it, locks no table that is in use', async () => {
    await using maker = await Pool.open(`${url}?schema=made_meanwhile`, null)
    await maker.query('ALTER SCHEMA made_meanwhile RENAME TO not_yet')
    using lock = await maker.session()
    await lock.query("SELECT pg_advisory_lock($1, hashtext('made_meanwhile'))", [String(0x486f6c64)])
    const opening = Pool.open(`${url}?schema=made_meanwhile`, null)
    const waits = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`
    await expect.poll(async () => (await maker.query(waits)).count).toBe(1)
    await maker.query('ALTER SCHEMA not_yet RENAME TO made_meanwhile')
    await maker.transaction(async ({ query }) => {
      await query(insert, ['in use', 1])
      await lock.query('SELECT pg_advisory_unlock_all()')
      await using opened = await opening
      expect(await names(opened)).toEqual([])
    })
  })

  test('a statement that another transaction undid is run again', async () => {
    await using pool = await Pool.open(`${url}?schema=again`, null)
    for (const name of ['a', 'b']) await pool.query(insert, [name, 0])
    const add = 'UPDATE @cursors SET seq = seq + 1'
    const waits = 'SELECT FROM pg_locks WHERE NOT granted'
    let both: Promise<unknown> = Promise.resolve()
    await pool.transaction(async ({ query }) => {
      await query(`${add} WHERE name = 'b'`)
      both = pool.query(`${add} WHERE seq < 2`)
      await expect.poll(async () => (await pool.query(waits)).count).toBe(1)
      await query(`${add} WHERE name = 'a'`)
    })
    await both
    const { rows } = await pool.query('SELECT seq FROM @cursors')
    expect(rows.map(row => row['seq'])).toEqual([2, 2])
  })

  test('P4: a statement that was sent and fails, on its way or in the database, undoes the transaction and is told', async () => {
    await using pool = await Pool.open(`${url}?schema=sent`, null)
    const unsendable = {
      toPostgres: () => {
        throw new TypeError('it has no text')
      },
    } as unknown as string
    const sending = (values: readonly Cell[]) =>
      pool.transaction(({ query }) => {
        query.send(insert, ['first', 1])
        query.send(insert, values)
        query.send(insert, ['last', 1])
      })
    await expect(sending([unsendable, 2])).rejects.toThrow('it has no text')
    await expect(sending(['no number', 'x'])).rejects.toMatchObject({ cause: { code: '22P02' } })
    await expect(sending(['nul \u0000', 1])).rejects.toThrow(/U\+0000/)
    expect(await names(pool)).toEqual([])
    await sending(['second', 2])
    expect(await names(pool)).toEqual(['first', 'last', 'second'])
  })

  test('a transaction that throws leaves no trace, and its connection serves the next one', async () => {
    await using pool = await Pool.open(`${url}?schema=undone`, null)
    const undone = pool.transaction(async ({ query }) => {
      await query(insert, ['gone', 1])
      throw new TypeError('this transaction is broken on purpose')
    })
    await expect(undone).rejects.toThrow('on purpose')
    expect(await names(pool)).toEqual([])
    await pool.transaction(({ query }) => query(insert, ['kept', 1]))
    expect(await names(pool)).toEqual(['kept'])
  })

  test('two transactions that lock in opposite orders are both done', async () => {
    await using pool = await Pool.open(`${url}?schema=crossed`, null)
    for (const name of ['a', 'b']) await pool.query(insert, [name, 0])
    const add = (first: string, second: string) =>
      pool.transaction(async ({ query }) => {
        for (const name of [first, second]) await query('UPDATE @cursors SET seq = seq + 1 WHERE name = $1', [name])
      })
    await Promise.all(Array.from({ length: 6 }, (_, n) => (n % 2 === 0 ? add('a', 'b') : add('b', 'a'))))
    const { rows } = await pool.query('SELECT seq FROM @cursors')
    expect(rows.map(row => row['seq'])).toEqual([6, 6])
  })

  test.each([
    ['idle', 0],
    ['in use', 8],
  ])(
    'a close while connections are %s lets what was asked before finish, and refuses what is asked later',
    async (_are, busy) => {
      const pool = await Pool.open(`${url}?schema=closed_${busy}`, null)
      const [all, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      let taken = 0
      const using = Array.from({ length: busy }, () =>
        pool.transaction(async () => {
          taken += 1
          if (taken === busy) all.resolve()
          await end.promise
        }),
      )
      if (busy > 0) await all.promise
      const asked = [
        pool.query('SELECT FROM @cursors'),
        pool.query(insert, ['alone', 1]),
        pool.transaction(({ query }) => query(insert, ['in a transaction', 1])),
      ]
      const closing = pool[Symbol.asyncDispose]()
      await expect(pool.query('SELECT 1')).rejects.toMatchObject({ code: 'store_closed' })
      end.resolve()
      await Promise.all([...using, ...asked, closing])
      await using again = await Pool.open(`${url}?schema=closed_${busy}`, null)
      expect(await names(again)).toEqual(['alone', 'in a transaction'])
    },
  )

  test('a transaction that others undo after the close is refused by name', async () => {
    const pool = await Pool.open(`${url}?schema=closed_again`, null)
    let tries = 0
    const undone = pool.transaction(async ({ query }) => {
      tries += 1
      void pool[Symbol.asyncDispose]()
      await query(`DO $$ BEGIN RAISE EXCEPTION 'undone' USING ERRCODE = '40001'; END $$`)
    })
    await expect(undone).rejects.toMatchObject({ code: 'store_closed' })
    expect(tries).toBe(1)
  })

  test('every table has row level security, so that a data interface shows nothing', async () => {
    await using pool = await Pool.open(`${url}?schema=secured`, null)
    const { rows } = await pool.query('SELECT tablename FROM pg_tables WHERE schemaname = $1 AND NOT rowsecurity', [
      pool.schema,
    ])
    expect(rows).toEqual([])
  })

  test('a schema that a newer version wrote is refused, and stays as it is', async () => {
    {
      await using pool = await Pool.open(`${url}?schema=newer`, null)
      await pool.query('UPDATE @schema_version SET version = 99')
    }
    await expect(Pool.open(`${url}?schema=newer`, null)).rejects.toMatchObject({ code: 'store_newer' })
  })

  test.each([
    ['an address at which nothing listens', 'postgres://127.0.0.1:1/x', 'store_unavailable'],
    ['a wrong password', url.replace(':test@', ':wrong@'), 'store_denied'],
    ['a database that there is not', url.replace(/\w+$/, 'missing'), 'store_unopenable'],
    ['a schema that is no plain name', `${url}?schema=a%22b`, 'unknown_store'],
  ])('%s is refused by name, without the password', async (_what, wrong, code) => {
    const refused: unknown = await Pool.open(wrong, null).catch((thrown: unknown) => thrown)
    expect(refused).toMatchObject({ code })
    expect(String(refused)).not.toContain(':wrong@')
  })
}
