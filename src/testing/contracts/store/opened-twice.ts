import type { Kit } from '../contract-kit.ts'
import { pair } from '../pair.ts'
import { aCancel, aClaim, aDecision, aRequest, claimed, END, everything, note } from '../store-samples.ts'
import type { StoreSubject } from '../store-subject.ts'

export function openedTwice({ test, expect, scene }: Kit, reopen: NonNullable<StoreSubject['reopen']>): void {
  const both = () => pair(scene, reopen)

  test('P4: what one has written, the other reads', async () => {
    await using it = await both()
    expect(await everything(it.other)).toEqual(await everything(it.store))
    await it.store.decide([aDecision('hold_1')])
    expect(await everything(it.other)).toEqual(await everything(it.store))
    expect(await it.other.journal('th_1')).toHaveLength(3)
  })

  test('P2: of two decisions, one here and one there, one is recorded', async () => {
    await using it = await both()
    const receipts = await Promise.all([
      it.store.decide([aDecision('hold_1', { decided_by: 'ana' })]),
      it.other.decide([aDecision('hold_1', { decided_by: 'ben' })]),
    ])
    expect(
      receipts
        .flat()
        .map(({ outcome }) => outcome)
        .toSorted(),
    ).toEqual(['already_decided', 'recorded'])
  })

  test('P2: of a decision here and a cancel there, one gets the hold', async () => {
    await using it = await both()
    const [[receipt]] = await Promise.all([it.store.decide([aDecision('hold_1')]), it.other.request(aCancel())])
    const written = (await it.store.journal('th_1', 2)).map(({ kind }) => kind)
    const won = receipt?.outcome === 'recorded'
    expect(written).toEqual([won ? 'hold.decided' : 'hold.withdrawn', 'cancel.requested'])
    expect(await it.store.hold('hold_1')).toMatchObject({ status: won ? 'decided' : 'withdrawn' })
  })

  test('P7: a rest here is left out over what was written there', async () => {
    await using it = await both()
    const lease = await claimed(it.store)
    await it.other.request(aRequest())
    expect(await it.store.append(lease, 2, { events: [], rest: END })).toMatchObject({
      rested: false,
      events: [{ kind: 'message.queued' }],
    })
  })

  test('P7: a lease that was taken here is busy there, and its old owner is fenced off', async () => {
    await using it = await both()
    const lease = await claimed(it.store)
    expect(await it.other.claim(aClaim({ owner: 'two' }))).toMatchObject({ outcome: 'busy' })
    expect(await it.other.reclaim(lease)).toBe(true)
    const next = await claimed(it.other, { owner: 'two' })
    await it.other.append(next, 2, note('theirs'))
    await expect(it.store.append(lease, 2, note('mine'))).rejects.toMatchObject({ code: 'lease_lost' })
    expect(await it.store.journal('th_1')).toHaveLength(3)
  })

  test('P4: what was written is there for whoever comes after everybody left', async () => {
    await using it = await both()
    const before = await everything(it.store)
    await it.store[Symbol.asyncDispose]()
    expect(await everything(it.other)).toEqual(before)
  })
}
