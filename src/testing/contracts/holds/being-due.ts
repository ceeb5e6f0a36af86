import type { Store } from '../../../ports/store/store.ts'
import type { Kit } from '../contract-kit.ts'
import {
  aCancel,
  aDecision,
  aHold,
  amendment,
  aStart,
  ESCALATED,
  EXPIRED,
  errorOf,
  everything,
  OVER,
  of,
  REMINDED,
} from '../store-samples.ts'

export function beingDue({ test, expect, scene }: Kit): void {
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
    expect(await it.store.nextDue(at(10))).toBe(at(20))
    expect(await it.store.nextDue(at(50))).toBe(at(51))
    expect(await it.store.nextDue(at(51))).toBeNull()
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
