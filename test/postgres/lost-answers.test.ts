import pg from 'pg'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Lease } from '../../src/ports/store/runs.ts'
import type { Store } from '../../src/ports/store/store.ts'
import { openPostgresStore } from '../../src/stores/postgres/postgres-store.ts'
import {
  aClaim,
  aDecision,
  aHold,
  amendment,
  aRequest,
  aStart,
  claimed,
  expired,
  note,
} from '../../src/testing/contracts/store-samples.ts'
import { openCuttingProxy } from './cutting-proxy.ts'
import { openTestDatabase, waitingIn } from './database.ts'

const database = await openTestDatabase()
afterAll(() => database[Symbol.asyncDispose]())

if ('missing' in database) test.skip(`lost answers of PostgreSQL (${database.missing})`, () => {})
else describe('lost answers of PostgreSQL', () => losing(database.url))

interface Names {
  readonly run: string
  readonly thread: string
  readonly hold: string
}

interface Verb {
  /** Before the connection of `store` is cut. */
  readonly given: (
    stores: { readonly direct: Store; readonly store: Store },
    names: Names,
  ) => Promise<Lease | undefined>
  readonly ask: (store: Store, names: Names, lease: Lease | undefined) => Promise<unknown>
  /** Its answer. */
  readonly answer: unknown
  /** The kinds that it adds to the journal. */
  readonly kinds: readonly string[]
  /** So many messages are sent, cut before and after. Default: more than 8. */
  readonly allCuts?: number
  /** Only such messages are cut. Default: all. */
  readonly counted?: 'append'
}

const held = (store: Store, { run, thread, hold }: Names) =>
  store.start(aStart({ run, thread, opens: [aHold(hold, { run_id: run })] }))

const isHeld: Verb['given'] = async ({ direct }, names) => {
  await held(direct, names)
  return undefined
}

const VERBS: Readonly<Record<string, Verb>> = {
  start: { given: async () => undefined, ask: held, answer: [{ seq: 1 }, { seq: 2 }], kinds: [] },
  decide: {
    given: isHeld,
    ask: (store, { hold }) => store.decide([aDecision(hold)]),
    answer: [{ outcome: 'recorded' }],
    kinds: ['hold.decided'],
  },
  amend: {
    given: isHeld,
    ask: (store, { hold }) => store.amend([{ ...amendment(expired(hold)), hold_id: hold }]),
    answer: [{ status: 'expired' }],
    kinds: ['hold.expired'],
  },
  request: {
    given: isHeld,
    ask: (store, { run }) => store.request(aRequest({ run_id: run, event: { ...aRequest().event, run_id: run } })),
    answer: { outcome: 'recorded' },
    kinds: ['message.queued'],
  },
  claim: {
    given: isHeld,
    ask: (store, { run, hold }) => store.claim(aClaim({ run_id: run, decisions: [aDecision(hold)] })),
    answer: { outcome: 'claimed', lease: { fence: 1 }, receipts: [{ outcome: 'recorded' }] },
    kinds: ['hold.decided'],
  },
  append: {
    given: async (stores, names) => {
      await isHeld(stores, names)
      return claimed(stores.store, { run_id: names.run })
    },
    ask: (store, { run }, lease) => store.append(lease as Lease, 2, note('a step', run)),
    answer: { events: [{ seq: 3 }], rested: false },
    kinds: ['message.received'],
    // One message, cut before and after it. Other chunks are parts of it, or keep the connection.
    allCuts: 2,
    counted: 'append',
  },
}

function losing(url: string): void {
  test.each(Object.entries(VERBS))(
    'P4: %s whose connection is lost at any message, with or without effect, happens once and says so',
    async (name, { given, ask, answer, kinds, allCuts, counted }) => {
      await using proxy = await openCuttingProxy(url)
      const schema = `?schema=lost_${name}`
      await using direct = await openPostgresStore(`${url}${schema}`)
      await using store = await openPostgresStore(`${proxy.url}${schema}`)
      let cuts = 0
      for (const cut of ['before', 'after'] as const) {
        for (let message = 0, isCut = true; isCut; message += 1) {
          const suffix = `${cut}_${message}`
          const names = { run: `run_${suffix}`, thread: `th_${suffix}`, hold: `hold_${suffix}` }
          const lease = await given({ direct, store }, names)
          proxy.arm(message, cut, counted)
          const answered = await ask(store, names, lease)
          isCut = proxy.disarm()
          if (isCut) cuts += 1
          expect(answered, suffix).toMatchObject(answer as object)
          expect(
            (await direct.journal(names.thread, 2)).map(({ kind }) => kind),
            suffix,
          ).toEqual(kinds)
          expect(await direct.run(names.run), suffix).not.toBeNull()
        }
      }
      // Its messages, and those of new connections.
      expect(cuts).toSatisfy((count: number) => (allCuts === undefined ? count > 8 : count === allCuts))
    },
  )

  test('P4: an append whose connection is lost while it waits for the thread is written once, by whichever comes first', async () => {
    await using proxy = await openCuttingProxy(url)
    await using direct = await openPostgresStore(`${url}?schema=lost_late`)
    await using store = await openPostgresStore(`${proxy.url}?schema=lost_late`)
    for (let round = 0; round < 10; round += 1) {
      const names = { run: `run_${round}`, thread: `th_${round}`, hold: `hold_${round}` }
      await held(direct, names)
      const lease = await claimed(store, { run_id: names.run })
      const other = new pg.Client(url)
      await other.connect()
      await other.query(`BEGIN; SELECT FROM lost_late.threads WHERE id = '${names.thread}' FOR UPDATE`)
      const appending = store.append(lease, 2, note('a step', names.run))
      await expect.poll(() => waitingIn(url, 'lost_late')).toBe(1)
      proxy.cutAll()
      // The server has not seen that the connection is gone: both wait, and who comes first is its choice.
      await expect.poll(() => waitingIn(url, 'lost_late')).toBe(2)
      await other.query('COMMIT')
      await other.end()
      expect(await appending).toMatchObject({ events: [{ seq: 3 }], rested: false })
      expect((await direct.journal(names.thread, 2)).map(({ kind }) => kind)).toEqual(['message.received'])
    }
    expect(await direct.verifyAudit()).toMatchObject({ faults: [] })
  })

  test('a store whose connections are all cut answers the next question', async () => {
    await using proxy = await openCuttingProxy(url)
    await using store = await openPostgresStore(`${proxy.url}?schema=cut_all`)
    await store.start(aStart())
    proxy.cutAll()
    const [run, runs] = await Promise.all([store.run('run_1'), store.runs({})])
    expect([run?.id, runs.length]).toEqual(['run_1', 1])
  })

  test('a watcher behind a pooler that passes no notices hears by looks, and a warning says so', async () => {
    await using proxy = await openCuttingProxy(url)
    proxy.dropNotices()
    await using direct = await openPostgresStore(`${url}?schema=polled`)
    await using store = await openPostgresStore(`${proxy.url}?schema=polled`)
    await direct.start(aStart())
    const warnings: string[] = []
    const warn = (warning: Error & { code?: string }) => warnings.push(warning.code ?? warning.name)
    process.on('warning', warn)
    onTestFinished(() => void process.off('warning', warn))
    let calls = 0
    using _watch = store.watch(() => {
      calls += 1
    })
    await expect.poll(() => warnings).toContain('store_polled')
    await expect.poll(() => calls).toBeGreaterThan(0)
    const before = calls
    await direct.request(aRequest())
    await expect.poll(() => calls).toBeGreaterThan(before)
  })

  test('a watcher hears of what was written while its connection was cut', async () => {
    await using proxy = await openCuttingProxy(url)
    await using direct = await openPostgresStore(`${url}?schema=cut_watch`)
    await using store = await openPostgresStore(`${proxy.url}?schema=cut_watch`)
    await direct.start(aStart())
    let calls = 0
    using _watch = store.watch(() => {
      calls += 1
    })
    await expect.poll(() => calls).toBeGreaterThan(0)
    proxy.cutAll()
    await direct.request(aRequest())
    const before = calls
    await expect.poll(() => calls).toBeGreaterThan(before)
    expect(await store.journal('th_1', 2)).toHaveLength(1)
    const between = calls
    await direct.request(aRequest())
    await expect.poll(() => calls).toBeGreaterThan(between)
  })
}
