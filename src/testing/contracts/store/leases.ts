import type { Lease } from '../../../ports/store/runs.ts'
import type { Store } from '../../../ports/store/store.ts'
import type { Kit } from '../contract-kit.ts'
import { aClaim, aHold, aRest, aStart, claimed, everything, note, said } from '../store-samples.ts'

export function leases({ test, expect, scene }: Kit): void {
  test('a claim gives the lease, and the row tells until when it is promised', async () => {
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

  test.each([45_000, 3_600_000, -3_600_000])('P7: a clock that is set by %i ms frees no lease', async ms => {
    await using it = await scene()
    await it.store.start(aStart())
    const first = await claimed(it.store)
    it.clock.step(ms)
    expect(await it.store.claim(aClaim({ owner: 'two' }))).toMatchObject({ outcome: 'busy', owner: 'one' })
    expect(await it.store.readyRuns({ limit: 10 })).toEqual([])
    await expect(it.store.append(first, 2, note('it goes on'))).resolves.toBeDefined()
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
    // The lease that was given out before the renewal still writes.
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
      await claimed(it.store, { owner: 'two', evict: 'one' })
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
