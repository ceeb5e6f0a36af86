import type { Start } from '../../../ports/store/runs.ts'
import type { Kit } from '../contract-kit.ts'
import { aClaim, aHold, aStart, claimed, everything, NOTHING, note, said } from '../store-samples.ts'

export function starting({ test, expect, scene }: Kit): void {
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
      retry_at: null,
      exported: null,
      failure: null,
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

  test('of starts that begin one new thread at once, one does, and the others are refused', async () => {
    await using it = await scene()
    const starts = Array.from({ length: 5 }, (_, n) => it.store.start(aStart({ run: `run_${n}` })))
    const settled = await Promise.allSettled(starts)
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const reasons = settled.flatMap(each => (each.status === 'rejected' ? [each.reason] : []))
    expect(reasons.map(({ code }) => code)).toEqual(Array.from({ length: 4 }, () => 'superseded'))
    expect(await it.store.journal('th_1')).toHaveLength(2)
    expect(await it.store.runs({})).toHaveLength(1)
  })

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

export function reserving({ test, expect, scene }: Kit): void {
  const reserved = (): Start => ({ ...aStart(), reserve: { owner: 'one', ttl_ms: 10_000 } })

  test('a run that is reserved is busy for everybody else, whatever the time', async () => {
    await using it = await scene()
    await it.store.start(reserved())
    expect(await it.store.run('run_1')).toMatchObject({ lease: { owner: 'one', until: '2030-01-01T00:00:10.000Z' } })
    it.clock.advance(60_000)
    expect(await it.store.claim(aClaim({ owner: 'two' }))).toMatchObject({ outcome: 'busy', owner: 'one' })
    await claimed(it.store, { owner: 'two', evict: 'one' })
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
