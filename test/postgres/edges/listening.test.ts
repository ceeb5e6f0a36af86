import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { OutsideListener } from '../../../src/stores/postgres/changes/outside-listener.ts'
import { SideChannels } from '../../../src/stores/postgres/changes/side-channels.ts'
import { Pool } from '../../../src/stores/postgres/database/pool.ts'
import { openCuttingProxy } from '../cutting-proxy.ts'
import { openTestDatabase } from '../database.ts'

const database = await openTestDatabase({ own: true })
afterAll(() => database[Symbol.asyncDispose]())

if ('missing' in database) test.skip(`listening to PostgreSQL (${database.missing})`, () => {})
else describe('listening to PostgreSQL', () => listening(database.url, database.replica))

type OpenReplica = (() => Promise<AsyncDisposable & { readonly url: string }>) | null

const MOST_CONNECTIONS = 8

function listening(url: string, replica: OpenReplica): void {
  const listenOn = (pool: Pool, sides: SideChannels, sender: string) =>
    new OutsideListener(pool, { sender, sides, retryMs: 200 }, () => {})

  /** A notice on another channel arrives at it. */
  async function expectHeard(sides: SideChannels, pool: Pool): Promise<void> {
    const heard: string[] = []
    using _listening = sides.listen('beside', payload => heard.push(payload))
    const send = () => pool.query('SELECT pg_notify($1, $2)', ['beside', 'a notice'])
    await expect.poll(async () => (await send()) && heard[0]).toBe('a notice')
  }

  test.skipIf(replica === null)(
    'notices are heard once a replica takes writes, and one warning was given',
    async () => {
      await using standby = await (replica as NonNullable<OpenReplica>)()
      await using pool = await Pool.unopened(`${standby.url}?schema=promoted`)
      const warnings: string[] = []
      const warn = (warning: Error & { code?: string }) => warnings.push(warning.code ?? warning.name)
      process.on('warning', warn)
      onTestFinished(() => void process.off('warning', warn))
      const sides = new SideChannels()
      using _listener = listenOn(pool, sides, 'promoted')
      await expect.poll(() => warnings).toContain('store_polled')
      // Some tries more.
      await sleep(1_000)
      expect(sides.isHeard).toBe(false)
      await pool.query('SELECT pg_promote()')
      await expect.poll(() => sides.isHeard).toBe(true)
      await expectHeard(sides, pool)
      expect(warnings.filter(code => code === 'store_polled')).toHaveLength(1)
    },
  )

  test('a listener whose connection fails after its end leaves the next one its channels', async () => {
    await using proxy = await openCuttingProxy(url)
    await using parted = await Pool.unopened(`${proxy.url}?schema=late_failure`)
    await using pool = await Pool.unopened(`${url}?schema=late_failure`)
    const sides = new SideChannels()
    proxy.part(true)
    listenOn(parted, sides, 'first')[Symbol.dispose]()
    using _second = listenOn(pool, sides, 'second')
    await expect.poll(() => sides.isHeard).toBe(true)
    proxy.cutAll()
    await sleep(300)
    await expectHeard(sides, pool)
  })

  test('a listener that is answered after its end leaves the next one its channels', async () => {
    await using busy = await Pool.unopened(`${url}?schema=late_answer`)
    await using pool = await Pool.unopened(`${url}?schema=late_answer`)
    const [all, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let taken = 0
    const work = async () => {
      taken += 1
      if (taken === MOST_CONNECTIONS) all.resolve()
      await end.promise
    }
    const taking = Array.from({ length: MOST_CONNECTIONS }, () => busy.transaction(work))
    await all.promise
    const sides = new SideChannels()
    const first = listenOn(busy, sides, 'first')
    // It listens, and waits for a connection on which it sends itself a notice.
    const listens = `SELECT FROM pg_stat_activity WHERE query = 'LISTEN "late_answer"'`
    await expect.poll(async () => (await pool.query(listens)).count).toBe(1)
    first[Symbol.dispose]()
    using _second = listenOn(pool, sides, 'second')
    await expect.poll(() => sides.isHeard).toBe(true)
    end.resolve()
    await Promise.all(taking)
    await sleep(300)
    await expectHeard(sides, pool)
  })
}
