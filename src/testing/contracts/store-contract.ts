/**
 * What every store must keep (ports/store/store.ts), as tests: P2 one decision wins, P4 all of a write or nothing, P7 an old
 * lease writes nothing. Run it in a vitest file: `await storeContract('sqlite', { open, reopen })`.
 */

import type { AuditRecord } from '../../core/audit/audit.ts'
import type { RefusedError } from '../../core/errors.ts'
import type { NewGrant } from '../../core/hold/grant.ts'
import type { Hold, NewHold } from '../../core/hold/hold.ts'
import type { JournalEvent, NewEvent } from '../../core/journal/event.ts'
import { NO_TIMING } from '../../core/people/due.ts'
import type { Json } from '../../core/text/json.ts'
import type { Clock } from '../../ports/clock.ts'
import type {
  Amendment,
  AuditQuery,
  Claim,
  Claimed,
  Commit,
  GrantQuery,
  HoldEvent,
  Lease,
  PruneQuery,
  ReadyDecision,
  Receipt,
  Request,
  Rest,
  Start,
  Store,
} from '../../ports/store/store.ts'
import { handClock } from '../kit/hand-clock.ts'
import { movingBetweenStores } from './bundle-contract.ts'
import type { Kit, Scene } from './contract-kit.ts'
import { keepingTasks, movingTasks, pruningTasks, tasksOpenedTwice, watchingTasks } from './task-contract.ts'

export interface StoreSubject {
  /** A store with nothing in it; called for each test, which closes it. */
  readonly open: (clock: Clock) => Promise<Store>
  /** Another one on what `store` holds, as a second process would open it; left out where that is impossible. */
  readonly reopen?: (store: Store, clock: Clock) => Promise<Store>
}

/** Registers the tests. `name` is what they are listed under. */
export async function storeContract(name: string, { open, reopen }: StoreSubject): Promise<void> {
  const { describe, expect, test } = await import('vitest')
  async function scene(): Promise<Scene> {
    const clock = handClock('2030-01-01T00:00:00.000Z')
    const store = await open(clock)
    return { store, clock, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() }
  }
  const kit: Kit = { test, expect, scene }
  describe(`${name}: starting`, () => starting(kit))
  describe(`${name}: leases`, () => leases(kit))
  describe(`${name}: writing`, () => writing(kit))
  describe(`${name}: resting`, () => resting(kit))
  describe(`${name}: deciding`, () => deciding(kit))
  describe(`${name}: deciding all or none`, () => decidingAllOrNone(kit))
  describe(`${name}: deciding with the claim`, () => decidingWithTheClaim(kit))
  describe(`${name}: waking`, () => waking(kit))
  describe(`${name}: deciding together`, () => decidingTogether(kit))
  describe(`${name}: amending`, () => amending(kit))
  describe(`${name}: being due`, () => beingDue(kit))
  describe(`${name}: granting`, () => granting(kit))
  describe(`${name}: reserving`, () => reserving(kit))
  describe(`${name}: requesting`, () => requesting(kit))
  describe(`${name}: reading`, () => reading(kit))
  describe(`${name}: on record`, () => onRecord(kit))
  describe(`${name}: pruning`, () => pruning(kit))
  describe(`${name}: watching`, () => watching(kit))
  describe(`${name}: keeping tasks`, () => keepingTasks(kit))
  describe(`${name}: moving tasks`, () => movingTasks(kit))
  describe(`${name}: watching tasks`, () => watchingTasks(kit))
  describe(`${name}: pruning tasks`, () => pruningTasks(kit))
  describe(`${name}: moving between stores`, () => movingBetweenStores(kit))
  if (reopen) {
    describe(`${name}: opened twice`, () => openedTwice(kit, reopen))
    describe(`${name}: tasks, opened twice`, () => tasksOpenedTwice(kit, reopen))
    describe(`${name}: watched from elsewhere`, () => watchedFromElsewhere(kit, reopen))
  } else
    test.skip(`${name}: opened twice, watched from elsewhere (there is no \`reopen\`: nobody else can reach this store)`, () => {})
}

function starting({ test, expect, scene }: Kit): void {
  test('a start returns its events in their place, and the journal has them', async () => {
    await using it = await scene()
    const written = await it.store.start(aStart())
    expect(written).toEqual([
      {
        seq: 1,
        at: '2030-01-01T00:00:00.000Z',
        thread_id: 'th_1',
        run_id: 'run_1',
        kind: 'message.received',
        data: said('go'),
      },
      {
        seq: 2,
        at: '2030-01-01T00:00:00.000Z',
        thread_id: 'th_1',
        run_id: 'run_1',
        kind: 'step.started',
        data: { step: 1 },
      },
    ])
    expect(await it.store.journal('th_1')).toEqual(written)
  })

  test('a start makes the row of its run', async () => {
    await using it = await scene()
    await it.store.start(aStart({ status: 'done', checkpoint_id: 'cp_1', ended: 'natural_end' }))
    expect(await it.store.run('run_1')).toEqual({
      id: 'run_1',
      thread_id: 'th_1',
      agent: 'tester',
      status: 'done',
      hold_scope: 'batch',
      parent_run_id: null,
      checkpoint_id: 'cp_1',
      ended: 'natural_end',
      created_at: '2030-01-01T00:00:00.000Z',
      updated_at: '2030-01-01T00:00:00.000Z',
      lease: null,
      exported: null,
    })
  })

  test('a start opens its holds', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1')] }))
    expect(await it.store.hold('hold_1')).toEqual({
      ...aHold('hold_1'),
      status: 'open',
      thread_id: 'th_1',
      opened_at: '2030-01-01T00:00:00.000Z',
      level: 0,
      reminded: 0,
      votes: [],
      decision: null,
    })
  })

  test('the next run of a thread goes on behind what its journal has', async () => {
    await using it = await scene()
    await it.store.start(aStart())
    const written = await it.store.start(aStart({ run: 'run_2', after: 2 }))
    expect(written.map(({ seq, run_id }) => [seq, run_id])).toEqual([
      [3, 'run_2'],
      [4, 'run_2'],
    ])
  })

  test.each([0, 1, 3])(
    'a start that thinks the journal of two events ends at %i is refused, and nothing is written',
    async after => {
      await using it = await scene()
      await it.store.start(aStart())
      const before = await everything(it.store)
      const late = it.store.start(aStart({ run: 'run_2', after, opens: [aHold('hold_2', { run_id: 'run_2' })] }))
      await expect(late).rejects.toMatchObject({ code: 'superseded' })
      expect(await everything(it.store)).toEqual(before)
    },
  )

  test('a start on a thread that nobody knows but that is thought to have events is refused', async () => {
    await using it = await scene()
    await expect(it.store.start(aStart({ after: 2 }))).rejects.toMatchObject({ code: 'superseded' })
    expect(await everything(it.store)).toEqual(NOTHING)
  })

  test('a start that cannot be written whole leaves no trace', async () => {
    await using it = await scene()
    const twice = [aHold('hold_1'), aHold('hold_1')]
    await expect(it.store.start(aStart({ opens: twice }))).rejects.toThrow()
    expect(await everything(it.store)).toEqual(NOTHING)
    await it.store.start(aStart())
    const before = await everything(it.store)
    await expect(it.store.start(aStart({ thread: 'th_2' })), 'a run id is taken once').rejects.toThrow()
    expect(await everything(it.store)).toEqual(before)
  })

  test('P7: of many starts behind the same event, one is written', async () => {
    await using it = await scene()
    await it.store.start(aStart())
    const starts = Array.from({ length: 8 }, (_, n) => it.store.start(aStart({ run: `run_${n + 2}`, after: 2 })))
    const settled = await Promise.allSettled(starts)
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await it.store.runs({ thread_id: 'th_1' })).toHaveLength(2)
    expect((await it.store.journal('th_1')).map(({ seq }) => seq)).toEqual([1, 2, 3, 4])
  })
}

function leases({ test, expect, scene }: Kit): void {
  test('a claim gives the lease until its time is up, and the row tells', async () => {
    await using it = await scene()
    await it.store.start(aStart())
    const lease = await claimed(it.store)
    expect(lease).toMatchObject({
      run_id: 'run_1',
      thread_id: 'th_1',
      owner: 'one',
      until: '2030-01-01T00:00:10.000Z',
    })
    const { owner, until, fence } = lease
    expect((await it.store.run('run_1'))?.lease).toEqual({ owner, until, fence })
  })

  test('a run that nobody knows cannot be claimed, and one that is done need not be', async () => {
    await using it = await scene()
    expect(await it.store.claim(aClaim())).toBeNull()
    await it.store.start(aStart({ status: 'done' }))
    expect(await it.store.claim(aClaim())).toEqual({ outcome: 'done' })
    expect(await it.store.run('run_1')).toMatchObject({ lease: null })
  })

  test.each(['two', 'one'])('P7: while a lease lasts, a claim by %s finds it busy', async owner => {
    await using it = await scene()
    await it.store.start(aStart())
    await claimed(it.store)
    it.clock.advance(9_999)
    expect(await it.store.claim(aClaim({ owner }))).toEqual({
      outcome: 'busy',
      owner: 'one',
      until: '2030-01-01T00:00:10.000Z',
    })
  })

  test('P7: a lease whose time is up can be taken, with a higher fence', async () => {
    await using it = await scene()
    await it.store.start(aStart())
    const first = await claimed(it.store)
    it.clock.advance(10_000)
    const second = await claimed(it.store, { owner: 'two' })
    expect(second.owner).toBe('two')
    expect(second.fence).toBeGreaterThan(first.fence)
  })

  test('a lease can be taken from an owner who is known to be gone, and from nobody else', async () => {
    await using it = await scene()
    await it.store.start(aStart())
    const first = await claimed(it.store)
    expect(await it.store.claim(aClaim({ owner: 'two', evict: 'three' }))).toMatchObject({
      outcome: 'busy',
      owner: 'one',
    })
    const second = await claimed(it.store, { owner: 'two', evict: 'one' })
    expect(second.fence).toBeGreaterThan(first.fence)
    expect(await it.store.claim(aClaim({ owner: 'three', evict: 'one' }))).toMatchObject({
      outcome: 'busy',
      owner: 'two',
    })
  })

  test('a renewed lease lasts longer and stays the same lease', async () => {
    await using it = await scene()
    await it.store.start(aStart())
    const first = await claimed(it.store)
    it.clock.advance(9_000)
    const renewed = await it.store.renew(first, 10_000)
    expect(renewed).toEqual({ ...first, until: '2030-01-01T00:00:19.000Z' })
    it.clock.advance(9_000)
    expect(await it.store.claim(aClaim({ owner: 'two' }))).toMatchObject({ outcome: 'busy' })
    // What was given out before the renewal still writes.
    await expect(it.store.append(first, 2, note('renewed'))).resolves.toBeDefined()
  })

  test('a released lease is free at once', async () => {
    await using it = await scene()
    await it.store.start(aStart())
    await it.store.release(await claimed(it.store))
    expect((await it.store.run('run_1'))?.lease).toBeNull()
    await claimed(it.store, { owner: 'two' })
  })

  const STALE: readonly (readonly [what: string, use: (store: Store, lease: Lease) => Promise<unknown>])[] = [
    [
      'append',
      (store, lease) =>
        store.append(lease, 2, {
          ...note('late'),
          opens: [aHold('hold_late')],
          run: { status: 'done', ended: 'late' },
        }),
    ],
    ['append and rest', (store, lease) => store.append(lease, 2, { events: [], rest: aRest() })],
    ['renew', (store, lease) => store.renew(lease, 60_000)],
    ['release', (store, lease) => store.release(lease)],
  ]

  test.each(STALE)(
    'P7: to %s under a lease that somebody else took is refused, and nothing changes',
    async (_what, use) => {
      await using it = await scene()
      await it.store.start(aStart())
      const stale = await claimed(it.store)
      it.clock.advance(10_000)
      await claimed(it.store, { owner: 'two' })
      const before = await everything(it.store)
      await expect(use(it.store, stale)).rejects.toMatchObject({ code: 'lease_lost' })
      expect(await everything(it.store)).toEqual(before)
    },
  )

  test.each(STALE)(
    'P7: to %s under a lease that was given back is refused, and nothing changes',
    async (_what, use) => {
      await using it = await scene()
      await it.store.start(aStart())
      const stale = await claimed(it.store)
      await it.store.release(stale)
      const before = await everything(it.store)
      await expect(use(it.store, stale)).rejects.toMatchObject({ code: 'lease_lost' })
      expect(await everything(it.store)).toEqual(before)
    },
  )

  test('P7: an owner that comes back later does not write under its old lease', async () => {
    await using it = await scene()
    await it.store.start(aStart())
    const old = await claimed(it.store)
    await it.store.release(old)
    await claimed(it.store)
    await expect(it.store.append(old, 2, note('late'))).rejects.toMatchObject({ code: 'lease_lost' })
  })

  test('P7: of many claims at once, one gets the lease', async () => {
    await using it = await scene()
    await it.store.start(aStart())
    const claims = Array.from({ length: 8 }, (_, n) => it.store.claim(aClaim({ owner: `owner ${n}` })))
    const outcomes = (await Promise.all(claims)).map(result => result?.outcome)
    expect(outcomes.toSorted()).toEqual([...Array(7).fill('busy'), 'claimed'])
  })

  test('leases of different runs do not get in each other’s way', async () => {
    await using it = await scene()
    await it.store.start(aStart())
    await it.store.start(aStart({ run: 'run_2', thread: 'th_2' }))
    const one = await claimed(it.store)
    const two = await claimed(it.store, { run_id: 'run_2', owner: 'two' })
    await it.store.append(one, 2, note('one'))
    await it.store.append(two, 2, note('two', 'run_2'))
    expect((await it.store.journal('th_2')).at(-1)).toMatchObject({ seq: 3, data: said('two') })
  })
}

function writing({ test, expect, scene }: Kit): void {
  test('an append returns its events in their place, behind the last one', async () => {
    await using it = await scene()
    await it.store.start(aStart())
    const lease = await claimed(it.store)
    it.clock.advance(1_000)
    const { events } = await it.store.append(lease, 2, { events: [event('a'), event('b')] })
    expect(events).toMatchObject([
      { seq: 3, at: '2030-01-01T00:00:01.000Z', thread_id: 'th_1', run_id: 'run_1', data: said('a') },
      { seq: 4, data: said('b') },
    ])
    expect((await it.store.journal('th_1')).slice(2)).toEqual(events)
  })

  test('an append returns what others wrote since as well, oldest first, and its own behind', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1'), aHold('hold_2')] }))
    const lease = await claimed(it.store)
    await it.store.decide([aDecision('hold_2'), aDecision('hold_1')])
    const { events } = await it.store.append(lease, 2, note('mine'))
    expect(events.map(({ seq, kind }) => [seq, kind])).toEqual([
      [3, 'hold.decided'],
      [4, 'hold.decided'],
      [5, 'message.received'],
    ])
    expect(events.map(({ data }) => ('hold_id' in data ? data.hold_id : null))).toEqual(['hold_2', 'hold_1', null])
    expect(await it.store.journal('th_1', 2)).toEqual(events)
    // Whoever has seen them does not get them again.
    expect((await it.store.append(lease, 5, note('more'))).events.map(({ seq }) => seq)).toEqual([6])
  })

  test('a commit opens holds, changes the row and rests, all at once', async () => {
    await using it = await scene()
    await it.store.start(aStart())
    const lease = await claimed(it.store)
    it.clock.advance(2_000)
    await it.store.append(lease, 2, {
      ...note('pause'),
      opens: [aHold('hold_1')],
      run: { checkpoint_id: 'cp_2' },
      rest: aRest({ run: { status: 'waiting' } }),
    })
    expect(await it.store.run('run_1')).toMatchObject({
      status: 'waiting',
      checkpoint_id: 'cp_2',
      ended: null,
      created_at: '2030-01-01T00:00:00.000Z',
      updated_at: '2030-01-01T00:00:02.000Z',
      lease: null,
      exported: null,
    })
    expect(await it.store.hold('hold_1')).toMatchObject({ status: 'open', opened_at: '2030-01-01T00:00:02.000Z' })
  })

  test('a change of the row leaves what it does not name', async () => {
    await using it = await scene()
    await it.store.start(aStart({ checkpoint_id: 'cp_1' }))
    const lease = await claimed(it.store)
    await it.store.append(lease, 2, { events: [], run: { status: 'done', ended: 'natural_end' } })
    expect(await it.store.run('run_1')).toMatchObject({
      status: 'done',
      ended: 'natural_end',
      checkpoint_id: 'cp_1',
      hold_scope: 'batch',
      lease: { owner: 'one' },
    })
  })

  test('P4: a commit that cannot be written whole leaves no trace', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1')] }))
    const lease = await claimed(it.store)
    const before = await everything(it.store)
    const broken: Commit = {
      ...note('half'),
      opens: [aHold('hold_2'), aHold('hold_1')],
      run: { status: 'done' },
      rest: aRest({ events: [event('also')], withdraws: ['hold_1'] }),
    }
    await expect(it.store.append(lease, 2, broken)).rejects.toThrow()
    expect(await everything(it.store)).toEqual(before)
    await expect(it.store.append(lease, 2, note('whole'))).resolves.toBeDefined()
  })

  test('a commit without events is one too', async () => {
    await using it = await scene()
    await it.store.start(aStart())
    const lease = await claimed(it.store)
    expect(await it.store.append(lease, 2, { events: [] })).toEqual({ events: [], rested: false })
  })

  test('a run is not put to rest over something that its owner has not seen', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1')] }))
    const lease = await claimed(it.store)
    await it.store.decide([aDecision('hold_1')])
    await it.store.append(lease, 2, { ...note('pause'), run: { status: 'waiting', checkpoint_id: 'cp_2' } })
    expect(await it.store.run('run_1')).toMatchObject({ status: 'running', checkpoint_id: 'cp_2' })
    await it.store.append(lease, 4, { events: [], run: { status: 'waiting' } })
    expect(await it.store.run('run_1')).toMatchObject({ status: 'waiting', checkpoint_id: 'cp_2' })
  })

  test('what is stored does not change with the objects it came from', async () => {
    await using it = await scene()
    const data = { step: 1 }
    await it.store.start(aStart({ events: [{ kind: 'step.started', run_id: 'run_1', data }] }))
    data.step = 2
    const [read] = await it.store.journal('th_1')
    expect(read?.data).toEqual({ step: 1 })
    Object.assign(read?.data ?? {}, { step: 3 })
    expect((await it.store.journal('th_1'))[0]?.data).toEqual({ step: 1 })
  })
}

function resting({ test, expect, scene }: Kit): void {
  test('a rest is written behind the events of its commit', async () => {
    await using it = await scene()
    await it.store.start(aStart())
    const lease = await claimed(it.store)
    const rest = aRest({ events: [event('last')] })
    const appended = await it.store.append(lease, 2, { events: [event('a'), event('b')], rest })
    expect(appended.events.map(({ seq, data }) => [seq, data])).toEqual([
      [3, said('a')],
      [4, said('b')],
      [5, said('last')],
    ])
    expect(appended.rested).toBe(true)
    expect(await it.store.journal('th_1', 2)).toEqual(appended.events)
  })

  test('a rest changes the row after its commit did', async () => {
    await using it = await scene()
    await it.store.start(aStart())
    const lease = await claimed(it.store)
    const rest = aRest({ run: { status: 'done', ended: 'natural_end' }, release: false })
    await it.store.append(lease, 2, { events: [], run: { status: 'waiting', checkpoint_id: 'cp_2' }, rest })
    expect(await it.store.run('run_1')).toMatchObject({
      status: 'done',
      ended: 'natural_end',
      checkpoint_id: 'cp_2',
      lease: { owner: 'one' },
    })
  })

  test('a rest that releases gives the lease back', async () => {
    await using it = await scene()
    await it.store.start(aStart())
    const lease = await claimed(it.store)
    expect(await it.store.append(lease, 2, { events: [], rest: aRest() })).toEqual({ events: [], rested: true })
    expect(await it.store.run('run_1')).toMatchObject({ status: 'running', lease: null })
    await claimed(it.store, { owner: 'two' })
  })

  test('a rest withdraws holds that are open, and leaves those that were decided', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1'), aHold('hold_2'), aHold('hold_3')] }))
    const lease = await claimed(it.store)
    await it.store.decide([aDecision('hold_1')])
    const rest = aRest({ withdraws: ['hold_1', 'hold_2'] })
    expect(await it.store.append(lease, 3, { events: [], rest })).toMatchObject({ rested: true })
    expect((await it.store.holds({})).map(({ status }) => status)).toEqual(['decided', 'withdrawn', 'open'])
  })

  test('a hold that opens with a rest opens where nobody came between, and nowhere else', async () => {
    await using it = await scene()
    await it.store.start(aStart())
    const lease = await claimed(it.store)
    await it.store.request(aRequest())
    const rest = aRest({ opens: [aHold('hold_1')], release: false })
    expect(await it.store.append(lease, 2, { events: [], rest })).toMatchObject({ rested: false })
    expect(await it.store.hold('hold_1')).toBeNull()
    expect(await it.store.append(lease, 3, { events: [], rest })).toMatchObject({ rested: true })
    expect(await it.store.hold('hold_1')).toMatchObject({ status: 'open' })
  })

  test('P7: a rest withdraws no hold of another run', async () => {
    await using it = await scene()
    await it.store.start(aStart())
    await it.store.start(aStart({ run: 'run_2', thread: 'th_2', opens: [aHold('hold_2', { run_id: 'run_2' })] }))
    const lease = await claimed(it.store)
    await it.store.append(lease, 2, { events: [], rest: aRest({ withdraws: ['hold_2'] }) })
    expect(await it.store.hold('hold_2')).toMatchObject({ status: 'open' })
  })

  const OTHERS: readonly (readonly [what: string, write: (store: Store) => Promise<unknown>])[] = [
    ['a decision', store => store.decide([aDecision('hold_2')])],
    ['a message', store => store.request(aRequest())],
    ['a cancel', store => store.request(aCancel({ withdraw: false }))],
  ]

  test.each(OTHERS)('a rest over %s that its owner has not seen is left out whole', async (_what, write) => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1'), aHold('hold_2')] }))
    const lease = await claimed(it.store)
    await write(it.store)
    const appended = await it.store.append(lease, 2, { ...note('mine'), run: { checkpoint_id: 'cp_2' }, rest: END })
    expect(appended).toMatchObject({ rested: false, events: [{ seq: 3 }, { seq: 4, data: said('mine') }] })
    expect(await it.store.journal('th_1', 2)).toEqual(appended.events)
    expect(await it.store.hold('hold_1')).toMatchObject({ status: 'open' })
    expect(await it.store.run('run_1')).toMatchObject({
      status: 'running',
      ended: null,
      checkpoint_id: 'cp_2',
      lease: { owner: 'one' },
    })
  })

  test('a rest that was left out is written once its owner has seen what others wrote', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1')] }))
    const lease = await claimed(it.store)
    await it.store.request(aRequest())
    const { events } = await it.store.append(lease, 2, { events: [], rest: END })
    expect(await it.store.append(lease, events.at(-1)?.seq ?? 0, { events: [], rest: END })).toMatchObject({
      rested: true,
      events: [{ seq: 4, data: said('the end') }],
    })
    expect(await it.store.run('run_1')).toMatchObject({ status: 'done', ended: 'natural_end', lease: null })
    expect(await it.store.hold('hold_1')).toMatchObject({ status: 'withdrawn' })
  })
}

function deciding({ test, expect, scene }: Kit): void {
  test('a decision is recorded on its hold and in the journal', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1')] }))
    it.clock.advance(3_000)
    const said = aDecision('hold_1', { reason: 'looks good' })
    const { hold_id, ...decision } = said
    const [receipt] = await it.store.decide([said])
    expect(receipt).toMatchObject({
      outcome: 'recorded',
      decision,
      hold: { id: hold_id, status: 'decided', decision },
    })
    expect(await it.store.hold('hold_1')).toMatchObject({ status: 'decided', decision })
    expect((await it.store.journal('th_1')).at(-1)).toEqual({
      seq: 3,
      at: '2030-01-01T00:00:03.000Z',
      thread_id: 'th_1',
      run_id: 'run_1',
      kind: 'hold.decided',
      data: { hold_id: 'hold_1', call_id: 'call_1', status: 'resuming', decision },
    })
  })

  test('a decision on a hold that is about no call changes the status of none', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1', { kind: 'input', call_id: null })] }))
    await it.store.decide([aDecision('hold_1')])
    expect((await it.store.journal('th_1')).at(-1)?.data).toMatchObject({ call_id: null, status: null })
  })

  test('P2: the same decision again is a duplicate of what was recorded, and is recorded once', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1')] }))
    const said = aDecision('hold_1', { decision_id: 'click-1' })
    await it.store.decide([said])
    const before = await everything(it.store)
    const [again] = await it.store.decide([{ ...said, reason: 'said in other words', at: '2030-01-02T00:00:00.000Z' }])
    expect(again).toMatchObject({
      outcome: 'duplicate',
      decision: { verdict: 'approve', decided_by: 'ana', reason: null },
    })
    expect(await everything(it.store)).toEqual(before)
  })

  test.each<[string, Partial<ReadyDecision>]>([
    ['somebody else', { decided_by: 'ben' }],
    ['another verdict', { verdict: 'reject' }],
    ['other arguments', { verdict: 'edit', arguments: { to: 'staging' } }],
  ])('P2: the id of a decision that was recorded makes %s no duplicate', async (_, changes) => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1')] }))
    const said = aDecision('hold_1', { decision_id: 'click-1' })
    await it.store.decide([said])
    const before = await everything(it.store)
    const [again] = await it.store.decide([{ ...said, ...changes }])
    expect(again).toMatchObject({ outcome: 'already_decided', winner: { verdict: 'approve', decided_by: 'ana' } })
    expect(await everything(it.store)).toEqual(before)
  })

  test('P2: another decision on a decided hold gets the winner', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1')] }))
    await it.store.decide([aDecision('hold_1')])
    const before = await everything(it.store)
    const [late] = await it.store.decide([aDecision('hold_1', { verdict: 'reject', decided_by: 'ben' })])
    expect(late).toMatchObject({ outcome: 'already_decided', winner: { verdict: 'approve', decided_by: 'ana' } })
    expect(await everything(it.store)).toEqual(before)
  })

  test('P2: of many decisions on one hold at once, one is recorded and the others get it', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1')] }))
    const saying = Array.from({ length: 8 }, (_, n) =>
      it.store.decide([aDecision('hold_1', { decided_by: `actor ${n}` })]),
    )
    const receipts = (await Promise.all(saying)).flat()
    const recorded = receipts.filter(({ outcome }) => outcome === 'recorded')
    expect(recorded).toHaveLength(1)
    const winner = (await it.store.hold('hold_1'))?.decision
    for (const receipt of receipts) {
      expect(receipt.outcome === 'already_decided' ? receipt.winner : winner).toEqual(winner)
    }
    expect(await it.store.journal('th_1')).toHaveLength(3)
  })

  test('P2: of two decisions on one hold in one list, the first is recorded', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1')] }))
    const receipts = await it.store.decide([aDecision('hold_1', { verdict: 'reject' }), aDecision('hold_1')])
    expect(receipts).toMatchObject([
      { outcome: 'recorded' },
      { outcome: 'already_decided', winner: { verdict: 'reject' } },
    ])
  })

  test('a decision on a hold that nobody knows is refused', async () => {
    await using it = await scene()
    const [receipt] = await it.store.decide([aDecision('hold_9')])
    expect(receipt).toMatchObject({ outcome: 'refused', hold: null })
    expect(errorOf(receipt)).toMatchObject({ code: 'unknown_hold' })
  })

  test('P2: a decision on a hold that was withdrawn is refused and told what to do, and changes nothing', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1')] }))
    await it.store.request(aCancel())
    const before = await everything(it.store)
    const [receipt] = await it.store.decide([aDecision('hold_1')])
    expect(receipt).toMatchObject({ outcome: 'refused', hold: { id: 'hold_1', status: 'withdrawn' } })
    expect(errorOf(receipt)).toMatchObject({ code: 'hold_withdrawn', hint: expect.stringContaining('hold_1') })
    expect(await everything(it.store)).toEqual(before)
  })

  test.each(OVER)(
    'P2: a decision on a hold of a run that is %s is refused, and changes nothing',
    async (_what, row) => {
      await using it = await scene()
      await it.store.start(aStart({ ...row, opens: [aHold('hold_1')] }))
      const before = await everything(it.store)
      const [receipt] = await it.store.decide([aDecision('hold_1')])
      expect(receipt).toMatchObject({ outcome: 'refused', hold: { id: 'hold_1', decision: null } })
      expect(errorOf(receipt)).toMatchObject({ code: 'run_done', hint: expect.stringContaining('hold_1') })
      expect(await everything(it.store)).toEqual(before)
    },
  )

  test('P2: whoever decided a hold of a run that is done by now gets the same success again', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1')] }))
    const said = aDecision('hold_1', { decision_id: 'click-1' })
    await it.store.decide([said])
    await it.store.append(await claimed(it.store), 3, { events: [], rest: END })
    expect(await it.store.decide([said, aDecision('hold_1')])).toMatchObject([
      { outcome: 'duplicate' },
      { outcome: 'already_decided', winner: { decision_id: 'click-1' } },
    ])
  })

  test('decisions stand each for itself, and their receipts come in their order', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1'), aHold('hold_2'), aHold('hold_3')] }))
    await it.store.decide([aDecision('hold_2')])
    const receipts = await it.store.decide(['hold_3', 'hold_9', 'hold_2', 'hold_1'].map(id => aDecision(id)))
    expect(receipts.map(({ outcome }) => outcome)).toEqual(['recorded', 'refused', 'already_decided', 'recorded'])
    const decided = (await it.store.journal('th_1', 3)).map(({ data }) => ('hold_id' in data ? data.hold_id : null))
    expect(decided).toEqual(['hold_3', 'hold_1'])
  })

  test('a decision needs no lease, and the owner of the lease keeps it', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1')] }))
    const lease = await claimed(it.store)
    await it.store.decide([aDecision('hold_1')])
    expect(await it.store.renew(lease, 10_000)).toMatchObject({ owner: 'one' })
  })
}

function decidingAllOrNone({ test, expect, scene }: Kit): void {
  test('several are recorded at once, and one of them that was recorded before is no obstacle', async () => {
    await using it = await scene()
    await it.store.start(aStart({ status: 'waiting', opens: [aHold('hold_1'), aHold('hold_2')] }))
    const before = aDecision('hold_1')
    await it.store.decide([before])
    const receipts = await it.store.decide([before, aDecision('hold_2')], { all: true })
    expect(receipts.map(({ outcome }) => outcome)).toEqual(['duplicate', 'recorded'])
    expect(await it.store.hold('hold_2')).toMatchObject({ status: 'decided' })
  })

  test.each([
    ['unknown', 'refused', () => {}],
    [
      'already decided',
      'already_decided',
      (store: Store) => store.decide([aDecision('hold_2', { decided_by: 'ben' })]),
    ],
  ] as const)('P2: where one is %s, none is recorded, and the receipts tell what stood in the way', async (...each) => {
    const [what, outcome, prepare] = each
    await using it = await scene()
    await it.store.start(aStart({ status: 'waiting', opens: [aHold('hold_1'), aHold('hold_2'), aHold('hold_3')] }))
    await prepare(it.store)
    const before = await everything(it.store)
    const heard: unknown[] = []
    using _watch = it.store.watch(change => heard.push(change))
    const second = what === 'unknown' ? 'hold_9' : 'hold_2'
    const decisions = [aDecision('hold_1'), aDecision(second), aDecision('hold_3')]
    const receipts = await it.store.decide(decisions, { all: true })
    expect(receipts[1]).toMatchObject({ outcome })
    expect(receipts).toHaveLength(3)
    expect(await everything(it.store)).toEqual(before)
    expect(heard).toEqual([])
  })
}

function decidingWithTheClaim({ test, expect, scene }: Kit): void {
  test('P2: a claim records its decisions in the same transaction', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1'), aHold('hold_2')] }))
    const result = await it.store.claim(aClaim({ decisions: [aDecision('hold_1'), aDecision('hold_2')] }))
    expect(result).toMatchObject({ outcome: 'claimed', receipts: [{ outcome: 'recorded' }, { outcome: 'recorded' }] })
    expect(await it.store.holds({ status: 'open' })).toEqual([])
    expect((await it.store.journal('th_1', 2)).map(({ kind }) => kind)).toEqual(['hold.decided', 'hold.decided'])
  })

  const SPOILERS: readonly (readonly [what: string, spoiler: string, outcome: Receipt['outcome']])[] = [
    ['was decided before', 'hold_2', 'already_decided'],
    ['is known to nobody', 'hold_9', 'refused'],
    ['was withdrawn', 'hold_3', 'refused'],
  ]

  test.each(SPOILERS)(
    'P2: where one hold of a claim %s, nothing is recorded and no lease is taken',
    async (_what, spoiler, outcome) => {
      await using it = await scene()
      await it.store.start(aStart({ opens: [aHold('hold_1'), aHold('hold_2'), aHold('hold_3')] }))
      await it.store.decide([aDecision('hold_2', { decided_by: 'ben' })])
      const lease = await claimed(it.store)
      await it.store.append(lease, 3, { events: [], rest: aRest({ withdraws: ['hold_3'] }) })
      const before = await everything(it.store)
      const result = await it.store.claim(aClaim({ decisions: [aDecision('hold_1'), aDecision(spoiler)] }))
      expect(result).toMatchObject({ outcome: 'refused', receipts: [{ outcome: 'recorded' }, { outcome }] })
      expect(await everything(it.store)).toEqual(before)
    },
  )

  test('P2: a claim with a decision that was recorded before is its success again', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1'), aHold('hold_2')] }))
    const said = aDecision('hold_1', { decision_id: 'click-1' })
    await it.store.decide([said])
    const result = await it.store.claim(aClaim({ decisions: [said, aDecision('hold_2')] }))
    expect(result).toMatchObject({ outcome: 'claimed', receipts: [{ outcome: 'duplicate' }, { outcome: 'recorded' }] })
    expect((await it.store.journal('th_1', 2)).map(({ kind }) => kind)).toEqual(['hold.decided', 'hold.decided'])
  })

  test('P7: a run that is done gives no lease, also to who says again what was recorded', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1')] }))
    const said = aDecision('hold_1', { decision_id: 'click-1' })
    await it.store.decide([said])
    const lease = await claimed(it.store)
    await it.store.append(lease, 3, { events: [], rest: aRest({ run: { status: 'done', ended: 'natural_end' } }) })
    expect(await it.store.claim(aClaim({ decisions: [said] }))).toEqual({ outcome: 'done' })
    expect(await it.store.run('run_1')).toMatchObject({ status: 'done', lease: null })
  })

  test('P7: a claim that finds the run busy records nothing', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1')] }))
    await claimed(it.store)
    const before = await everything(it.store)
    const result = await it.store.claim(aClaim({ owner: 'two', decisions: [aDecision('hold_1')] }))
    expect(result).toMatchObject({ outcome: 'busy' })
    expect(await everything(it.store)).toEqual(before)
  })

  test('P2: of many claims that decide the same hold, one gets the lease', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1')] }))
    const claims = Array.from({ length: 8 }, (_, n) =>
      it.store.claim(aClaim({ owner: `owner ${n}`, decisions: [aDecision('hold_1', { decided_by: `actor ${n}` })] })),
    )
    const results = await Promise.all(claims)
    const winners = results.filter(result => result?.outcome === 'claimed')
    expect(winners).toHaveLength(1)
    const number = results.findIndex(result => result?.outcome === 'claimed')
    expect((await it.store.hold('hold_1'))?.decision?.decided_by).toBe(`actor ${number}`)
  })
}

function waking({ test, expect, scene }: Kit): void {
  test('a waiting run of scope batch becomes running with its last decision, and not before', async () => {
    await using it = await scene()
    await it.store.start(aStart({ status: 'waiting', opens: [aHold('hold_1'), aHold('hold_2')] }))
    await it.store.decide([aDecision('hold_1')])
    expect(await it.store.run('run_1')).toMatchObject({ status: 'waiting' })
    it.clock.advance(5_000)
    await it.store.decide([aDecision('hold_2')])
    expect(await it.store.run('run_1')).toMatchObject({ status: 'running', updated_at: '2030-01-01T00:00:05.000Z' })
  })

  test('a waiting run of scope call becomes running with the first decision', async () => {
    await using it = await scene()
    await it.store.start(aStart({ status: 'waiting', hold_scope: 'call', opens: [aHold('hold_1'), aHold('hold_2')] }))
    await it.store.decide([aDecision('hold_1')])
    expect(await it.store.run('run_1')).toMatchObject({ status: 'running' })
  })

  test('a decision on one run wakes no other', async () => {
    await using it = await scene()
    await it.store.start(aStart({ status: 'waiting', opens: [aHold('hold_1')] }))
    await it.store.start(
      aStart({ run: 'run_2', thread: 'th_2', status: 'waiting', opens: [aHold('hold_2', { run_id: 'run_2' })] }),
    )
    await it.store.decide([aDecision('hold_2')])
    expect(await it.store.run('run_1')).toMatchObject({ status: 'waiting' })
    expect(await it.store.run('run_2')).toMatchObject({ status: 'running' })
  })

  test('a decision that was not recorded wakes nobody', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1')] }))
    await it.store.decide([aDecision('hold_1')])
    await it.store.append(await claimed(it.store), 3, { events: [], rest: aRest({ run: { status: 'waiting' } }) })
    await it.store.decide([aDecision('hold_1', { decided_by: 'ben' })])
    expect(await it.store.run('run_1')).toMatchObject({ status: 'waiting' })
  })
}

function decidingTogether({ test, expect, scene }: Kit): void {
  const needing = (quorum: number) => aHold('hold_1', { deciders: { people: null, not_requester: false, quorum } })
  const by = (decided_by: string, changes: Partial<ReadyDecision> = {}) =>
    aDecision('hold_1', { decided_by, ...changes })

  test('a hold that needs several approvals stays open until the last of them, and the journal has each', async () => {
    await using it = await scene()
    await it.store.start(aStart({ status: 'waiting', opens: [needing(3)] }))
    const [ana, ben, cleo] = [by('ana'), by('ben'), by('cleo')]
    const [first] = await it.store.decide([ana])
    expect(first).toMatchObject({ outcome: 'recorded', hold: { status: 'open', decision: null } })
    await it.store.decide([ben])
    expect(await it.store.run('run_1')).toMatchObject({ status: 'waiting' })
    expect((await it.store.hold('hold_1'))?.votes.map(({ decided_by }) => decided_by)).toEqual(['ana', 'ben'])
    const [last] = await it.store.decide([cleo])
    expect(last).toMatchObject({ outcome: 'recorded', hold: { status: 'decided', decision: { decided_by: 'cleo' } } })
    expect(await it.store.run('run_1')).toMatchObject({ status: 'running' })
    const written = (await it.store.journal('th_1', 2)).map(({ kind, data }) => ({ kind, data }))
    const { hold_id, ...decision } = ana
    expect(written).toMatchObject([
      { kind: 'hold.voted', data: { hold_id, call_id: 'call_1', decision, have: 1, need: 3 } },
      { kind: 'hold.voted', data: { hold_id, have: 2, need: 3 } },
      { kind: 'hold.decided', data: { hold_id, status: 'resuming', decision: { decided_by: 'cleo' } } },
    ])
  })

  test('nobody approves twice, and it changes nothing', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [needing(2)] }))
    await it.store.decide([by('ana')])
    const before = await everything(it.store)
    const [again] = await it.store.decide([by('ana')])
    expect(again).toMatchObject({ outcome: 'refused', hold: { status: 'open' } })
    expect(errorOf(again)).toMatchObject({ code: 'already_voted' })
    expect(await everything(it.store)).toEqual(before)
  })

  test('P1: what several must approve is not edited by one, and it changes nothing', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [needing(2)] }))
    const before = await everything(it.store)
    const [edited] = await it.store.decide([by('ana', { verdict: 'edit', arguments: { to: 'staging' } })])
    expect(edited).toMatchObject({ outcome: 'refused' })
    expect(await everything(it.store)).toEqual(before)
  })

  test('the same approval again is its success again, before and after the last one', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [needing(2)] }))
    const said = by('ana', { decision_id: 'click-1' })
    await it.store.decide([said])
    const { hold_id: _, ...decision } = said
    expect(await it.store.decide([said])).toMatchObject([{ outcome: 'duplicate', decision, hold: { status: 'open' } }])
    await it.store.decide([by('ben')])
    const before = await everything(it.store)
    expect(await it.store.decide([said])).toMatchObject([{ outcome: 'duplicate', decision }])
    expect(await it.store.decide([by('cleo')])).toMatchObject([
      { outcome: 'already_decided', winner: { decided_by: 'ben' } },
    ])
    expect(await everything(it.store)).toEqual(before)
  })

  test.each(['reject', 'cancel'] as const)('one %s ends it, whoever approved before', async verdict => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [needing(3)] }))
    await it.store.decide([by('ana')])
    expect(await it.store.decide([by('ben', { verdict })])).toMatchObject([{ outcome: 'recorded' }])
    expect(await it.store.hold('hold_1')).toMatchObject({
      status: 'decided',
      decision: { verdict },
      votes: [{ decided_by: 'ana' }],
    })
    expect((await it.store.journal('th_1', 2)).map(({ kind }) => kind)).toEqual(['hold.voted', 'hold.decided'])
  })

  test('P2: of many approvals at once, as many as it needs are recorded', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [needing(3)] }))
    const receipts = await Promise.all(Array.from({ length: 8 }, (_, n) => it.store.decide([by(`actor ${n}`)])))
    const outcomes = receipts.flat().map(({ outcome }) => outcome)
    expect(outcomes.toSorted()).toEqual([...Array(5).fill('already_decided'), ...Array(3).fill('recorded')])
    expect(await it.store.journal('th_1', 2)).toHaveLength(3)
  })
}

function amending({ test, expect, scene }: Kit): void {
  test.each(AMENDMENTS)('%s changes the hold and is in the journal, both or neither', async (_what, event, change) => {
    await using it = await scene()
    await it.store.start(aStart({ status: 'waiting', opens: [aHold('hold_1'), aHold('hold_2')] }))
    it.clock.advance(5_000)
    const before = await it.store.hold('hold_1')
    const [amended] = await it.store.amend([amendment(event)])
    expect(amended).toEqual({ ...before, ...change })
    expect(await it.store.hold('hold_1')).toEqual(amended)
    expect((await it.store.journal('th_1', 2)).map(({ kind, data, at }) => ({ kind, data, at }))).toEqual([
      { kind: event.kind, data: event.data, at: '2030-01-01T00:00:05.000Z' },
    ])
    expect(await it.store.hold('hold_2')).toMatchObject({ status: 'open', assignee: null, level: 0, reminded: 0 })
    expect(await it.store.run('run_1')).toMatchObject({ status: 'waiting' })
  })

  test.each(AMENDMENTS)('%s does not happen to a hold that was decided', async (_what, event) => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1')] }))
    await it.store.decide([aDecision('hold_1')])
    const before = await everything(it.store)
    expect(await it.store.amend([amendment(event)])).toEqual([null])
    expect(await everything(it.store)).toEqual(before)
  })

  test.each(AMENDMENTS)('%s does not happen to a hold that was withdrawn', async (_what, event) => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1')] }))
    await it.store.request(aCancel())
    const before = await everything(it.store)
    expect(await it.store.amend([amendment(event)])).toEqual([null])
    expect(await everything(it.store)).toEqual(before)
  })

  test.each(OVER)('nothing happens to a hold of a run that is %s', async (_what, row) => {
    await using it = await scene()
    await it.store.start(aStart({ ...row, opens: [aHold('hold_1')] }))
    const before = await everything(it.store)
    expect(await it.store.amend(AMENDMENTS.map(([, event]) => amendment(event)))).toEqual(AMENDMENTS.map(() => null))
    expect(await everything(it.store)).toEqual(before)
  })

  test('nothing happens to a hold that nobody knows', async () => {
    await using it = await scene()
    expect(await it.store.amend([amendment(EXPIRED)])).toEqual([null])
    expect(await everything(it.store)).toEqual(NOTHING)
  })

  test('P2: of many who look at the clock, one reminds, one escalates and one ends it', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1')] }))
    for (const event of [REMINDED, ESCALATED, EXPIRED]) {
      const seen = await it.store.hold('hold_1')
      const looks = Array.from({ length: 4 }, () => it.store.amend([amendment(event, seen)]))
      const happened = (await Promise.all(looks)).flat().filter(hold => hold !== null)
      expect(happened).toHaveLength(1)
    }
    expect((await it.store.journal('th_1', 2)).map(({ kind }) => kind)).toEqual([
      'hold.reminded',
      'hold.escalated',
      'hold.expired',
    ])
  })

  test('P2: what was seen before a reminder or an escalation is too old for either', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1')] }))
    const seen = await it.store.hold('hold_1')
    await it.store.amend([amendment(REMINDED, seen)])
    const between = await it.store.hold('hold_1')
    expect(await it.store.amend([amendment(EXPIRED, seen)])).toEqual([null])
    await it.store.amend([amendment(ESCALATED, between)])
    expect(await it.store.amend([amendment(EXPIRED, between)])).toEqual([null])
    expect(await it.store.hold('hold_1')).toMatchObject({ status: 'open', level: 1, reminded: 1 })
  })

  test('P2: an expiry and a decision at once: one of them is recorded', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1'), aHold('hold_2')] }))
    const expire = (hold_id: string) => it.store.amend([{ hold_id, event: expired(hold_id), seen: null }])
    const [[one], [two]] = await Promise.all([it.store.decide([aDecision('hold_1')]), expire('hold_1')])
    expect(one?.outcome === 'recorded').toBe(two === null)
    const [[three], [four]] = await Promise.all([expire('hold_2'), it.store.decide([aDecision('hold_2')])])
    expect(four?.outcome === 'recorded').toBe(three === null)
    expect(await it.store.journal('th_1', 2)).toHaveLength(2)
  })

  test('amendments stand each for itself, and what became of them comes in their order', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1'), aHold('hold_2')] }))
    const of = (hold_id: string): Amendment => ({ hold_id, event: expired(hold_id), seen: null })
    const amended = await it.store.amend([of('hold_2'), of('hold_9'), of('hold_2'), of('hold_1')])
    expect(amended.map(hold => hold?.id ?? null)).toEqual(['hold_2', null, null, 'hold_1'])
  })

  test('P2: a decision on a hold that has expired is refused, and told what became of it', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1', { due_at: '2030-01-01T00:00:01.000Z' })] }))
    await it.store.amend([amendment(EXPIRED)])
    const before = await everything(it.store)
    const [receipt] = await it.store.decide([aDecision('hold_1')])
    expect(receipt).toMatchObject({ outcome: 'refused', hold: { id: 'hold_1', status: 'expired' } })
    expect(errorOf(receipt)).toMatchObject({
      code: 'hold_expired',
      message: expect.stringContaining('rejected'),
      details: { winner: EXPIRED.data.decision },
    })
    expect(await everything(it.store)).toEqual(before)
  })

  test('P2: where one hold of a claim has expired, nothing is recorded and no lease is taken', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1'), aHold('hold_2')] }))
    await it.store.amend([amendment(EXPIRED)])
    const before = await everything(it.store)
    const result = await it.store.claim(aClaim({ decisions: [aDecision('hold_2'), aDecision('hold_1')] }))
    expect(result).toMatchObject({ outcome: 'refused', receipts: [{ outcome: 'recorded' }, { outcome: 'refused' }] })
    expect(await everything(it.store)).toEqual(before)
  })

  test('a waiting run of scope call becomes running with an expiry', async () => {
    await using it = await scene()
    await it.store.start(aStart({ status: 'waiting', hold_scope: 'call', opens: [aHold('hold_1'), aHold('hold_2')] }))
    await it.store.amend([amendment(EXPIRED)])
    expect(await it.store.run('run_1')).toMatchObject({ status: 'running' })
  })

  test('a waiting run of scope batch becomes running with its last expiry or decision', async () => {
    await using it = await scene()
    await it.store.start(aStart({ status: 'waiting', opens: [aHold('hold_1'), aHold('hold_2'), aHold('hold_3')] }))
    await it.store.amend([amendment(EXPIRED)])
    await it.store.decide([aDecision('hold_2')])
    expect(await it.store.run('run_1')).toMatchObject({ status: 'waiting' })
    await it.store.amend([{ hold_id: 'hold_3', event: expired('hold_3'), seen: null }])
    expect(await it.store.run('run_1')).toMatchObject({ status: 'running' })
  })

  test('an amendment needs no lease, and the owner of the lease keeps it and sees what was said', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1')] }))
    const lease = await claimed(it.store)
    await it.store.amend([amendment(EXPIRED)])
    expect(await it.store.append(lease, 2, { events: [], rest: END })).toMatchObject({
      rested: false,
      events: [{ kind: 'hold.expired' }],
    })
  })
}

function beingDue({ test, expect, scene }: Kit): void {
  const at = (seconds: number) => new Date(Date.parse('2030-01-01T00:00:00.000Z') + seconds * 1000).toISOString()

  test('P2: a decision on a hold whose time is over is refused, and changes nothing', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1', { due_at: at(60), on_due: 'reject' })] }))
    it.clock.advance(60_000)
    const before = await everything(it.store)
    const [receipt] = await it.store.decide([aDecision('hold_1')])
    expect(receipt).toMatchObject({ outcome: 'refused', hold: { id: 'hold_1', status: 'open' } })
    expect(errorOf(receipt)).toMatchObject({ code: 'hold_overdue', message: expect.stringContaining(at(60)) })
    expect(await everything(it.store)).toEqual(before)
  })

  test('a decision in the last moment counts', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1', { due_at: at(60) })] }))
    it.clock.advance(59_999)
    expect(await it.store.decide([aDecision('hold_1')])).toMatchObject([{ outcome: 'recorded' }])
  })

  test('an escalation gives the time in which a decision counts again', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1', { due_at: at(60) })] }))
    it.clock.advance(60_000)
    await it.store.amend([amendment(ESCALATED)])
    expect(await it.store.decide([aDecision('hold_1')])).toMatchObject([{ outcome: 'recorded' }])
  })

  test('holds are due in the order of time: by their next reminder or their end, no more than asked for', async () => {
    await using it = await scene()
    const holds = [
      aHold('hold_1', { due_at: at(50) }),
      aHold('hold_2'),
      aHold('hold_3', { due_at: at(90), remind_at: [at(20), at(40)] }),
      aHold('hold_4', { due_at: at(10) }),
      aHold('hold_5', { remind_at: [at(50)] }),
      aHold('hold_6', { due_at: at(51) }),
    ]
    await it.store.start(aStart({ opens: holds }))
    const due = async (...[time, limit = 10]: [string, number?]) =>
      (await it.store.dueHolds(time, limit)).map(({ id }) => id)
    expect(await due(at(9))).toEqual([])
    expect(await it.store.nextDue()).toBe(at(10))
    expect(await due(at(10))).toEqual(['hold_4'])
    expect(await due(at(50))).toEqual(['hold_4', 'hold_3', 'hold_1', 'hold_5'])
    expect(await due(at(50), 2)).toEqual(['hold_4', 'hold_3'])
    expect((await it.store.dueHolds(at(10), 1))[0]).toEqual(await it.store.hold('hold_4'))
    await it.store.decide([aDecision('hold_4')])
    expect(await it.store.nextDue()).toBe(at(20))
    await it.store.amend([{ ...amendment(of(REMINDED, 'hold_3')), hold_id: 'hold_3' }])
    expect(await it.store.nextDue()).toBe(at(40))
    expect(await due(at(40))).toEqual(['hold_3'])
  })

  test('where nothing is ever due, nothing is next', async () => {
    await using it = await scene()
    expect(await it.store.nextDue()).toBeNull()
    await it.store.start(aStart({ opens: [aHold('hold_1')] }))
    expect(await it.store.nextDue()).toBeNull()
    expect(await it.store.dueHolds(at(1e9), 10)).toEqual([])
  })

  const ENDS: readonly (readonly [what: string, end: (store: Store) => Promise<unknown>])[] = [
    ['decided', store => store.decide([aDecision('hold_1')])],
    ['withdrawn', store => store.request(aCancel())],
    ['expired', store => store.amend([amendment(EXPIRED)])],
  ]

  test.each(ENDS)('a hold that is %s is never due again', async (_what, end) => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1', { due_at: at(60), remind_at: [at(10)] })] }))
    await end(it.store)
    expect(await it.store.dueHolds(at(100), 10)).toEqual([])
    expect(await it.store.nextDue()).toBeNull()
  })

  test.each(OVER)('a hold of a run that is %s keeps nobody awake, and stands in nobody’s way', async (_what, row) => {
    await using it = await scene()
    await it.store.start(aStart({ ...row, opens: [aHold('hold_1', { due_at: at(10) })] }))
    const other = { run: 'run_2', thread: 'th_2', opens: [aHold('hold_2', { run_id: 'run_2', due_at: at(20) })] }
    await it.store.start(aStart(other))
    expect(await it.store.nextDue()).toBe(at(20))
    expect((await it.store.dueHolds(at(100), 1)).map(({ id }) => id)).toEqual(['hold_2'])
  })

  test('an escalation moves the hold to its new time', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1', { due_at: at(60) })] }))
    await it.store.amend([amendment(ESCALATED)])
    expect(await it.store.nextDue()).toBe(ESCALATED.data.due_at)
  })
}

function granting({ test, expect, scene }: Kit): void {
  const always = (id: string, changes: Partial<NewGrant> = {}) => aDecision('hold_1', { grant: aGrant(id, changes) })
  const NEW = { revoked_at: null, revoked_by: null, uses: 0 }

  test('a grant is there with the decision that decides', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1')] }))
    await it.store.decide([always('grant_1')])
    expect(await it.store.grant('grant_1')).toEqual({ ...aGrant('grant_1'), ...NEW })
    expect(await it.store.grants({})).toEqual([{ ...aGrant('grant_1'), ...NEW }])
    expect((await it.store.hold('hold_1'))?.decision).toMatchObject({ grant: { id: 'grant_1' } })
  })

  test('a claim brings the grants of its decisions', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1')] }))
    await it.store.claim(aClaim({ decisions: [always('grant_1')] }))
    expect(await it.store.grant('grant_1')).toMatchObject({ hold_id: 'hold_1' })
  })

  test('P2: a decision that was not recorded, or was before, grants nothing', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1'), aHold('hold_2', { due_at: '2030-01-01T00:00:00.000Z' })] }))
    const said = { ...always('grant_1'), grant: null, decision_id: 'click-1' }
    await it.store.decide([said])
    await it.store.decide([always('grant_2'), { ...said, grant: aGrant('grant_3') }])
    await it.store.decide([
      { ...always('grant_4'), hold_id: 'hold_2' },
      { ...always('grant_5'), hold_id: 'hold_9' },
    ])
    expect(await it.store.grants({})).toEqual([])
  })

  test('P2: where one decision of a claim is not recorded, the others grant nothing', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1')] }))
    await it.store.claim(aClaim({ decisions: [always('grant_1'), aDecision('hold_9')] }))
    expect(await it.store.grants({})).toEqual([])
  })

  test('grants are listed oldest first, by agent, tool and time', async () => {
    await using it = await scene()
    const grants = [
      aGrant('grant_1'),
      aGrant('grant_2', { agent: 'other', scope: 'project', scope_id: '/' }),
      aGrant('grant_3', { tool: 'read', match: { path: '*.md' }, arguments: null }),
      aGrant('grant_4', { expires_at: '2030-01-01T00:01:00.000Z' }),
    ]
    const holds = grants.map((_, n) => aHold(`hold_${n + 1}`))
    await it.store.start(aStart({ opens: holds }))
    await it.store.decide(grants.map((grant, n) => aDecision(`hold_${n + 1}`, { grant })))
    const ids = async (query: GrantQuery) => (await it.store.grants(query)).map(({ id }) => id)
    expect(await ids({})).toEqual(['grant_1', 'grant_2', 'grant_3', 'grant_4'])
    expect(await ids({ agent: 'worker' })).toEqual(['grant_1', 'grant_3', 'grant_4'])
    expect(await ids({ agent: 'worker', tool: 'deploy' })).toEqual(['grant_1', 'grant_4'])
    expect(await ids({ tool: 'deploy', valid_at: '2030-01-01T00:00:59.999Z' })).toEqual([
      'grant_1',
      'grant_2',
      'grant_4',
    ])
    expect(await ids({ tool: 'deploy', valid_at: '2030-01-01T00:01:00.000Z' })).toEqual(['grant_1', 'grant_2'])
    expect(await it.store.grants({ tool: 'read' })).toEqual([{ ...grants[2], ...NEW }])
    await it.store.revoke({ grant_id: 'grant_1', by: 'ben', surface: 'test' })
    expect(await ids({ tool: 'deploy', valid_at: '2030-01-01T00:00:00.000Z' })).toEqual(['grant_2', 'grant_4'])
    expect(await ids({ tool: 'deploy' })).toEqual(['grant_1', 'grant_2', 'grant_4'])
  })

  test('a grant is revoked once, by whoever was first', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1')] }))
    await it.store.decide([always('grant_1')])
    it.clock.advance(1_000)
    const revoked = { ...aGrant('grant_1'), ...NEW, revoked_at: '2030-01-01T00:00:01.000Z', revoked_by: 'ben' }
    expect(await it.store.revoke({ grant_id: 'grant_1', by: 'ben', surface: 'test' })).toEqual(revoked)
    it.clock.advance(1_000)
    expect(await it.store.revoke({ grant_id: 'grant_1', by: 'cleo', surface: 'test' })).toEqual(revoked)
    expect(await it.store.grant('grant_1')).toEqual(revoked)
  })

  test('a grant that nobody knows is none', async () => {
    await using it = await scene()
    expect(await it.store.grant('grant_9')).toBeNull()
    expect(await it.store.revoke({ grant_id: 'grant_9', by: 'ben', surface: 'test' })).toBeNull()
  })

  const passes = (grant_id: string | null, run_id = 'run_1'): NewEvent => ({
    kind: 'call.gated',
    run_id,
    data: { call_id: 'call_2', rule: 'always', grant_id, approval_id: null },
  })

  test('each call that a grant let pass is counted, where it was written', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1')] }))
    await it.store.decide([always('grant_1')])
    const lease = await claimed(it.store)
    await it.store.append(lease, 3, { events: [passes('grant_1'), passes(null), passes('grant_1')] })
    expect(await it.store.grant('grant_1')).toMatchObject({ uses: 2 })
    // Its owner has not seen the last events, so the rest is left out.
    await it.store.append(lease, 3, { events: [], rest: aRest({ events: [passes('grant_1')] }) })
    expect(await it.store.grant('grant_1')).toMatchObject({ uses: 2 })
  })

  test('what is copied from another thread was counted there', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1')] }))
    await it.store.decide([always('grant_1')])
    const events = [passes('grant_1', 'run_2'), passes('grant_1', 'run_2'), passes('grant_1', 'run_2')]
    const written = await it.store.start({ ...aStart({ run: 'run_2', thread: 'th_2', events }), copied: 2 })
    expect(written).toHaveLength(3)
    expect(await it.store.grant('grant_1')).toMatchObject({ uses: 1 })
  })
}

function reserving({ test, expect, scene }: Kit): void {
  const reserved = (): Start => ({ ...aStart(), reserve: { owner: 'one', ttl_ms: 10_000 } })

  test('a run that is reserved is busy for everybody else until that runs out', async () => {
    await using it = await scene()
    await it.store.start(reserved())
    expect(await it.store.run('run_1')).toMatchObject({ lease: { owner: 'one', until: '2030-01-01T00:00:10.000Z' } })
    it.clock.advance(9_999)
    expect(await it.store.claim(aClaim({ owner: 'two' }))).toMatchObject({ outcome: 'busy', owner: 'one' })
    it.clock.advance(1)
    await claimed(it.store, { owner: 'two' })
  })

  test('P7: whoever reserved a run claims it, and has the only lease that writes', async () => {
    await using it = await scene()
    await it.store.start(reserved())
    const row = await it.store.run('run_1')
    const lease = await claimed(it.store, { evict: 'one' })
    expect(lease.fence).toBeGreaterThan(row?.lease?.fence ?? Number.NaN)
    await expect(it.store.append(lease, 2, note('mine'))).resolves.toBeDefined()
    const made = { ...lease, fence: row?.lease?.fence ?? 0 }
    await expect(it.store.append(made, 3, note('not mine'))).rejects.toMatchObject({ code: 'lease_lost' })
  })
}

function requesting({ test, expect, scene }: Kit): void {
  const KINDS: readonly (readonly [what: string, request: Request, because: string])[] = [
    ['a message', aRequest({ withdraw: true }), 'a new message came'],
    ['a cancel', aCancel(), 'the run was cancelled'],
  ]

  test.each(KINDS)('%s is written behind the last event, and returned in its place', async (_what, request) => {
    await using it = await scene()
    await it.store.start(aStart())
    it.clock.advance(1_000)
    const requested = await it.store.request(request)
    const written = { ...request.event, seq: 3, at: '2030-01-01T00:00:01.000Z', thread_id: 'th_1' }
    expect(requested).toEqual({ outcome: 'recorded', events: [written] })
    expect(await it.store.journal('th_1', 2)).toEqual([written])
  })

  test('nothing can be asked of a run that nobody knows', async () => {
    await using it = await scene()
    expect(await it.store.request(aRequest())).toBeNull()
    expect(await everything(it.store)).toEqual(NOTHING)
  })

  test.each(OVER)('of a run that is %s nothing can be asked, and nothing changes', async (_what, row) => {
    await using it = await scene()
    await it.store.start(aStart({ ...row, opens: [aHold('hold_1')] }))
    const before = await everything(it.store)
    for (const [, request] of KINDS) expect(await it.store.request(request)).toEqual({ outcome: 'done' })
    const minding = aRequest({ unlessWaiting: true })
    expect(await it.store.request(minding), 'its end comes before its holds').toEqual({ outcome: 'done' })
    expect(await everything(it.store)).toEqual(before)
  })

  test.each(['running', 'waiting'] as const)(
    'a message leaves the row and the holds of a %s run alone',
    async status => {
      await using it = await scene()
      await it.store.start(aStart({ status, opens: [aHold('hold_1')] }))
      const [row, hold] = [await it.store.run('run_1'), await it.store.hold('hold_1')]
      it.clock.advance(1_000)
      expect(await it.store.request(aRequest())).toMatchObject({ outcome: 'recorded', events: [{ seq: 3 }] })
      expect([await it.store.run('run_1'), await it.store.hold('hold_1')]).toEqual([row, hold])
    },
  )

  test.each(KINDS)(
    '%s that minds open holds is refused where there are some, and nothing changes',
    async (_what, request) => {
      await using it = await scene()
      await it.store.start(aStart({ status: 'waiting', opens: [aHold('hold_1'), aHold('hold_2'), aHold('hold_3')] }))
      await it.store.decide([aDecision('hold_2')])
      const before = await everything(it.store)
      expect(await it.store.request({ ...request, unlessWaiting: true })).toEqual({ outcome: 'waiting', holds: 2 })
      expect(await everything(it.store)).toEqual(before)
    },
  )

  test('a message that minds open holds is recorded where there are none', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1')] }))
    await it.store.start(aStart({ run: 'run_2', thread: 'th_2', opens: [aHold('hold_2', { run_id: 'run_2' })] }))
    await it.store.decide([aDecision('hold_1')])
    expect(await it.store.request(aRequest({ unlessWaiting: true }))).toMatchObject({ outcome: 'recorded' })
  })

  test.each(KINDS)(
    '%s that withdraws says of each open hold why, oldest first, before itself',
    async (_what, request, because) => {
      await using it = await scene()
      const opens = [aHold('hold_1'), aHold('hold_2'), aHold('hold_3', { kind: 'input', call_id: null, tool: null })]
      await it.store.start(aStart({ status: 'waiting', opens }))
      await it.store.decide([aDecision('hold_2')])
      const requested = await it.store.request(request)
      const written = await it.store.journal('th_1', 3)
      expect(requested).toEqual({ outcome: 'recorded', events: written })
      expect(written.map(({ seq, run_id, kind, data }) => ({ seq, run_id, kind, data }))).toEqual([
        { seq: 4, run_id: 'run_1', kind: 'hold.withdrawn', data: { hold_id: 'hold_1', call_id: 'call_1', because } },
        { seq: 5, run_id: 'run_1', kind: 'hold.withdrawn', data: { hold_id: 'hold_3', call_id: null, because } },
        { seq: 6, ...request.event },
      ])
      expect((await it.store.holds({})).map(({ status }) => status)).toEqual(['withdrawn', 'decided', 'withdrawn'])
    },
  )

  test('what is withdrawn are the holds of that run, and of no other one', async () => {
    await using it = await scene()
    const waiting = { status: 'waiting' } as const
    await it.store.start(aStart({ ...waiting, opens: [aHold('hold_1')] }))
    const opens = [aHold('hold_2', { run_id: 'run_2' })]
    await it.store.start(aStart({ ...waiting, run: 'run_2', thread: 'th_2', opens }))
    await it.store.request(aCancel())
    expect((await it.store.holds({})).map(({ status }) => status)).toEqual(['withdrawn', 'open'])
    expect(await it.store.run('run_2')).toMatchObject({ status: 'waiting' })
    expect(await it.store.journal('th_2')).toHaveLength(2)
  })

  test('P10: what was pruned is on record, with who wanted it', async () => {
    await using it = await scene()
    await aFinishedThread(it.store, [aScopedGrant('grant_1', 'run')])
    await it.clock.advance(1000)
    for (const dry_run of [true, false, false]) await it.store.prune(aPrune({ dry_run }))
    const rows = await it.store.audit({ kind: 'thread.pruned' })
    expect(rows.map(({ record }) => JSON.parse(record))).toMatchObject([
      { thread_id: 'th_1', actor: 'ana', surface: 'test', data: { runs: 1, holds: 1, grants: 1 } },
    ])
    expect(await it.store.verifyAudit()).toMatchObject({ faults: [] })
  })

  test.each([
    ['with open holds', [aHold('hold_1'), aHold('hold_2')]],
    ['without any', []],
  ])('a waiting run %s becomes running where a request withdraws', async (_what, opens) => {
    await using it = await scene()
    await it.store.start(aStart({ status: 'waiting', opens }))
    it.clock.advance(5_000)
    await it.store.request(aCancel())
    expect(await it.store.run('run_1')).toMatchObject({ status: 'running', updated_at: '2030-01-01T00:00:05.000Z' })
  })

  test('a request needs no lease, and the owner of the lease keeps it and sees what was asked', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1')] }))
    const lease = await claimed(it.store)
    await it.store.request(aCancel())
    const { events, rested } = await it.store.append(lease, 2, { ...note('mine'), rest: END })
    expect(events.map(({ kind }) => kind)).toEqual(['hold.withdrawn', 'cancel.requested', 'message.received'])
    expect(rested).toBe(false)
    expect(await it.store.run('run_1')).toMatchObject({ status: 'running', lease: { owner: 'one' } })
  })

  test('P4: a request that cannot be written whole leaves no trace', async () => {
    await using it = await scene()
    await it.store.start(aStart({ status: 'waiting', opens: [aHold('hold_1')] }))
    const before = await everything(it.store)
    const by = 1n as unknown as string
    const unwritable = aCancel({ event: { kind: 'cancel.requested', run_id: 'run_1', data: { by, reason: null } } })
    await expect(it.store.request(unwritable)).rejects.toThrow()
    expect(await everything(it.store)).toEqual(before)
  })
}

function reading({ test, expect, scene }: Kit): void {
  test('what nobody knows is absent', async () => {
    await using it = await scene()
    expect(await everything(it.store)).toEqual(NOTHING)
    expect([await it.store.run('run_9'), await it.store.hold('hold_9')]).toEqual([null, null])
  })

  test('a journal is read from any place on', async () => {
    await using it = await scene()
    await it.store.start(aStart({ events: Array.from({ length: 300 }, (_, n) => event(`line ${n}`)) }))
    const all = await it.store.journal('th_1')
    expect(all.map(({ seq }) => seq)).toEqual(Array.from({ length: 300 }, (_, n) => n + 1))
    expect(await it.store.journal('th_1', 298)).toEqual(all.slice(298))
    expect(await it.store.journal('th_1', 300)).toEqual([])
  })

  test('a journal is read in pieces of any size', async () => {
    await using it = await scene()
    await it.store.start(aStart({ events: Array.from({ length: 10 }, (_, n) => event(`line ${n}`)) }))
    const all = await it.store.journal('th_1')
    expect(await it.store.journal('th_1', 0, 4)).toEqual(all.slice(0, 4))
    expect(await it.store.journal('th_1', 4, 4)).toEqual(all.slice(4, 8))
    expect(await it.store.journal('th_1', 8, 4)).toEqual(all.slice(8))
    expect(await it.store.journal('th_1', 10, 4)).toEqual([])
  })

  test('journals of threads that grow by turns stay apart and dense', async () => {
    await using it = await scene()
    const leases: Lease[] = []
    for (const n of [1, 2, 3]) {
      await it.store.start(aStart({ run: `run_${n}`, thread: `th_${n}` }))
      leases.push(await claimed(it.store, { run_id: `run_${n}` }))
    }
    const turns = Array.from({ length: 10 }, (_, n) => leases.map(lease => ({ lease, after: n + 2 }))).flat()
    for (const { lease, after } of turns) {
      await it.store.append(lease, after, note(`${lease.thread_id} ${after}`, lease.run_id))
    }
    for (const { thread_id } of leases) {
      const own = Array.from({ length: 10 }, (_, n) => ({ seq: n + 3, thread_id, data: said(`${thread_id} ${n + 2}`) }))
      expect(await it.store.journal(thread_id, 2)).toMatchObject(own)
    }
  })

  test('runs are listed newest first, by status and thread, in pages', async () => {
    await using it = await scene()
    const statuses = ['running', 'waiting', 'done', 'waiting', 'running', 'done', 'waiting'] as const
    for (const [n, status] of statuses.entries()) {
      await it.store.start(aStart({ run: `run_${n}`, thread: `th_${n % 2}`, status, after: 2 * Math.floor(n / 2) }))
    }
    const ids = async (query: Parameters<Store['runs']>[0]) => (await it.store.runs(query)).map(({ id }) => id)
    expect(await ids({})).toEqual(['run_6', 'run_5', 'run_4', 'run_3', 'run_2', 'run_1', 'run_0'])
    expect(await ids({ status: 'waiting' })).toEqual(['run_6', 'run_3', 'run_1'])
    expect(await ids({ status: 'done' })).toEqual(['run_5', 'run_2'])
    expect(await ids({ thread_id: 'th_1' })).toEqual(['run_5', 'run_3', 'run_1'])
    expect(await ids({ thread_id: 'th_0', status: 'running' })).toEqual(['run_4', 'run_0'])
    expect(await ids({ limit: 3 })).toEqual(['run_6', 'run_5', 'run_4'])
    expect(await ids({ limit: 3, after: 'run_4' })).toEqual(['run_3', 'run_2', 'run_1'])
    expect(await ids({ limit: 3, after: 'run_1' })).toEqual(['run_0'])
    expect(await ids({ status: 'waiting', limit: 1, after: 'run_6' })).toEqual(['run_3'])
    expect(await ids({ thread_id: 'th_9' })).toEqual([])
  })

  test('the children of a run are listed newest first, by status, in pages', async () => {
    await using it = await scene()
    await it.store.start(aStart({ run: 'run_0', thread: 'th_0' }))
    const parents = ['run_0', 'run_0', 'run_1', 'run_0'] as const
    for (const [n, parent_run_id] of parents.entries())
      await it.store.start(
        aStart({ run: `run_${n + 1}`, thread: `th_${n + 1}`, parent_run_id, status: n ? 'done' : 'waiting' }),
      )
    const ids = async (query: Parameters<Store['runs']>[0]) => (await it.store.runs(query)).map(({ id }) => id)
    expect((await it.store.runs({})).map(({ parent_run_id }) => parent_run_id)).toEqual([...parents.toReversed(), null])
    expect(await ids({ parent_run_id: 'run_0' })).toEqual(['run_4', 'run_2', 'run_1'])
    expect(await ids({ parent_run_id: 'run_0', status: 'done' })).toEqual(['run_4', 'run_2'])
    expect(await ids({ parent_run_id: 'run_0', limit: 1, after: 'run_4' })).toEqual(['run_2'])
    expect(await ids({ parent_run_id: 'run_4' })).toEqual([])
    expect(await it.store.run('run_3')).toMatchObject({ parent_run_id: 'run_1' })
  })

  test('holds are listed oldest first, by status, run, thread and kind, in pages', async () => {
    await using it = await scene()
    const of = (n: number) =>
      aHold(`hold_${n}`, { run_id: `run_${n % 2}`, kind: n % 3 === 0 ? 'question' : 'approval' })
    await it.store.start(aStart({ run: 'run_0', thread: 'th_0', opens: [of(0), of(2), of(4)] }))
    await it.store.start(aStart({ run: 'run_1', thread: 'th_1', opens: [of(1), of(3), of(5)] }))
    await it.store.decide([aDecision('hold_2'), aDecision('hold_3')])
    const ids = async (query: Parameters<Store['holds']>[0]) => (await it.store.holds(query)).map(({ id }) => id)
    expect(await ids({})).toEqual(['hold_0', 'hold_2', 'hold_4', 'hold_1', 'hold_3', 'hold_5'])
    expect(await ids({ status: 'open' })).toEqual(['hold_0', 'hold_4', 'hold_1', 'hold_5'])
    expect(await ids({ status: 'decided' })).toEqual(['hold_2', 'hold_3'])
    expect(await ids({ run_id: 'run_1' })).toEqual(['hold_1', 'hold_3', 'hold_5'])
    expect(await ids({ thread_id: 'th_0', status: 'open' })).toEqual(['hold_0', 'hold_4'])
    expect(await ids({ kind: 'question' })).toEqual(['hold_0', 'hold_3'])
    expect(await ids({ limit: 4 })).toEqual(['hold_0', 'hold_2', 'hold_4', 'hold_1'])
    expect(await ids({ limit: 4, after: 'hold_1' })).toEqual(['hold_3', 'hold_5'])
    expect(await ids({ status: 'open', limit: 1, after: 'hold_4' })).toEqual(['hold_1'])
    expect(await ids({ status: 'expired' })).toEqual([])
  })

  test('holds are listed by agent, tool and assignee, whatever else is asked for', async () => {
    await using it = await scene()
    const holds = [
      aHold('hold_1', { agent: 'writer', assignee: 'ana' }),
      aHold('hold_2', { tool: 'read', assignee: '@ops' }),
      aHold('hold_3', { agent: 'writer', tool: 'read' }),
      aHold('hold_4', { agent: 'writer', tool: null, kind: 'input', call_id: null, assignee: 'ana' }),
    ]
    await it.store.start(aStart({ opens: holds }))
    const ids = async (query: Parameters<Store['holds']>[0]) => (await it.store.holds(query)).map(({ id }) => id)
    expect(await ids({ agent: 'writer' })).toEqual(['hold_1', 'hold_3', 'hold_4'])
    expect(await ids({ tool: 'read' })).toEqual(['hold_2', 'hold_3'])
    expect(await ids({ assignee: 'ana' })).toEqual(['hold_1', 'hold_4'])
    expect(await ids({ agent: 'writer', tool: 'read', status: 'open' })).toEqual(['hold_3'])
    expect(await ids({ agent: 'writer', limit: 1, after: 'hold_1' })).toEqual(['hold_3'])
    expect(await ids({ assignee: 'nobody' })).toEqual([])
    await it.store.decide([aDecision('hold_1')])
    expect(await ids({ status: 'open', assignee: 'ana' })).toEqual(['hold_4'])
  })

  test('everything that is asked of a person comes back as it was', async () => {
    await using it = await scene()
    const hold = aHold('hold_1', {
      kind: 'question',
      arguments: { question: 'Which?', choices: ['a', 'b'] },
      message: 'Which?',
      context: { deep: [1, { er: null }] },
      choices: ['a', 'b'],
      response_schema: { type: 'string' },
      resume_mode: 'pass_decision_to_tool',
      tool_schema: { type: 'object', properties: { question: { type: 'string' } } },
      due_at: '2030-01-02T03:04:05.678Z',
      on_due: 'escalate',
      remind_at: ['2030-01-01T03:04:05.678Z'],
      assignee: '@ops',
      escalation: [{ assignee: '@managers', seconds: 60, people: ['mia', 'max'] }],
      finally: 'reject',
      destructive: true,
      deciders: { people: ['ana', 'ben'], not_requester: true, quorum: 2 },
      requesters: ['cleo'],
    })
    await it.store.start(aStart({ opens: [hold] }))
    expect(await it.store.hold('hold_1')).toMatchObject(hold)
    expect(await it.store.holds({})).toEqual([await it.store.hold('hold_1')])
  })

  test.each(VALUES)('%s comes back as it was', async (_what, value) => {
    await using it = await scene()
    const hold = aHold('hold_1', { arguments: { value }, context: value })
    await it.store.start(aStart({ events: [event(value)], opens: [hold] }))
    await it.store.decide([aDecision('hold_1', { verdict: 'respond', value, reason: String(value) })])
    expect((await it.store.journal('th_1')).map(({ data }) => data)).toMatchObject([
      said(value),
      { decision: { value, reason: String(value) } },
    ])
    expect(await it.store.hold('hold_1')).toMatchObject({ arguments: { value }, context: value, decision: { value } })
  })

  test('its name tells where it is, without secrets', async () => {
    await using it = await scene()
    expect(it.store.url).toMatch(/^[a-z]+:/)
  })
}

function onRecord({ test, expect, scene }: Kit): void {
  const opened = (hold_id: string, run_id = 'run_1'): NewEvent => ({
    kind: 'hold.opened',
    run_id,
    data: {
      ...{ hold_id, kind: 'approval', call_id: 'call_1', status: 'suspended', digest: 'sha256:0' },
      ...{ because: 'default: prompt', plugin: 'policy', resume_mode: 'replay_tool_call' },
    },
  })

  async function records(store: Store, query: AuditQuery = {}): Promise<AuditRecord[]> {
    return (await store.audit(query)).map(({ record }) => JSON.parse(record) as AuditRecord)
  }

  test('P10: a hold and its decision are on record as of their events', async () => {
    await using it = await scene()
    await it.store.start(aStart({ events: [event('go'), opened('hold_1')], opens: [aHold('hold_1')] }))
    it.clock.advance(1_000)
    await it.store.decide([aDecision('hold_1', { reason: 'fine' })])
    expect(await records(it.store)).toMatchObject([
      { seq: 1, kind: 'hold.opened', event_seq: 2, thread_id: 'th_1', run_id: 'run_1', hold_id: 'hold_1', actor: null },
      {
        seq: 2,
        kind: 'hold.decided',
        event_seq: 3,
        at: '2030-01-01T00:00:01.000Z',
        actor: 'ana',
        data: { reason: 'fine' },
      },
    ])
  })

  test('P10: what follows from no event is put on record too', async () => {
    await using it = await scene()
    await it.store.record([])
    await it.store.record([
      { kind: 'hold.shown', hold_id: 'hold_1', actor: 'ana', surface: 'cli', data: { in_full: true } },
      { kind: 'decision.refused', actor: 'ben', data: { code: 'not_a_decider' } },
    ])
    expect(await records(it.store)).toMatchObject([
      {
        seq: 1,
        at: '2030-01-01T00:00:00.000Z',
        kind: 'hold.shown',
        event_seq: null,
        actor: 'ana',
        data: { in_full: true },
      },
      { seq: 2, kind: 'decision.refused', thread_id: null, actor: 'ben' },
    ])
  })

  test('P10: that a grant was revoked is on record once', async () => {
    await using it = await scene()
    await it.store.start(aStart({ events: [opened('hold_1')], opens: [aHold('hold_1')] }))
    await it.store.decide([aDecision('hold_1', { grant: aGrant('grant_1') })])
    for (const by of ['ana', 'ben']) await it.store.revoke({ grant_id: 'grant_1', by, surface: 'cli' })
    await it.store.revoke({ grant_id: 'grant_2', by: 'ana', surface: 'cli' })
    const [, decided, ...revoked] = await records(it.store)
    expect(decided).toMatchObject({ data: { grant: { id: 'grant_1', name: 'deploys' } } })
    expect(revoked).toMatchObject([{ kind: 'grant.revoked', actor: 'ana', data: { grant_id: 'grant_1' } }])
  })

  test('P10: what a thread begins with as a copy is on record where it happened, but its open holds are here too', async () => {
    await using it = await scene()
    const events = [opened('hold_0', 'run_2'), opened('hold_2', 'run_2'), event('go', 'run_2')]
    const copy = { ...aStart({ run: 'run_2', thread: 'th_2', events }), copied: 2 }
    await it.store.start({ ...copy, opens: [aHold('hold_2', { run_id: 'run_2' })] })
    expect(await records(it.store)).toMatchObject([{ kind: 'hold.opened', hold_id: 'hold_2', event_seq: 2 }])
    expect(await it.store.verifyAudit()).toMatchObject({ faults: [], count: 1 })
  })

  test('records are found by what they are about, by kind and by time', async () => {
    await using it = await scene()
    for (const [n, actor] of ['ana', 'ben', 'ana'].entries()) {
      await it.store.record([{ kind: 'hold.shown', run_id: `run_${n}`, thread_id: 'th_1', actor, data: {} }])
      it.clock.advance(60_000)
    }
    await it.store.record([{ kind: 'decision.refused', hold_id: 'hold_9', data: {} }])
    const found = async (query: AuditQuery) => (await records(it.store, query)).map(({ seq }) => seq)
    expect(await found({})).toEqual([1, 2, 3, 4])
    expect(await found({ actor: 'ana' })).toEqual([1, 3])
    expect(await found({ thread_id: 'th_1', run_id: 'run_1' })).toEqual([2])
    expect(await found({ hold_id: 'hold_9' })).toEqual([4])
    expect(await found({ kind: 'hold.shown', since: '2030-01-01T00:01:00Z', until: '2030-01-01T00:02:00Z' })).toEqual([
      2,
    ])
    expect(await found({ limit: 2 })).toEqual([1, 2])
    expect(await found({ actor: 'ana', after: 1, limit: 1 })).toEqual([3])
  })

  test('P10: a log that nobody touched verifies, up to each head that was noted, and misses one that it never had', async () => {
    await using it = await scene()
    expect(await it.store.verifyAudit()).toMatchObject({ faults: [], fault_count: 0, count: 0, head: { seq: 0 } })
    await it.store.record([{ kind: 'hold.shown', data: {} }])
    const { head } = await it.store.verifyAudit()
    await it.store.start(aStart({ events: [opened('hold_1')], opens: [aHold('hold_1')] }))
    expect(await it.store.verifyAudit([head])).toMatchObject({ faults: [], count: 2, head: { seq: 2 } })
    const other = await it.store.verifyAudit([
      { ...head, hash: 'f'.repeat(64) },
      { ...head, seq: 9 },
    ])
    expect(other.faults.map(({ code, seq }) => [code, seq])).toEqual([
      ['head_not_found', 1],
      ['head_not_found', 9],
    ])
  })
}

function pruning({ test, expect, scene }: Kit): void {
  test('a finished thread goes whole, with its journal, its runs, its holds and the grants that end with it', async () => {
    await using it = await scene()
    await it.store.start(aStart({ thread: 'th_2', run: 'run_2' }))
    await aFinishedThread(it.store, [
      aScopedGrant('grant_1', 'run'),
      aScopedGrant('grant_2', 'thread'),
      aScopedGrant('grant_3', 'project'),
    ])
    await it.clock.advance(1000)
    const page = await it.store.prune(aPrune())
    expect(page).toMatchObject({ next: null, threads: [{ thread_id: 'th_1', runs: 1, holds: 3, grants: 2 }] })
    expect(page.threads[0]?.bytes).toBeGreaterThan(0)
    expect(await it.store.journal('th_1')).toEqual([])
    expect([await it.store.run('run_1'), await it.store.hold('hold_1')]).toEqual([null, null])
    expect((await it.store.grants({})).map(({ id }) => id)).toEqual(['grant_3'])
    expect((await it.store.runs({})).map(({ id }) => id)).toEqual(['run_2'])
    expect(await it.store.journal('th_2')).toHaveLength(2)
  })

  test('what is only counted stays', async () => {
    await using it = await scene()
    await aFinishedThread(it.store)
    await it.clock.advance(1000)
    const before = await everything(it.store)
    const counted = await it.store.prune(aPrune({ dry_run: true }))
    expect(await everything(it.store)).toEqual(before)
    expect(await it.store.prune(aPrune())).toEqual(counted)
  })

  test.each(['running', 'waiting'] as const)(
    'a thread with a run that is %s stays, however old it is',
    async status => {
      await using it = await scene()
      await it.store.start(aStart({ status: 'done' }))
      await it.store.start(aStart({ run: 'run_2', after: 2, status }))
      await it.clock.advance(1000)
      const before = await everything(it.store)
      expect(await it.store.prune(aPrune())).toEqual({ threads: [], tasks: [], next: null })
      expect(await everything(it.store)).toEqual(before)
    },
  )

  test('a thread in which something happened since stays', async () => {
    await using it = await scene()
    await it.store.start(aStart({ status: 'done' }))
    await it.clock.advance(1000)
    await it.store.start(aStart({ run: 'run_2', after: 2, status: 'done' }))
    await it.clock.advance(1000)
    expect(await it.store.prune(aPrune({ before: '2030-01-01T00:00:01.000Z' }))).toMatchObject({ threads: [] })
    expect(await it.store.prune(aPrune({ before: '2030-01-01T00:00:01.001Z' }))).toMatchObject({
      threads: [{ runs: 2 }],
    })
  })

  test.each([true, false])('page by page each thread comes once (dry run: %s)', async dry_run => {
    await using it = await scene()
    const names = Array.from({ length: 250 }, (_, n) => `th_${n}`)
    for (const thread of names) await it.store.start(aStart({ thread, run: `run_of_${thread}`, status: 'done' }))
    await it.clock.advance(1000)
    const pruned: string[] = []
    for (let after: string | null = '0'; after !== null; ) {
      const page = await it.store.prune(aPrune({ dry_run, after }))
      pruned.push(...page.threads.map(({ thread_id }) => thread_id))
      after = page.next
    }
    expect(pruned).toEqual(names)
    expect(await it.store.runs({})).toHaveLength(dry_run ? 250 : 0)
  })

  test('a thread that was pruned is unknown, so nothing goes on from what it was', async () => {
    await using it = await scene()
    await it.store.start(aStart({ status: 'done' }))
    await it.clock.advance(1000)
    await it.store.prune(aPrune())
    const late = it.store.start(aStart({ run: 'run_2', after: 2 }))
    await expect(late).rejects.toMatchObject({ code: 'superseded' })
    expect(await everything(it.store)).toMatchObject({ runs: [], holds: [], journals: [] })
    expect(await it.store.start(aStart({ run: 'run_3' }))).toMatchObject([{ seq: 1 }, { seq: 2 }])
  })
}

function aPrune(changes: Partial<PruneQuery> = {}): PruneQuery {
  return { before: '2030-01-01T00:00:00.500Z', dry_run: false, by: 'ana', surface: 'test', ...changes }
}

/** `th_1`, with a hold for each of the grants that were given along with their approvals. */
async function aFinishedThread(store: Store, grants: readonly NewGrant[] = []): Promise<void> {
  await store.start(aStart({ opens: grants.map(({ hold_id }) => aHold(hold_id)) }))
  await store.decide(grants.map(grant => aDecision(grant.hold_id, { grant })))
  const lease = await claimed(store)
  await store.append(lease, grants.length + 2, { events: [], rest: END })
}

/** Given along with the approval of a hold of `th_1`. */
function aScopedGrant(id: string, scope: NewGrant['scope']): NewGrant {
  const scope_id = { run: 'run_1', thread: 'th_1', project: '/' }[scope]
  return aGrant(id, { scope, scope_id, hold_id: `hold_${id.slice(id.indexOf('_') + 1)}` })
}

function watching({ test, expect, scene }: Kit): void {
  const WRITES: readonly (readonly [what: string, write: (store: Store, lease: Lease) => Promise<unknown>])[] = [
    ['a start', store => store.start(aStart({ run: 'run_2', after: 2 }))],
    ['an append', (store, lease) => store.append(lease, 2, note('more'))],
    ['a rest', (store, lease) => store.append(lease, 2, { events: [], rest: END })],
    ['a decision', store => store.decide([aDecision('hold_1')])],
    ['a request', store => store.request(aCancel())],
    [
      'a claim that decides',
      (store, { owner }) => store.claim(aClaim({ evict: owner, decisions: [aDecision('hold_1')] })),
    ],
  ]

  test.each(WRITES)('P4: %s tells which journal grew, and the journal has it by then', async (_what, write) => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1')] }))
    const lease = await claimed(it.store)
    const read: [threadId: string | null, Promise<readonly JournalEvent[]>][] = []
    using _watch = it.store.watch(change => read.push([change?.thread_id ?? null, it.store.journal('th_1', 2)]))
    await write(it.store, lease)
    const [threadId, journal] = read[0] ?? [null, []]
    expect(threadId).toBe('th_1')
    expect(await journal).not.toEqual([])
    expect(await journal).toEqual(await it.store.journal('th_1', 2))
  })

  test('decisions on several threads tell of each', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1')] }))
    await it.store.start(aStart({ run: 'run_2', thread: 'th_2', opens: [aHold('hold_2', { run_id: 'run_2' })] }))
    const heard = new Set<string | null>()
    using _watch = it.store.watch(change => heard.add(change?.thread_id ?? null))
    await it.store.decide([aDecision('hold_1'), aDecision('hold_2')])
    expect([...heard]).toEqual(expect.arrayContaining(['th_1', 'th_2']))
  })

  test('whoever is called back may write at once', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1')] }))
    const written: Promise<unknown>[] = []
    using _watch = it.store.watch(() => {
      if (written.length === 0) written.push(it.store.decide([aDecision('hold_1')]))
    })
    await it.store.request(aRequest())
    await Promise.all(written)
    expect((await it.store.journal('th_1', 2)).map(({ kind }) => kind)).toEqual(['message.queued', 'hold.decided'])
  })

  test('whoever was disposed of is not called back, and the others are', async () => {
    await using it = await scene()
    await it.store.start(aStart())
    const heard: string[] = []
    const listen = (who: string) => it.store.watch(() => heard.push(who))
    using _first = listen('first')
    const second = listen('second')
    using _third = listen('third')
    second[Symbol.dispose]()
    second[Symbol.dispose]()
    await it.store.request(aRequest())
    expect([...new Set(heard)]).toEqual(['first', 'third'])
  })

  test('a function that watches twice is called back until both are disposed of', async () => {
    await using it = await scene()
    await it.store.start(aStart())
    let calls = 0
    const count = () => {
      calls += 1
    }
    using _one = it.store.watch(count)
    it.store.watch(count)[Symbol.dispose]()
    await it.store.request(aRequest())
    expect(calls).toBeGreaterThan(0)
  })

  test('whoever is called back may stop to watch at once', async () => {
    await using it = await scene()
    await it.store.start(aStart())
    let calls = 0
    const watch = it.store.watch(() => {
      calls += 1
      watch[Symbol.dispose]()
    })
    await it.store.request(aRequest())
    await it.store.request(aRequest())
    expect(calls).toBe(1)
  })

  test('one that throws when called back harms neither the writer nor the others', async () => {
    await using it = await scene()
    await it.store.start(aStart())
    const heard: (string | null)[] = []
    using _bad = it.store.watch(() => {
      throw new TypeError('this listener is broken on purpose')
    })
    using _good = it.store.watch(change => heard.push(change?.thread_id ?? null))
    expect(await it.store.request(aRequest())).toMatchObject({ outcome: 'recorded', events: [{ seq: 3 }] })
    expect(heard).toContain('th_1')
    expect(await it.store.journal('th_1', 2)).toHaveLength(1)
  })
}

interface Pair extends Scene {
  readonly other: Store
}

/** A run with one open hold, in two stores on the same data. */
async function pair(scene: Kit['scene'], reopen: NonNullable<StoreSubject['reopen']>): Promise<Pair> {
  const first = await scene()
  await first.store.start(aStart({ opens: [aHold('hold_1')] }))
  const other = await reopen(first.store, first.clock)
  return {
    ...first,
    other,
    [Symbol.asyncDispose]: async () => {
      await other[Symbol.asyncDispose]()
      await first[Symbol.asyncDispose]()
    },
  }
}

function openedTwice({ test, expect, scene }: Kit, reopen: NonNullable<StoreSubject['reopen']>): void {
  const both = () => pair(scene, reopen)

  test('P4: what one has written, the other reads', async () => {
    await using it = await both()
    expect(await everything(it.other)).toEqual(await everything(it.store))
    await it.store.decide([aDecision('hold_1')])
    expect(await everything(it.other)).toEqual(await everything(it.store))
    expect(await it.other.journal('th_1')).toHaveLength(3)
  })

  test('P2: of two decisions, one here and one there, one is recorded', async () => {
    await using it = await both()
    const receipts = await Promise.all([
      it.store.decide([aDecision('hold_1', { decided_by: 'ana' })]),
      it.other.decide([aDecision('hold_1', { decided_by: 'ben' })]),
    ])
    expect(
      receipts
        .flat()
        .map(({ outcome }) => outcome)
        .toSorted(),
    ).toEqual(['already_decided', 'recorded'])
  })

  test('P2: of a decision here and a cancel there, one gets the hold', async () => {
    await using it = await both()
    const [[receipt]] = await Promise.all([it.store.decide([aDecision('hold_1')]), it.other.request(aCancel())])
    const written = (await it.store.journal('th_1', 2)).map(({ kind }) => kind)
    const won = receipt?.outcome === 'recorded'
    expect(written).toEqual([won ? 'hold.decided' : 'hold.withdrawn', 'cancel.requested'])
    expect(await it.store.hold('hold_1')).toMatchObject({ status: won ? 'decided' : 'withdrawn' })
  })

  test('P7: a rest here is left out over what was written there', async () => {
    await using it = await both()
    const lease = await claimed(it.store)
    await it.other.request(aRequest())
    expect(await it.store.append(lease, 2, { events: [], rest: END })).toMatchObject({
      rested: false,
      events: [{ kind: 'message.queued' }],
    })
  })

  test('P7: a lease that was taken here is busy there, and its old owner is fenced off', async () => {
    await using it = await both()
    const lease = await claimed(it.store)
    expect(await it.other.claim(aClaim({ owner: 'two' }))).toMatchObject({ outcome: 'busy' })
    it.clock.advance(10_000)
    const next = await claimed(it.other, { owner: 'two' })
    await it.other.append(next, 2, note('theirs'))
    await expect(it.store.append(lease, 2, note('mine'))).rejects.toMatchObject({ code: 'lease_lost' })
    expect(await it.store.journal('th_1')).toHaveLength(3)
  })

  test('P4: what was written is there for whoever comes after everybody left', async () => {
    await using it = await both()
    const before = await everything(it.store)
    await it.store[Symbol.asyncDispose]()
    expect(await everything(it.other)).toEqual(before)
  })
}

function watchedFromElsewhere({ test, expect, scene }: Kit, reopen: NonNullable<StoreSubject['reopen']>): void {
  const both = () => pair(scene, reopen)

  test('P4: what one writes, whoever watches the other hears of, and reads', async () => {
    await using it = await both()
    using heard = listening(it.other)
    await it.store.request(aRequest())
    expect(await heard.next()).toBeNull()
    expect(await it.other.journal('th_1', 2)).toHaveLength(1)
  })

  test('no event is missed, however they come', async () => {
    await using it = await both()
    using heard = listening(it.other)
    const lease = await claimed(it.store)
    const read: number[] = []
    const written = (async () => {
      for (let n = 0; n < 60; n += 1) {
        await it.store.append(lease, n + 2, note(`line ${n}`))
        if (n % 3 === 0) await new Promise(done => setTimeout(done, n % 7))
      }
    })()
    while (read.length < 60) {
      await heard.next()
      read.push(...(await it.other.journal('th_1', 2 + read.length)).map(({ seq }) => seq))
    }
    await written
    expect(read).toEqual(Array.from({ length: 60 }, (_, n) => n + 3))
  })

  test('whoever watches anew, after nobody did, hears of what is written then', async () => {
    await using it = await both()
    {
      using heard = listening(it.other)
      await it.store.request(aRequest())
      await heard.next()
    }
    await it.store.request(aRequest())
    using heard = listening(it.other)
    await it.store.request(aRequest())
    await heard.next()
    expect(await it.other.journal('th_1', 2)).toHaveLength(3)
  })

  test('whoever was disposed of, by itself or with its store, is not called back', async () => {
    await using it = await both()
    const closing = await reopen(it.store, it.clock)
    const calls: string[] = []
    using gone = it.other.watch(() => calls.push('disposed of'))
    closing.watch(() => calls.push('closed'))
    using heard = listening(it.other)
    await it.store.request(aRequest())
    await heard.next()
    gone[Symbol.dispose]()
    await closing[Symbol.asyncDispose]()
    calls.length = 0
    for (let n = 0; n < 5; n += 1) {
      await it.store.request(aRequest())
      await heard.next()
    }
    expect(calls).toEqual([])
  })
}

/** Each `next` waits for one more call back; those that came before it was asked for count too. */
function listening(store: Store): Disposable & { readonly next: () => Promise<string | null> } {
  const calls: (string | null)[] = []
  let called = Promise.withResolvers<void>()
  const watch = store.watch(change => {
    calls.push(change?.thread_id ?? null)
    called.resolve()
  })
  return {
    next: async () => {
      while (calls.length === 0) {
        await called.promise
        called = Promise.withResolvers()
      }
      return calls.shift() ?? null
    },
    [Symbol.dispose]: () => watch[Symbol.dispose](),
  }
}

const VALUES: readonly (readonly [what: string, value: string])[] = [
  ['text of a megabyte', 'ä€😀x'.repeat(100_000)],
  ['text in many scripts', 'Größe 日本語 עברית العربية 👩‍👩‍👧‍👦 \u{1F3F4}'],
  ['text that looks like SQL', `'; DROP TABLE events; -- "`],
  ['text with control characters', 'a\u0000b\u0007\r\n\t\u001b[31m\u2028\u2029\ufeff'],
  ['half a character', 'a\ud83d b \ude00'],
  ['text of blanks', '   '],
]

function aStart(
  options: {
    run?: string
    thread?: string
    after?: number
    status?: Start['status']
    hold_scope?: 'batch' | 'call'
    parent_run_id?: string
    checkpoint_id?: string
    ended?: string
    events?: readonly NewEvent[]
    opens?: readonly NewHold[]
  } = {},
): Start {
  const { run = 'run_1', thread = 'th_1', after = 0, status = 'running', hold_scope = 'batch' } = options
  const events: readonly NewEvent[] = [event('go', run), { kind: 'step.started', run_id: run, data: { step: 1 } }]
  const parent = options.parent_run_id === undefined ? {} : { parent_run_id: options.parent_run_id }
  return {
    run: { id: run, agent: 'tester', hold_scope, ...parent },
    thread_id: thread,
    after,
    events: options.events ?? events,
    ...(options.opens && { opens: options.opens }),
    status,
    checkpoint_id: options.checkpoint_id ?? null,
    ...(options.ended && { ended: options.ended }),
  }
}

/** What a start may have that leaves a run beyond what anybody asks of it. */
const OVER: readonly (readonly [what: string, row: Pick<Start, 'status'> & { readonly ended?: string }])[] = [
  ['done', { status: 'done' }],
  ['about to end', { status: 'running', ended: 'cancelled' }],
]

function aRest(changes: Partial<Rest> = {}): Rest {
  return { events: [], release: true, ...changes }
}

const END: Rest = aRest({
  events: [event('the end')],
  run: { status: 'done', ended: 'natural_end' },
  withdraws: ['hold_1'],
})

/** A message to `run_1`. */
function aRequest(changes: Partial<Request> = {}): Request {
  const data = { content: 'wait', author: 'ana', supersede: false }
  const event = { kind: 'message.queued', run_id: 'run_1', data } as const
  return { run_id: 'run_1', event, withdraw: false, unlessWaiting: false, ...changes }
}

function aCancel(changes: Partial<Request> = {}): Request {
  const event = { kind: 'cancel.requested', run_id: 'run_1', data: { by: 'ana', reason: null } } as const
  return { ...aRequest(), event, withdraw: true, ...changes }
}

function event(content: Json, run_id = 'run_1'): NewEvent {
  return { kind: 'message.received', run_id, data: said(content) }
}

function said(content: Json): { content: string; author: null; forced_by: null } {
  return { content: content as string, author: null, forced_by: null }
}

function note(text: string, run_id = 'run_1'): Commit {
  return { events: [event(text, run_id)] }
}

function aHold(id: string, changes: Partial<NewHold> = {}): NewHold {
  return {
    id,
    kind: 'approval',
    run_id: 'run_1',
    call_id: `call_${id.slice(id.indexOf('_') + 1)}`,
    tool: 'deploy',
    arguments: { to: 'production' },
    digest: 'sha256:0',
    message: 'May deploy run?',
    context: null,
    choices: null,
    response_schema: null,
    resume_mode: 'replay_tool_call',
    tool_schema: { type: 'object', properties: { to: { type: 'string' } } },
    ...NO_TIMING,
    agent: 'worker',
    destructive: false,
    deciders: null,
    requesters: [],
    ...changes,
  }
}

let decisions = 0

function aDecision(hold_id: string, changes: Partial<ReadyDecision> = {}): ReadyDecision {
  decisions += 1
  return {
    hold_id,
    decision_id: `dec_${decisions}`,
    verdict: 'approve',
    arguments: null,
    value: null,
    reason: null,
    digest: null,
    decided_by: 'ana',
    surface: 'test',
    at: '2030-01-01T00:00:00.000Z',
    grant: null,
    ...changes,
  }
}

const REMINDED = {
  kind: 'hold.reminded',
  run_id: 'run_1',
  data: {
    hold_id: 'hold_1',
    call_id: 'call_1',
    number: 1,
    remind_at: '2030-01-01T00:00:01.000Z',
    assignee: null,
  },
} as const satisfies HoldEvent

const ESCALATED = {
  kind: 'hold.escalated',
  run_id: 'run_1',
  data: { hold_id: 'hold_1', call_id: 'call_1', level: 1, assignee: '@managers', due_at: '2030-01-02T00:00:00.000Z' },
} as const satisfies HoldEvent

const EXPIRED: Extract<HoldEvent, { kind: 'hold.expired' }> = expired('hold_1')

function expired(hold_id: string): Extract<HoldEvent, { kind: 'hold.expired' }> {
  const { hold_id: _, ...decision } = aDecision(hold_id, { verdict: 'reject', decided_by: 'holdpoint' })
  const call_id = `call_${hold_id.slice(hold_id.indexOf('_') + 1)}`
  return {
    kind: 'hold.expired',
    run_id: 'run_1',
    data: { hold_id, call_id, status: 'resuming', on_due: 'reject', decision },
  }
}

function of<E extends HoldEvent>(event: E, hold_id: string): E {
  return { ...event, data: { ...event.data, hold_id } }
}

function amendment(event: HoldEvent, seen: Amendment['seen'] = null): Amendment {
  return { hold_id: 'hold_1', event, seen }
}

const ABOUT = { hold_id: 'hold_1', call_id: 'call_1' } as const

/** What leaves a hold open, and what it makes of it. */
const AMENDMENTS: readonly (readonly [what: string, event: HoldEvent, change: Partial<Hold>])[] = [
  [
    'an answer that says neither yes nor no',
    { kind: 'hold.unclear', run_id: 'run_1', data: { ...ABOUT, by: 'ana', surface: 'test', text: 'hm' } },
    {},
  ],
  [
    'an assignment',
    {
      kind: 'hold.assigned',
      run_id: 'run_1',
      data: { ...ABOUT, assignee: 'ben', by: 'ana', surface: 'test', reason: null },
    },
    { assignee: 'ben' },
  ],
  ['a reminder', REMINDED, { reminded: 1 }],
  ['an escalation', ESCALATED, { level: 1, assignee: '@managers', due_at: '2030-01-02T00:00:00.000Z' }],
  ['an expiry', EXPIRED, { status: 'expired', decision: EXPIRED.data.decision }],
]

function aGrant(id: string, changes: Partial<NewGrant> = {}): NewGrant {
  return {
    id,
    name: 'deploys',
    scope: 'run',
    scope_id: 'run_1',
    agent: 'worker',
    tool: 'deploy',
    arguments: { to: 'production' },
    match: null,
    schema_digest: 'sha256:0',
    hold_id: 'hold_1',
    granted_by: 'ana',
    surface: 'test',
    granted_at: '2030-01-01T00:00:00.000Z',
    expires_at: null,
    ...changes,
  }
}

function aClaim(changes: Partial<Claim> = {}): Claim {
  return { run_id: 'run_1', owner: 'one', ttl_ms: 10_000, ...changes }
}

async function claimed(store: Store, changes: Partial<Claim> = {}): Promise<Lease> {
  const result: Claimed | null = await store.claim(aClaim(changes))
  if (result?.outcome !== 'claimed') throw new TypeError(`the claim got ${JSON.stringify(result)}`)
  return result.lease
}

function errorOf(receipt: Receipt | undefined): RefusedError | null {
  return receipt?.outcome === 'refused' ? receipt.error : null
}

const NOTHING = { runs: [], holds: [], grants: [], journals: [], audit: [] }

/** All that a store tells, to see that something left no trace. */
async function everything(
  store: Store,
): Promise<Readonly<Record<'runs' | 'holds' | 'grants' | 'journals' | 'audit', unknown>>> {
  const threads = ['th_0', 'th_1', 'th_2']
  const journals = await Promise.all(threads.map(id => store.journal(id)))
  const [runs, holds, grants, audit] = await Promise.all([
    store.runs({}),
    store.holds({}),
    store.grants({}),
    store.audit({}),
  ])
  return { runs, holds, grants, journals: journals.flat(), audit }
}
