import { afterAll, describe, expect, test } from 'vitest'
import type { AuditHead, AuditRow } from '../../src/core/audit/audit-chain.ts'
import { ChainReader, FaultList } from '../../src/core/audit/audit-chain.ts'
import { recordsOfEntries } from '../../src/core/audit/event-records.ts'
import { putRecords } from '../../src/stores/postgres/audit/put-records.ts'
import { sealAll } from '../../src/stores/postgres/audit/seal-audit.ts'
import { Sealer } from '../../src/stores/postgres/audit/sealer.ts'
import { Pool, type Query } from '../../src/stores/postgres/database/pool.ts'
import { POSTGRES } from '../../src/stores/postgres/database/postgres-dialect.ts'
import { runWork } from '../../src/stores/postgres/database/run-work.ts'
import { sha256 } from '../../src/stores/sha256.ts'
import { readHead } from '../../src/stores/sql/audit/audit-rows.ts'
import { openTestDatabase } from './database.ts'

const database = await openTestDatabase()
afterAll(() => database[Symbol.asyncDispose]())

if ('missing' in database) test.skip(`the audit log in PostgreSQL (${database.missing})`, () => {})
else describe('the audit log in PostgreSQL', () => recording(database.url))

function recording(url: string): void {
  const record = (query: Query, actor: string, now: number) =>
    runWork(query, putRecords(recordsOfEntries([{ kind: 'hold.shown', actor, data: {} }], now), null))
  const show = (pool: Pool, actor: string) => pool.transaction(({ query, now }) => record(query, actor, now))

  async function rowsOf(pool: Pool): Promise<AuditRow[]> {
    const { rows } = await pool.query('SELECT seq, record, hash FROM @audit ORDER BY seq')
    return rows.map(row => ({ seq: Number(row['seq']), record: String(row['record']), hash: String(row['hash']) }))
  }

  function faultsOf(rows: readonly AuditRow[], head: AuditHead): readonly string[] {
    const faults = new FaultList()
    const chain = new ChainReader(sha256, faults, [head])
    for (const row of rows) chain.take(row)
    chain.end()
    return faults.found.faults.map(({ code }) => code)
  }

  test('P10: records of many writers and sealers at once stand in one chain, each once', async () => {
    const pools = await Promise.all(Array.from({ length: 3 }, () => Pool.open(`${url}?schema=chain`, null)))
    const [first] = pools as [Pool, ...Pool[]]
    const write = async (pool: Pool, writer: number) => {
      for (let n = 0; n < 20; n += 1) {
        await show(pool, `writer ${writer}, ${n}`)
        if (n % 3 === 0) await sealAll(pool)
      }
    }
    await Promise.all(pools.flatMap((pool, n) => [write(pool, 2 * n), write(pool, 2 * n + 1)]))
    await sealAll(first)
    const rows = await rowsOf(first)
    expect(rows).toHaveLength(120)
    expect(new Set(rows.map(({ record }) => JSON.parse(record).actor)).size).toBe(120)
    expect(faultsOf(rows, await runWork(first.query, readHead(POSTGRES)))).toEqual([])
    await Promise.all(pools.map(pool => pool[Symbol.asyncDispose]()))
  })

  test('P10: a record whose transaction is undone leaves no gap in the chain', async () => {
    await using pool = await Pool.open(`${url}?schema=undone_record`, null)
    const undone = pool.transaction(async ({ query, now }) => {
      await record(query, 'ana', now)
      throw new TypeError('this transaction is broken on purpose')
    })
    await expect(undone).rejects.toThrow('on purpose')
    await show(pool, 'ben')
    expect(await sealAll(pool)).toBe(true)
    expect(await sealAll(pool)).toBe(false)
    expect((await rowsOf(pool)).map(({ seq, record }) => [seq, JSON.parse(record).actor])).toEqual([[1, 'ben']])
  })

  test('P10: a transaction that commits late gets its place behind those that are sealed', async () => {
    await using pool = await Pool.open(`${url}?schema=late_record`, null)
    const { promise: isOver, resolve: end } = Promise.withResolvers<void>()
    const { promise: hasWritten, resolve: written } = Promise.withResolvers<void>()
    const late = pool.transaction(async ({ query, now }) => {
      await record(query, 'late', now)
      written()
      await isOver
    })
    await hasWritten
    await show(pool, 'early')
    await sealAll(pool)
    end()
    await late
    await sealAll(pool)
    const rows = await rowsOf(pool)
    expect(rows.map(({ record }) => JSON.parse(record).actor)).toEqual(['early', 'late'])
    expect(faultsOf(rows, await runWork(pool.query, readHead(POSTGRES)))).toEqual([])
  })

  test('P10: behind a writer, its process seals by itself, and at the latest as it ends', async () => {
    await using pool = await Pool.open(`${url}?schema=sealer`, null)
    {
      await using sealer = new Sealer(pool)
      await show(pool, 'ana')
      sealer.soon()
      await expect.poll(async () => (await rowsOf(pool)).length).toBe(1)
      await show(pool, 'ben')
      sealer.soon()
    }
    expect(await rowsOf(pool)).toHaveLength(2)
  })
}
