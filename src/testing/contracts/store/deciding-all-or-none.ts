import type { Receipt, Store } from '../../../ports/store/store.ts'
import type { Kit } from '../contract-kit.ts'
import { aClaim, aDecision, aHold, aRest, aStart, claimed, everything } from '../store-samples.ts'

export function decidingAllOrNone({ test, expect, scene }: Kit): void {
  test('several are recorded at once, and one of them that was recorded before is no obstacle', async () => {
    await using it = await scene()
    await it.store.start(aStart({ status: 'waiting', opens: [aHold('hold_1'), aHold('hold_2')] }))
    const before = aDecision('hold_1')
    await it.store.decide([before])
    const receipts = await it.store.decide([before, aDecision('hold_2')], { all: true })
    expect(receipts.map(({ outcome }) => outcome)).toEqual(['duplicate', 'recorded'])
    expect(await it.store.hold('hold_2')).toMatchObject({ status: 'decided' })
  })

  test.each([
    ['unknown', 'refused', () => {}],
    [
      'already decided',
      'already_decided',
      (store: Store) => store.decide([aDecision('hold_2', { decided_by: 'ben' })]),
    ],
  ] as const)('P2: where one is %s, none is recorded, and the receipts tell what stood in the way', async (...each) => {
    const [what, outcome, prepare] = each
    await using it = await scene()
    await it.store.start(aStart({ status: 'waiting', opens: [aHold('hold_1'), aHold('hold_2'), aHold('hold_3')] }))
    await prepare(it.store)
    const before = await everything(it.store)
    const heard: unknown[] = []
    using _watch = it.store.watch(change => heard.push(change))
    const second = what === 'unknown' ? 'hold_9' : 'hold_2'
    const decisions = [aDecision('hold_1'), aDecision(second), aDecision('hold_3')]
    const receipts = await it.store.decide(decisions, { all: true })
    expect(receipts[1]).toMatchObject({ outcome })
    expect(receipts).toHaveLength(3)
    expect(await everything(it.store)).toEqual(before)
    expect(heard).toEqual([])
  })
}

export function decidingWithTheClaim({ test, expect, scene }: Kit): void {
  test('P2: a claim records its decisions in the same transaction', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1'), aHold('hold_2')] }))
    const result = await it.store.claim(aClaim({ decisions: [aDecision('hold_1'), aDecision('hold_2')] }))
    expect(result).toMatchObject({ outcome: 'claimed', receipts: [{ outcome: 'recorded' }, { outcome: 'recorded' }] })
    expect(await it.store.holds({ status: 'open' })).toEqual([])
    expect((await it.store.journal('th_1', 2)).map(({ kind }) => kind)).toEqual(['hold.decided', 'hold.decided'])
  })

  const SPOILERS: readonly (readonly [what: string, spoiler: string, outcome: Receipt['outcome']])[] = [
    ['was decided before', 'hold_2', 'already_decided'],
    ['is known to nobody', 'hold_9', 'refused'],
    ['was withdrawn', 'hold_3', 'refused'],
  ]

  test.each(SPOILERS)(
    'P2: where one hold of a claim %s, nothing is recorded and no lease is taken',
    async (_what, spoiler, outcome) => {
      await using it = await scene()
      await it.store.start(aStart({ opens: [aHold('hold_1'), aHold('hold_2'), aHold('hold_3')] }))
      await it.store.decide([aDecision('hold_2', { decided_by: 'ben' })])
      const lease = await claimed(it.store)
      await it.store.append(lease, 3, { events: [], rest: aRest({ withdraws: ['hold_3'] }) })
      const before = await everything(it.store)
      const result = await it.store.claim(aClaim({ decisions: [aDecision('hold_1'), aDecision(spoiler)] }))
      expect(result).toMatchObject({ outcome: 'refused', receipts: [{ outcome: 'recorded' }, { outcome }] })
      expect(await everything(it.store)).toEqual(before)
    },
  )

  test('P2: a claim with a decision that was recorded before is its success again', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1'), aHold('hold_2')] }))
    const said = aDecision('hold_1', { decision_id: 'click-1' })
    await it.store.decide([said])
    const result = await it.store.claim(aClaim({ decisions: [said, aDecision('hold_2')] }))
    expect(result).toMatchObject({ outcome: 'claimed', receipts: [{ outcome: 'duplicate' }, { outcome: 'recorded' }] })
    expect((await it.store.journal('th_1', 2)).map(({ kind }) => kind)).toEqual(['hold.decided', 'hold.decided'])
  })

  test('P7: a run that is done gives no lease, also to who says again what was recorded', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1')] }))
    const said = aDecision('hold_1', { decision_id: 'click-1' })
    await it.store.decide([said])
    const lease = await claimed(it.store)
    await it.store.append(lease, 3, { events: [], rest: aRest({ run: { status: 'done', ended: 'natural_end' } }) })
    expect(await it.store.claim(aClaim({ decisions: [said] }))).toEqual({ outcome: 'done' })
    expect(await it.store.run('run_1')).toMatchObject({ status: 'done', lease: null })
  })

  test('P7: a claim that finds the run busy records nothing', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1')] }))
    await claimed(it.store)
    const before = await everything(it.store)
    const result = await it.store.claim(aClaim({ owner: 'two', decisions: [aDecision('hold_1')] }))
    expect(result).toMatchObject({ outcome: 'busy' })
    expect(await everything(it.store)).toEqual(before)
  })

  test('P2: of many claims that decide the same hold, one gets the lease', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1')] }))
    const claims = Array.from({ length: 8 }, (_, n) =>
      it.store.claim(aClaim({ owner: `owner ${n}`, decisions: [aDecision('hold_1', { decided_by: `actor ${n}` })] })),
    )
    const results = await Promise.all(claims)
    const winners = results.filter(result => result?.outcome === 'claimed')
    expect(winners).toHaveLength(1)
    const number = results.findIndex(result => result?.outcome === 'claimed')
    expect((await it.store.hold('hold_1'))?.decision?.decided_by).toBe(`actor ${number}`)
  })
}
