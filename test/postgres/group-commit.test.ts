import { setImmediate } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Lease } from '../../src/ports/store/runs.ts'
import type { Store } from '../../src/ports/store/store.ts'
import { openPostgresStore } from '../../src/stores/postgres/postgres-store.ts'
import { aClaim, aRequest, aStart, claimed, note } from '../../src/testing/contracts/store-samples.ts'
import { openCuttingProxy } from './cutting-proxy.ts'
import { openTestDatabase, waitingIn } from './database.ts'

const database = await openTestDatabase()
afterAll(() => database[Symbol.asyncDispose]())

if ('missing' in database) test.skip(`group commit in PostgreSQL (${database.missing})`, () => {})
else describe('group commit in PostgreSQL', () => grouping(database.url))

/** Of a run whose id has a NUL. */
const UNKEPT = note('x', 'run_3\0')

const REFUSE_GROUPS = `
  CREATE FUNCTION grouped_refused.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF (SELECT count(*) FROM added) > 1 THEN RAISE EXCEPTION 'no groups'; END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER refuse AFTER INSERT ON grouped_refused.events REFERENCING NEW TABLE AS added
    EXECUTE FUNCTION grouped_refused.refuse()`

interface Writer {
  readonly thread: string
  readonly run: string
  readonly lease: Lease
}

/** Runs on threads of their own, each with its lease. Their journals have two events. */
async function writers(store: Store, count: number): Promise<Writer[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, n) => {
      const [run, thread] = [`run_${n}`, `th_${n}`]
      await store.start(aStart({ run, thread }))
      return { run, thread, lease: await claimed(store, { run_id: run }) }
    }),
  )
}

const append = (store: Store, { lease, run }: Writer, after: number, text = `${run} ${after}`) =>
  store.append(lease, after, note(text, run))

/** What is behind the start of a thread. */
async function textsOf(store: Store, { thread }: Writer): Promise<unknown[]> {
  return (await store.journal(thread, 2)).map(({ data }) => ('content' in data ? data.content : data))
}

/** How many commits of appends a database has seen. */
async function commitsOf(url: string, schema: string): Promise<number> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    const { rows } = await client.query(
      `SELECT count(DISTINCT xmin::text)::integer AS count FROM ${schema}.events WHERE seq > 2`,
    )
    return rows[0].count
  } finally {
    await client.end()
  }
}

function grouping(url: string): void {
  test('appends of several threads that come together take few commits, and each journal has its own in order', async () => {
    await using store = await openPostgresStore(`${url}?schema=grouped`)
    const all = await writers(store, 20)
    const appended = await Promise.all(
      all.map(async writer => {
        const answers = []
        for (let after = 2; after < 12; after += 1) answers.push(await append(store, writer, after))
        return answers
      }),
    )
    for (const [index, writer] of all.entries()) {
      expect(appended[index]?.map(({ events }) => events.map(({ seq }) => seq))).toEqual(
        Array.from({ length: 10 }, (_, n) => [n + 3]),
      )
      expect(await textsOf(store, writer)).toEqual(Array.from({ length: 10 }, (_, n) => `${writer.run} ${n + 2}`))
      expect(appended[index]?.flatMap(({ events }) => events)).toEqual(await store.journal(writer.thread, 2))
    }
    expect(await commitsOf(url, 'grouped')).toBeLessThan(100)
    expect(await store.verifyAudit()).toMatchObject({ faults: [] })
  })

  test('P7: of a group, only the append whose lease was taken is refused', async () => {
    await using store = await openPostgresStore(`${url}?schema=grouped_lease`)
    const all = await writers(store, 5)
    const [, , taken] = all as [Writer, Writer, Writer]
    const { owner } = taken.lease
    await store.claim(aClaim({ run_id: taken.run, owner: 'another', evict: owner }))
    const settled = await Promise.allSettled(all.map(writer => append(store, writer, 2)))
    expect(settled.map(({ status }) => status)).toEqual(
      all.map(writer => (writer === taken ? 'rejected' : 'fulfilled')),
    )
    expect(settled[2]).toMatchObject({ reason: { code: 'lease_lost' } })
    expect(await textsOf(store, taken)).toEqual([])
  })

  test('of a group, only the append that cannot be kept fails', async () => {
    await using store = await openPostgresStore(`${url}?schema=grouped_unkept`)
    const all = await writers(store, 5)
    const settled = await Promise.allSettled(
      all.map(({ lease, run }, n) => store.append(lease, 2, n === 3 ? UNKEPT : note('x', run))),
    )
    expect(settled.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
    ])
    expect(await Promise.all(all.map(async writer => (await textsOf(store, writer)).length))).toEqual([1, 1, 1, 0, 1])
  })

  test('a thread that somebody holds delays its own append alone', async () => {
    await using store = await openPostgresStore(`${url}?schema=grouped_held`)
    const all = await writers(store, 5)
    const other = new pg.Client(url)
    await other.connect()
    await other.query(`BEGIN; SELECT FROM grouped_held.threads WHERE id IN ('th_0', 'th_2') FOR UPDATE`)
    const done: string[] = []
    const appending = all.map(writer => append(store, writer, 2).then(() => done.push(writer.run)))
    await Promise.all([1, 3, 4].map(n => appending[n]))
    expect(done.toSorted()).toEqual(['run_1', 'run_3', 'run_4'])
    // None of them had to try again.
    expect(await commitsOf(url, 'grouped_held')).toBe(1)
    await expect.poll(() => waitingIn(url, 'grouped_held')).toBe(2)
    await other.query('COMMIT')
    await other.end()
    await Promise.all(appending)
    for (const writer of all) expect(await textsOf(store, writer)).toEqual([`${writer.run} 2`])
  })

  test('of a group, an append behind an older event takes in what was written meanwhile', async () => {
    await using store = await openPostgresStore(`${url}?schema=grouped_behind`)
    const all = await writers(store, 5)
    await store.request(aRequest({ run_id: 'run_2', event: { ...aRequest().event, run_id: 'run_2' } }))
    const answers = await Promise.all(all.map(writer => append(store, writer, 2)))
    expect(answers.map(({ events }) => events.map(({ seq }) => seq))).toEqual([[3], [3], [3, 4], [3], [3]])
    // The message, what went out alone, the group, and the append that tried again.
    expect(await commitsOf(url, 'grouped_behind')).toBe(4)
  })

  test('of two appends behind the same event, of the same text and time, both are written', async () => {
    await using store = await openPostgresStore(`${url}?schema=grouped_twice`, () =>
      Date.parse('2030-01-01T00:00:00.000Z'),
    )
    const [one, two, three] = (await writers(store, 3)) as [Writer, Writer, Writer]
    // The first of them goes out alone, and the others come together.
    const answers = await Promise.all([
      append(store, two, 2),
      append(store, one, 2, 'same'),
      append(store, one, 2, 'same'),
      append(store, three, 2),
    ])
    const [alone, first, second, third] = answers.map(({ events }) => events.map(({ seq }) => seq))
    expect([alone, third]).toEqual([[3], [3]])
    // The database chooses which of them comes first.
    expect([first, second].toSorted()).toEqual([[3], [3, 4]])
    expect(await textsOf(store, one)).toEqual(['same', 'same'])
  })

  test('if the database refuses groups, each append is written by itself, and one warning says so', async () => {
    await using store = await openPostgresStore(`${url}?schema=grouped_refused`)
    const all = await writers(store, 5)
    const client = new pg.Client(url)
    await client.connect()
    await client.query(REFUSE_GROUPS)
    await client.end()
    const warnings: (string | undefined)[] = []
    const warn = (warning: Error & { code?: string }) => warnings.push(warning.code)
    process.on('warning', warn)
    onTestFinished(() => void process.off('warning', warn))
    for (const after of [2, 3]) await Promise.all(all.map(writer => append(store, writer, after)))
    for (const writer of all) expect(await textsOf(store, writer)).toEqual([`${writer.run} 2`, `${writer.run} 3`])
    expect(warnings).toEqual(['store_group_failed'])
  })

  test('a long append goes out by itself, and short ones beside it', async () => {
    await using store = await openPostgresStore(`${url}?schema=grouped_long`)
    const all = await writers(store, 6)
    const long = 'x'.repeat(4_000_000)
    await Promise.all(all.map((writer, n) => append(store, writer, 2, n === 2 ? long : 'short')))
    expect((await textsOf(store, all[2] as Writer))[0]).toHaveLength(long.length)
    // The first one, the one before the long one, the long one, and the three behind it.
    expect(await commitsOf(url, 'grouped_long')).toBe(4)
  })

  test('more appends than a group takes are all written', async () => {
    await using store = await openPostgresStore(`${url}?schema=grouped_many`)
    const all = await writers(store, 40)
    const answers = await Promise.all(all.map(writer => append(store, writer, 2)))
    expect(answers.map(({ events }) => events.map(({ seq }) => seq))).toEqual(all.map(() => [3]))
    expect(await commitsOf(url, 'grouped_many')).toBeLessThanOrEqual(4)
  })

  test('P7: appends and renewals of the same leases at the same time are all done, each once', async () => {
    await using store = await openPostgresStore(`${url}?schema=grouped_renewed`)
    const all = await writers(store, 8)
    await Promise.all(
      all.flatMap(writer => [
        (async () => {
          for (let after = 2; after < 42; after += 1) await append(store, writer, after)
        })(),
        (async () => {
          for (let times = 0; times < 40; times += 1) await store.renew(writer.lease, 60_000)
        })(),
      ]),
    )
    const texts = Array.from({ length: 40 }, (_, n) => n + 2)
    for (const writer of all) expect(await textsOf(store, writer)).toEqual(texts.map(n => `${writer.run} ${n}`))
    expect(await store.verifyAudit()).toMatchObject({ faults: [] })
  })

  test('a store that is closed while appends wait writes each whole or says that it is closed', async () => {
    await using direct = await openPostgresStore(`${url}?schema=grouped_closed`)
    const store = await openPostgresStore(`${url}?schema=grouped_closed`)
    const all = await writers(store, 12)
    const appending = Promise.allSettled(all.map(writer => append(store, writer, 2)))
    await store[Symbol.asyncDispose]()
    for (const [index, settled] of (await appending).entries()) {
      const texts = await textsOf(direct, all[index] as Writer)
      if (settled.status === 'fulfilled') expect(texts).toHaveLength(1)
      else expect([settled.reason.code, texts]).toEqual(['store_closed', []])
    }
  })

  test('P4: a group whose connection is lost while it waits is written once, by whichever comes first', async () => {
    await using proxy = await openCuttingProxy(url)
    await using direct = await openPostgresStore(`${url}?schema=grouped_late`)
    await using store = await openPostgresStore(`${proxy.url}?schema=grouped_late`)
    const all = await writers(store, 5)
    const other = new pg.Client(url)
    await other.connect()
    await other.query('BEGIN; LOCK TABLE grouped_late.events IN SHARE MODE')
    const appending = Promise.all(all.map(writer => append(store, writer, 2)))
    // One that went out alone, and the group.
    await expect.poll(() => waitingIn(url, 'grouped_late')).toBe(2)
    proxy.cutAll()
    await expect.poll(() => waitingIn(url, 'grouped_late')).toBeGreaterThan(2)
    await other.query('COMMIT')
    await other.end()
    expect((await appending).map(({ events }) => events.map(({ seq }) => seq))).toEqual(all.map(() => [3]))
    for (const writer of all) expect(await textsOf(direct, writer)).toEqual([`${writer.run} 2`])
    expect(await direct.verifyAudit()).toMatchObject({ faults: [] })
  })

  test.each(['before', 'after'] as const)('P4: a group whose connection is lost %s it is written once', async cut => {
    await using proxy = await openCuttingProxy(url)
    const schema = `?schema=grouped_cut_${cut}`
    await using direct = await openPostgresStore(`${url}${schema}`)
    await using store = await openPostgresStore(`${proxy.url}${schema}`)
    const all = await writers(store, 6)
    // Each takes a connection along, and a new one would have messages of its own.
    const rounds = 4
    for (let after = 2; after < 2 + rounds; after += 1) {
      await setImmediate()
      // One goes out alone, and the others in the next message.
      proxy.arm(1, cut, 'append')
      const answers = await Promise.all(all.map(writer => append(store, writer, after)))
      expect(proxy.disarm()).toBe(true)
      expect(answers.map(({ events }) => events.map(({ seq }) => seq))).toEqual(all.map(() => [after + 1]))
    }
    const texts = Array.from({ length: rounds }, (_, n) => n + 2)
    for (const writer of all) expect(await textsOf(direct, writer)).toEqual(texts.map(n => `${writer.run} ${n}`))
    expect(await direct.verifyAudit()).toMatchObject({ faults: [] })
  })

  test('appends go on beside a connection that has stopped answering', async () => {
    await using proxy = await openCuttingProxy(url)
    await using store = await openPostgresStore(`${proxy.url}?schema=grouped_silent`)
    const [silent, ...others] = (await writers(store, 4)) as [Writer, ...Writer[]]
    proxy.arm(0, 'silent', 'append')
    const waits = append(store, silent, 2)
    for (const writer of others) await append(store, writer, 2)
    expect(proxy.disarm()).toBe(true)
    // Nothing gave it up meanwhile.
    expect(await textsOf(store, silent)).toEqual([])
    proxy.cutAll()
    expect(await waits).toMatchObject({ events: [{ seq: 3 }] })
    for (const writer of [silent, ...others]) expect(await textsOf(store, writer)).toEqual([`${writer.run} 2`])
  })
}
