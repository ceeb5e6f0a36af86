import type { NewRequest } from '../../../core/advancing/request.ts'
import type { Kit } from '../contract-kit.ts'
import {
  aCancel,
  aDecision,
  aFinishedThread,
  aHold,
  aPrune,
  aRequest,
  aScopedGrant,
  aStart,
  claimed,
  END,
  everything,
  NOTHING,
  note,
  OVER,
} from '../store-samples.ts'

export function requesting({ test, expect, scene }: Kit): void {
  const KINDS: readonly (readonly [what: string, request: NewRequest, because: string])[] = [
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

  test.each([true, false])(
    'a message to a run that waits for one is not queued behind that, and nothing changes (minds holds: %s)',
    async unlessWaiting => {
      await using it = await scene()
      const input = aHold('hold_1', { kind: 'input', call_id: null, tool: null })
      await it.store.start(aStart({ status: 'waiting', opens: [input] }))
      const before = await everything(it.store)
      expect(await it.store.request(aRequest({ unlessWaiting }))).toEqual({ outcome: 'asks' })
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

  const named = (input_id: string) =>
    aRequest({
      event: {
        kind: 'message.queued',
        run_id: 'run_1',
        data: { content: 'wait', author: null, supersede: false, input_id },
      },
    })

  test('P2: of two messages with the same id in a thread the second is refused, and nothing of it is written', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1')] }))
    expect(await it.store.findInput('th_1', 'm-1')).toBeNull()
    await it.store.request(named('m-1'))
    const before = await everything(it.store)
    const again = it.store.request({ ...named('m-1'), withdraw: true })
    await expect(again).rejects.toMatchObject({ code: 'duplicate_input', details: { seq: 3 } })
    expect(await everything(it.store)).toEqual(before)
    expect(await it.store.findInput('th_1', 'm-1')).toBe(3)
    expect(await it.store.findInput('th_2', 'm-1')).toBeNull()
  })

  test('an id of a message is free in other threads, and again once its thread was pruned', async () => {
    await using it = await scene()
    await it.store.start(aStart({ thread: 'th_2', run: 'run_2' }))
    await it.store.start(aStart())
    await it.store.request(named('m-1'))
    expect(await it.store.request({ ...named('m-1'), run_id: 'run_2' })).toMatchObject({ outcome: 'recorded' })
    await it.store.start(aStart({ thread: 'th_3', run: 'run_3', status: 'done' }))
    await it.clock.advance(1000)
    await it.store.prune(aPrune())
    expect(await it.store.findInput('th_3', 'm-1')).toBeNull()
  })
}
