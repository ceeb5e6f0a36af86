import type { Store } from '../../../ports/store/store.ts'
import type { Kit } from '../contract-kit.ts'
import {
  aCancel,
  aDecision,
  aHold,
  aRequest,
  aRest,
  aStart,
  claimed,
  END,
  event,
  note,
  said,
} from '../store-samples.ts'

export function resting({ test, expect, scene }: Kit): void {
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
