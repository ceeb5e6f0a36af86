import type { Commit } from '../../../ports/store/store.ts'
import type { Kit } from '../contract-kit.ts'
import { aDecision, aHold, aRest, aStart, claimed, event, everything, note, said } from '../store-samples.ts'

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
