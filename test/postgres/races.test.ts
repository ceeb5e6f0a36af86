/** Several processes at once on one store: here, several objects with connections of their own. */
import pg from 'pg'
import { afterAll, describe, expect, test } from 'vitest'
import { LeaseLostError } from '../../src/core/errors.ts'
import { defineAgent, openHoldpoint } from '../../src/index.ts'
import { scriptedModel } from '../../src/models/scripted-model.ts'
import type { Store } from '../../src/ports/store/store.ts'
import { openPostgresStore } from '../../src/stores/postgres/postgres-store.ts'
import { aBatch, aNotice } from '../../src/testing/contracts/notices/sample-notice.ts'
import { aDecision, aHold, aStart, claimed, note } from '../../src/testing/contracts/store-samples.ts'
import { aTask } from '../../src/testing/contracts/tasks/sample-task.ts'
import { openTestDatabase, waitingIn } from './database.ts'

const database = await openTestDatabase()
afterAll(() => database[Symbol.asyncDispose]())

if ('missing' in database) test.skip(`many at once in PostgreSQL (${database.missing})`, () => {})
else describe('many at once in PostgreSQL', () => racing(database.url))

function racing(url: string): void {
  let schemas = 0

  /** Three objects on one new store. */
  async function openThree(): Promise<AsyncDisposable & { readonly stores: readonly [Store, Store, Store] }> {
    schemas += 1
    const at = `${url}?schema=race_${schemas}`
    const stores = [await openPostgresStore(at), await openPostgresStore(at), await openPostgresStore(at)] as const
    return {
      stores,
      [Symbol.asyncDispose]: async () => {
        for (const store of stores) await store[Symbol.asyncDispose]()
      },
    }
  }

  /** The same, many times at once, spread over the objects. */
  const many = <T>(stores: readonly Store[], count: number, work: (store: Store, n: number) => Promise<T>) =>
    Promise.all(Array.from({ length: count }, (_, n) => work(stores[n % stores.length] as Store, n)))

  const outcomes = (settled: readonly PromiseSettledResult<unknown>[]) => settled.map(({ status }) => status).toSorted()

  test('P2: of many who decide one hold, one is recorded, and all others are told who, in each of 20 rounds', async () => {
    await using it = await openThree()
    const [first] = it.stores
    for (let round = 0; round < 20; round += 1) {
      const [run, thread, hold] = [`run_${round}`, `th_${round}`, `hold_${round}`]
      const asked = aHold(hold, { run_id: run })
      await first.start(aStart({ run, thread, opens: [asked] }))
      const said = await many(it.stores, 15, (store, n) =>
        store.decide([aDecision(hold, { decided_by: `person ${n}`, digest: asked.digest })]),
      )
      const [outcome, ...others] = said
        .flat()
        .map(receipt => receipt.outcome)
        .toSorted()
        .toReversed()
      expect([outcome, new Set(others)]).toEqual(['recorded', new Set(['already_decided'])])
      expect(await first.journal(thread)).toHaveLength(3)
    }
    expect(await first.verifyAudit()).toMatchObject({ faults: [] })
  })

  /** Another transaction holds the thread while an append of the owner waits for it; `meanwhile` is what it does. */
  async function appendBehind(schema: string, meanwhile: (held: pg.Client) => Promise<unknown>) {
    await using store = await openPostgresStore(`${url}?schema=${schema}`)
    await store.start(aStart({ run: 'run_1', thread: 'th_1' }))
    const lease = await claimed(store)
    const held = new pg.Client(url)
    await held.connect()
    try {
      await held.query(`SET search_path TO ${schema}; BEGIN; SELECT FROM threads FOR UPDATE`)
      const appended = store.append(lease, 2, note('a step')).then(
        told => told,
        thrown => thrown,
      )
      await expect.poll(() => waitingIn(url, schema)).toBe(1)
      await meanwhile(held)
      await held.query('COMMIT')
      return { told: await appended, kinds: (await store.journal('th_1', 2)).map(({ kind }) => kind) }
    } finally {
      await held.end()
    }
  }

  test('P7: who lost the lease while its write waited for the thread writes nothing', async () => {
    const { told, kinds } = await appendBehind('race_fence', held =>
      held.query(`UPDATE runs SET fence = fence + 1, lease_owner = 'another'`),
    )
    expect(told).toBeInstanceOf(LeaseLostError)
    expect(kinds).toEqual([])
  })

  test('P4: what another wrote while a write waited for the thread comes before it, and the writer is told of both', async () => {
    const { told, kinds } = await appendBehind('race_grown', held =>
      held.query(
        `INSERT INTO events (thread, seq, at, run_id, kind, data)
           SELECT number, 3, 1, 'run_1', 'cancel.requested', '{"by":"ana","reason":null}' FROM threads;
         UPDATE threads SET newest = 3`,
      ),
    )
    expect(told).toMatchObject({ events: [{ seq: 3, kind: 'cancel.requested' }, { seq: 4 }], rested: false })
    expect(kinds).toEqual(['cancel.requested', 'message.received'])
  })

  test('P2: of many starts with one id at once one begins a run, and all are told of it', async () => {
    await using it = await openThree()
    const agents = [defineAgent({ name: 'worker', model: scriptedModel(['Done.']) })]
    const faces = await Promise.all(it.stores.map(store => openHoldpoint({ store, agents })))
    const started = await Promise.all(
      Array.from({ length: 15 }, (_, n) =>
        faces[n % faces.length]?.start({ agent: 'worker', input: 'go', startId: 's-1' }),
      ),
    )
    const runs = await it.stores[0].runs({})
    expect(runs).toHaveLength(1)
    expect(new Set(started.map(run => run?.id))).toEqual(new Set([runs[0]?.id]))
    expect(await it.stores[0].verifyAudit()).toMatchObject({ faults: [] })
    for (const face of faces) await face[Symbol.asyncDispose]()
  })

  test('P3: of many who take turns at once, never more than may run get one, and no two get the same task', async () => {
    await using it = await openThree()
    const [{ tasks }] = it.stores
    for (let n = 0; n < 8; n += 1) await tasks.create(aTask({ id: `task_${n}`, kind: 'agent', waits: true }))
    const taken = await many(it.stores, 12, (store, n) => store.tasks.takeNext({ kind: 'agent', most: 3, by: `p${n}` }))
    const ids = taken.flatMap(task => task?.id ?? [])
    expect(ids.toSorted()).toEqual(['task_0', 'task_1', 'task_2'])
  })

  test('of many who create a task at once, with one name or one id, one does', async () => {
    await using it = await openThree()
    const named = (id: string) => aTask({ id, kind: 'agent', details: { name: 'fixer' } })
    const create = (id: (n: number) => string) =>
      many(it.stores, 9, async (store, n) => (await Promise.allSettled([store.tasks.create(named(id(n)))]))[0])
    const oneOf = ['fulfilled', ...Array.from({ length: 8 }, () => 'rejected')]
    expect(outcomes((await create(n => `task_${n}`)).flatMap(each => each ?? []))).toEqual(oneOf)
    expect(outcomes((await create(() => 'task_x')).flatMap(each => each ?? []))).not.toContain('fulfilled')
    expect(await it.stores[0].tasks.tasks({})).toHaveLength(1)
  })

  test('each notice is claimed by one sender, and each address is served in order', async () => {
    await using it = await openThree()
    const at = new Date().toISOString()
    const notices = Array.from({ length: 200 }, (_, n) =>
      aNotice(`notice_${n}`, { hold_id: `hold_${n}`, address: `U${n % 5}`, at, next_at: at }),
    )
    await it.stores[0].notices.enqueue(aBatch(notices))
    const sent: string[] = []
    const send = async ({ notices: outbox }: Store) => {
      for (let rest = 0; rest < 10; rest += 1) {
        for (const notice of await outbox.claim({ channel: 'slack', limit: 2, ttl_ms: 60_000 })) {
          rest = 0
          sent.push(notice.id)
          await outbox.mark([{ notice, mark: { status: 'sent', next_at: null, tries: 0, error: null, sent: {} } }])
        }
      }
    }
    await many(it.stores, 6, send)
    expect(new Set(sent).size).toBe(200)
    expect(sent).toHaveLength(200)
    const ofFirst = sent.map(id => Number(id.slice('notice_'.length))).filter(n => n % 5 === 0)
    expect(ofFirst).toEqual(Array.from({ length: 40 }, (_, n) => 5 * n))
  })

  test('of many who put a batch into the outbox from the same place, one does', async () => {
    await using it = await openThree()
    const put = (store: Store, n: number) => store.notices.enqueue(aBatch([aNotice(`notice_${n}`)], { to: 1 }))
    expect((await many(it.stores, 9, put)).filter(isFirst => isFirst)).toHaveLength(1)
    expect(await it.stores[0].notices.list({})).toHaveLength(1)
  })

  test('a process that arrives many times at once is there once, and of many daemons one is taken', async () => {
    await using it = await openThree()
    const [first] = it.stores
    await first.tasks.create(aTask())
    const place = { task_id: 'task_1', invocation: 1, endpoint: '/s', protocol: 1, token: 't' }
    await many(it.stores, 9, (store, n) => store.presences.arrive({ ...place, process: `p${n}` }))
    expect(await first.presences.list()).toHaveLength(1)
    const take = (store: Store, n: number) =>
      store.daemons.take({ process: `d${n}`, endpoint: '/d', version: '1' }, null)
    expect((await many(it.stores, 9, take)).filter(daemon => daemon !== null)).toHaveLength(1)
  })

  test('P4: what is pruned while runs begin in it is gone whole or there whole', async () => {
    await using it = await openThree()
    const [first, second] = it.stores
    for (let n = 0; n < 10; n += 1) await first.start(aStart({ run: `run_${n}`, thread: `th_${n}`, status: 'done' }))
    const before = new Date(Date.now() + 60_000).toISOString()
    const prune = first.prune({ before, dry_run: false, by: 'ana', surface: 'test' })
    const begun = await many(
      [second],
      10,
      async (store, n) =>
        (await Promise.allSettled([store.start(aStart({ run: `next_${n}`, thread: `th_${n}`, after: 2 }))]))[0],
    )
    const gone = new Set((await prune).threads.map(({ thread_id }) => thread_id))
    for (const [n, start] of begun.entries()) {
      const isThere = (await first.runs({ thread_id: `th_${n}` })).length
      expect([start?.status, isThere]).toEqual(gone.has(`th_${n}`) ? ['rejected', 0] : ['fulfilled', 2])
    }
    expect(await first.verifyAudit()).toMatchObject({ faults: [] })
  })
}
