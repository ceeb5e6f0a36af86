import type { ReadyDecision } from '../../../core/deciding/receipt.ts'
import type { Kit } from '../contract-kit.ts'
import { aCancel, aDecision, aHold, aStart, claimed, END, errorOf, everything, OVER } from '../store-samples.ts'

export function deciding({ test, expect, scene }: Kit): void {
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
