import type { Amendment, HoldEvent } from '../../../core/deciding/amendment.ts'
import type { Hold } from '../../../core/hold/hold.ts'
import type { Kit } from '../contract-kit.ts'
import {
  aCancel,
  aClaim,
  aDecision,
  aHold,
  amendment,
  aStart,
  claimed,
  END,
  ESCALATED,
  EXPIRED,
  errorOf,
  everything,
  expired,
  NOTHING,
  OVER,
  of,
  REMINDED,
} from '../store-samples.ts'

export function amending({ test, expect, scene }: Kit): void {
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
      it.clock.advance(2 * 86_400_000)
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

  test.each([
    ['a reminder', REMINDED],
    ['an escalation', ESCALATED],
    ['an expiry', EXPIRED],
  ])('%s that is due by the clock of its finder alone does not happen', async (_what, event) => {
    await using it = await scene()
    const time = '2030-01-01T00:01:00.000Z'
    await it.store.start(aStart({ opens: [aHold('hold_1', { due_at: time, remind_at: [time] })] }))
    const seen = await it.store.hold('hold_1')
    expect(await it.store.amend([amendment(event, seen)])).toEqual([null])
    it.clock.advance(60_000)
    expect(await it.store.amend([amendment(event, seen)])).toMatchObject([{ id: 'hold_1' }])
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

  const ENDS_RUN: HoldEvent = { ...EXPIRED, data: { ...EXPIRED.data, on_due: 'cancel', ends_run: true } }

  test.each(['batch', 'call'] as const)(
    'P4: an expiry that ends the run withdraws its other open holds, and readies it, in scope %s',
    async hold_scope => {
      await using it = await scene()
      const opens = [aHold('hold_1'), aHold('hold_2'), aHold('hold_3')]
      await it.store.start(aStart({ status: 'waiting', hold_scope, opens }))
      const other = { run: 'run_2', thread: 'th_2', opens: [aHold('hold_4', { run_id: 'run_2' })] }
      await it.store.start(aStart({ ...other, status: 'waiting' }))
      await it.store.decide([aDecision('hold_2')])
      expect(await it.store.amend([amendment(ENDS_RUN)])).toMatchObject([{ id: 'hold_1', status: 'expired' }])
      expect((await it.store.journal('th_1', 3)).map(({ kind, data }) => ({ kind, data }))).toEqual([
        { kind: 'hold.expired', data: ENDS_RUN.data },
        { kind: 'hold.withdrawn', data: { hold_id: 'hold_3', call_id: 'call_3', because: expect.any(String) } },
      ])
      const statuses = (await it.store.holds({})).map(({ status }) => status)
      expect(statuses).toEqual(['expired', 'decided', 'withdrawn', 'open'])
      expect(await it.store.run('run_1')).toMatchObject({ status: 'running' })
      expect(await it.store.run('run_2')).toMatchObject({ status: 'waiting' })
    },
  )

  test('P2: of two holds that are due at once, the first that ends the run leaves nothing to the other', async () => {
    await using it = await scene()
    await it.store.start(aStart({ status: 'waiting', opens: [aHold('hold_1'), aHold('hold_2')] }))
    const second = { ...amendment(of(ENDS_RUN, 'hold_2')), hold_id: 'hold_2' }
    expect(await it.store.amend([amendment(ENDS_RUN), second])).toMatchObject([{ id: 'hold_1' }, null])
    expect((await it.store.holds({})).map(({ status }) => status)).toEqual(['expired', 'withdrawn'])
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

const ABOUT = { hold_id: 'hold_1', call_id: 'call_1' } as const

/** Events that leave a hold open, and the change that each makes of it. */
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
