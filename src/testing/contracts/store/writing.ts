import type { PlainEvent } from '../../../core/journal/event.ts'
import type { Commit } from '../../../ports/store/journal.ts'
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
  everything,
  note,
  said,
} from '../store-samples.ts'

export function writing({ test, expect, scene }: Kit): void {
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
    // A writer that has seen them does not get them again.
    expect((await it.store.append(lease, 5, note('more'))).events.map(({ seq }) => seq)).toEqual([6])
  })

  test('P4: an append behind an event that the journal does not have is refused, and nothing of it is written', async () => {
    await using it = await scene()
    await it.store.start(aStart())
    const lease = await claimed(it.store)
    const before = await everything(it.store)
    const commit = { ...note('late'), opens: [aHold('hold_1')], rest: END }
    await expect(it.store.append(lease, 5, commit)).rejects.toMatchObject({ code: 'store_set_back' })
    await expect(it.store.append(lease, 3, note('late'))).rejects.toMatchObject({ code: 'store_set_back' })
    expect(await everything(it.store)).toEqual(before)
    expect((await it.store.append(lease, 2, note('in time'))).events.map(({ seq }) => seq)).toEqual([3])
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
    const event = { kind: 'step.started', run_id: 'run_1', data } as unknown as PlainEvent
    await it.store.start(aStart({ events: [event] }))
    data.step = 2
    const [read] = await it.store.journal('th_1')
    expect(read?.data).toEqual({ step: 1 })
    Object.assign(read?.data ?? {}, { step: 3 })
    expect((await it.store.journal('th_1'))[0]?.data).toEqual({ step: 1 })
  })
}

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
