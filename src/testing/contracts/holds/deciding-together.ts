import type { ReadyDecision, Receipt } from '../../../core/deciding/receipt.ts'
import type { Store } from '../../../ports/store/store.ts'
import type { Kit } from '../contract-kit.ts'
import { aClaim, aDecision, aHold, aRest, aStart, claimed, errorOf, everything } from '../store-samples.ts'

export function waking({ test, expect, scene }: Kit): void {
  test('a waiting run of scope batch becomes running with its last decision, and not before', async () => {
    await using it = await scene()
    await it.store.start(aStart({ status: 'waiting', opens: [aHold('hold_1'), aHold('hold_2')] }))
    await it.store.decide([aDecision('hold_1')])
    expect(await it.store.run('run_1')).toMatchObject({ status: 'waiting' })
    it.clock.advance(5_000)
    await it.store.decide([aDecision('hold_2')])
    expect(await it.store.run('run_1')).toMatchObject({ status: 'running', updated_at: '2030-01-01T00:00:05.000Z' })
  })

  test('a waiting run of scope call becomes running with the first decision', async () => {
    await using it = await scene()
    await it.store.start(aStart({ status: 'waiting', hold_scope: 'call', opens: [aHold('hold_1'), aHold('hold_2')] }))
    await it.store.decide([aDecision('hold_1')])
    expect(await it.store.run('run_1')).toMatchObject({ status: 'running' })
  })

  test('a decision on one run wakes no other', async () => {
    await using it = await scene()
    await it.store.start(aStart({ status: 'waiting', opens: [aHold('hold_1')] }))
    await it.store.start(
      aStart({ run: 'run_2', thread: 'th_2', status: 'waiting', opens: [aHold('hold_2', { run_id: 'run_2' })] }),
    )
    await it.store.decide([aDecision('hold_2')])
    expect(await it.store.run('run_1')).toMatchObject({ status: 'waiting' })
    expect(await it.store.run('run_2')).toMatchObject({ status: 'running' })
  })

  test('a decision that was not recorded wakes nobody', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1')] }))
    await it.store.decide([aDecision('hold_1')])
    await it.store.append(await claimed(it.store), 3, { events: [], rest: aRest({ run: { status: 'waiting' } }) })
    await it.store.decide([aDecision('hold_1', { decided_by: 'ben' })])
    expect(await it.store.run('run_1')).toMatchObject({ status: 'waiting' })
  })
}

export function decidingTogether({ test, expect, scene }: Kit): void {
  const needing = (quorum: number) => aHold('hold_1', { deciders: { people: null, not_requester: false, quorum } })
  const by = (decided_by: string, changes: Partial<ReadyDecision> = {}) =>
    aDecision('hold_1', { decided_by, ...changes })

  test('a hold that needs several approvals stays open until the last of them, and the journal has each', async () => {
    await using it = await scene()
    await it.store.start(aStart({ status: 'waiting', opens: [needing(3)] }))
    const [ana, ben, cleo] = [by('ana'), by('ben'), by('cleo')]
    const [first] = await it.store.decide([ana])
    expect(first).toMatchObject({ outcome: 'recorded', hold: { status: 'open', decision: null } })
    await it.store.decide([ben])
    expect(await it.store.run('run_1')).toMatchObject({ status: 'waiting' })
    expect((await it.store.hold('hold_1'))?.votes.map(({ decided_by }) => decided_by)).toEqual(['ana', 'ben'])
    const [last] = await it.store.decide([cleo])
    expect(last).toMatchObject({ outcome: 'recorded', hold: { status: 'decided', decision: { decided_by: 'cleo' } } })
    expect(await it.store.run('run_1')).toMatchObject({ status: 'running' })
    const written = (await it.store.journal('th_1', 2)).map(({ kind, data }) => ({ kind, data }))
    const { hold_id, ...decision } = ana
    expect(written).toMatchObject([
      { kind: 'hold.voted', data: { hold_id, call_id: 'call_1', decision, have: 1, need: 3 } },
      { kind: 'hold.voted', data: { hold_id, have: 2, need: 3 } },
      { kind: 'hold.decided', data: { hold_id, status: 'resuming', decision: { decided_by: 'cleo' } } },
    ])
  })

  test('nobody approves twice, and it changes nothing', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [needing(2)] }))
    await it.store.decide([by('ana')])
    const before = await everything(it.store)
    const [again] = await it.store.decide([by('ana')])
    expect(again).toMatchObject({ outcome: 'refused', hold: { status: 'open' } })
    expect(errorOf(again)).toMatchObject({ code: 'already_voted' })
    expect(await everything(it.store)).toEqual(before)
  })

  test('P1: what several must approve is not edited by one, and it changes nothing', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [needing(2)] }))
    const before = await everything(it.store)
    const [edited] = await it.store.decide([by('ana', { verdict: 'edit', arguments: { to: 'staging' } })])
    expect(edited).toMatchObject({ outcome: 'refused' })
    expect(await everything(it.store)).toEqual(before)
  })

  test('the same approval again is its success again, before and after the last one', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [needing(2)] }))
    const said = by('ana', { decision_id: 'click-1' })
    await it.store.decide([said])
    const { hold_id: _, ...decision } = said
    expect(await it.store.decide([said])).toMatchObject([{ outcome: 'duplicate', decision, hold: { status: 'open' } }])
    await it.store.decide([by('ben')])
    const before = await everything(it.store)
    expect(await it.store.decide([said])).toMatchObject([{ outcome: 'duplicate', decision }])
    expect(await it.store.decide([by('cleo')])).toMatchObject([
      { outcome: 'already_decided', winner: { decided_by: 'ben' } },
    ])
    expect(await everything(it.store)).toEqual(before)
  })

  test.each(['reject', 'cancel'] as const)('one %s ends it, whoever approved before', async verdict => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [needing(3)] }))
    await it.store.decide([by('ana')])
    expect(await it.store.decide([by('ben', { verdict })])).toMatchObject([{ outcome: 'recorded' }])
    expect(await it.store.hold('hold_1')).toMatchObject({
      status: 'decided',
      decision: { verdict },
      votes: [{ decided_by: 'ana' }],
    })
    expect((await it.store.journal('th_1', 2)).map(({ kind }) => kind)).toEqual(['hold.voted', 'hold.decided'])
  })

  test('P2: of many approvals at once, as many as it needs are recorded', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [needing(3)] }))
    const receipts = await Promise.all(Array.from({ length: 8 }, (_, n) => it.store.decide([by(`actor ${n}`)])))
    const outcomes = receipts.flat().map(({ outcome }) => outcome)
    expect(outcomes.toSorted()).toEqual([...Array(5).fill('already_decided'), ...Array(3).fill('recorded')])
    expect(await it.store.journal('th_1', 2)).toHaveLength(3)
  })
}

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
    // A call without cause may come: it names no thread.
    using _watch = it.store.watch(change => change && heard.push(change))
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
