import type { SeenLease } from '../../../ports/store/run-queue.ts'
import type { Store } from '../../../ports/store/store.ts'
import type { Kit } from '../contract-kit.ts'
import {
  aClaim,
  aDecision,
  aHold,
  amendment,
  aRequest,
  aRest,
  aStart,
  claimed,
  EXPIRED,
  note,
} from '../store-samples.ts'

export function queueing({ test, expect, scene }: Kit): void {
  async function waiting(store: Store, n = 1): Promise<void> {
    const [run, thread, hold] = [`run_${n}`, `th_${n}`, `hold_${n}`]
    await store.start(aStart({ run, thread, status: 'waiting', opens: [aHold(hold, { run_id: run })] }))
  }
  const ready = async (store: Store) => (await store.readyRuns({ limit: 10 })).map(({ id }) => id)

  test('a run is ready with its start, and is not while it waits, is leased or is done', async () => {
    await using it = await scene()
    await it.store.start(aStart())
    await waiting(it.store, 2)
    expect(await ready(it.store)).toEqual(['run_1'])
    const lease = await claimed(it.store)
    expect(await ready(it.store)).toEqual([])
    await it.store.append(lease, 2, { ...note('end'), rest: aRest({ run: { status: 'done' }, release: true }) })
    expect(await ready(it.store)).toEqual([])
  })

  test('a run is ready again with the release of its lease', async () => {
    await using it = await scene()
    await it.store.start(aStart())
    await it.store.release(await claimed(it.store))
    expect(await ready(it.store)).toEqual(['run_1'])
  })

  test.each<readonly [what: string, wake: (store: Store) => Promise<unknown>]>([
    ['a decision', store => store.decide([aDecision('hold_1')])],
    ['an expiry', store => store.amend([amendment(EXPIRED)])],
    ['a request that withdraws its holds', store => store.request(aRequest({ withdraw: true }))],
  ])('a waiting run is ready with %s', async (_what, wake) => {
    await using it = await scene()
    await waiting(it.store)
    await wake(it.store)
    expect(await ready(it.store)).toEqual(['run_1'])
  })

  test('a run that waits for its model is ready at its time, and at once for who takes it up or speaks to it', async () => {
    await using it = await scene()
    const retry_at = '2030-01-01T00:05:00.000Z'
    const rest = async () => {
      const lease = await claimed(it.store)
      const seq = (await it.store.journal('th_1')).at(-1)?.seq ?? 0
      await it.store.append(lease, seq, {
        ...note('out'),
        rest: aRest({ run: { status: 'running', retry_at }, release: true }),
      })
    }
    await it.store.start(aStart())
    await rest()
    expect(await ready(it.store)).toEqual([])
    expect([await it.store.nextDue(), (await it.store.run('run_1'))?.retry_at]).toEqual([retry_at, retry_at])
    it.clock.advance(300_000)
    expect([await ready(it.store), await it.store.nextDue()]).toEqual([['run_1'], null])
    await rest()
    expect(await it.store.run('run_1')).toMatchObject({ retry_at, lease: null })
    const lease = await claimed(it.store)
    expect((await it.store.run('run_1'))?.retry_at, 'who takes it up asks at once').toBeNull()
    await it.store.release(lease)
    expect(await ready(it.store)).toEqual(['run_1'])
    await rest()
    await it.store.request(aRequest())
    expect(await ready(it.store)).toEqual(['run_1'])
  })

  test('ready runs come oldest first, in pages', async () => {
    await using it = await scene()
    for (const n of [1, 2, 3]) await it.store.start(aStart({ run: `run_${n}`, thread: `th_${n}` }))
    const page = async (after?: string) =>
      (await it.store.readyRuns({ limit: 2, ...(after !== undefined && { after }) })).map(({ id }) => id)
    expect(await page()).toEqual(['run_1', 'run_2'])
    expect(await page('run_2')).toEqual(['run_3'])
  })

  test('of one run it is told whether that run is ready', async () => {
    await using it = await scene()
    for (const n of [1, 2]) await it.store.start(aStart({ run: `run_${n}`, thread: `th_${n}` }))
    const asked = async (run_id: string) => (await it.store.readyRuns({ run_id, limit: 1 })).map(({ id }) => id)
    expect(await asked('run_2')).toEqual(['run_2'])
    await claimed(it.store, { run_id: 'run_2' })
    expect([await asked('run_2'), await asked('run_1'), await asked('run_3')]).toEqual([[], ['run_1'], []])
  })

  test('P7: a lease that is not renewed is reclaimed once, its run is ready, and its old owner writes nothing', async () => {
    await using it = await scene()
    await it.store.start(aStart())
    const lease = await claimed(it.store)
    it.clock.advance(60_000)
    expect(await ready(it.store)).toEqual([])
    const seen = await leases(it.store)
    expect(seen).toMatchObject([{ run_id: 'run_1', owner: 'one', fence: lease.fence, until: lease.until }])
    expect(await it.store.reclaim(seen[0] as SeenLease)).toBe(true)
    expect(await it.store.reclaim(seen[0] as SeenLease)).toBe(false)
    expect([await ready(it.store), await leases(it.store)]).toEqual([['run_1'], []])
    await expect(it.store.append(lease, 2, note('late'))).rejects.toMatchObject({ code: 'lease_lost' })
    expect((await claimed(it.store, { owner: 'two' })).fence).toBeGreaterThan(lease.fence)
  })

  test('P7: a lease that was renewed, or taken by another owner, since it was seen is not reclaimed', async () => {
    await using it = await scene()
    await it.store.start(aStart())
    const lease = await claimed(it.store)
    const [seen] = await leases(it.store)
    it.clock.advance(1_000)
    await it.store.renew(lease, 10_000)
    expect(await it.store.reclaim(seen as SeenLease)).toBe(false)
    await it.store.claim(aClaim({ owner: 'two', evict: 'one' }))
    expect(await it.store.reclaim(seen as SeenLease)).toBe(false)
    expect(await leases(it.store)).toMatchObject([{ owner: 'two' }])
  })

  async function leases(store: Store): Promise<SeenLease[]> {
    const rows = await store.leasedRuns({ limit: 10 })
    return rows.flatMap(({ id, lease }) => (lease ? [{ run_id: id, ...lease }] : []))
  }
}
