import type { AuditRecord } from '../../../core/audit/audit.ts'
import { type PlainEvent, plainEvent } from '../../../core/journal/event.ts'
import type { AuditQuery } from '../../../ports/store/audit.ts'
import type { Store } from '../../../ports/store/store.ts'
import type { Kit } from '../contract-kit.ts'
import { aDecision, aGrant, aHold, aStart, event } from '../store-samples.ts'

export function onRecord({ test, expect, scene }: Kit): void {
  const opened = (hold_id: string, run_id = 'run_1'): PlainEvent => {
    const { call_id, digest } = aHold(hold_id)
    return plainEvent({
      kind: 'hold.opened',
      run_id,
      data: {
        ...{ hold_id, kind: 'approval', call_id, status: 'suspended', digest },
        ...{ because: 'default: prompt', plugin: 'policy', resume_mode: 'replay_tool_call' },
      },
    })
  }

  async function records(store: Store, query: AuditQuery = {}): Promise<AuditRecord[]> {
    return (await store.audit(query)).map(({ record }) => JSON.parse(record) as AuditRecord)
  }

  test('P10: a hold and its decision are on record as of their events', async () => {
    await using it = await scene()
    await it.store.start(aStart({ events: [event('go'), opened('hold_1')], opens: [aHold('hold_1')] }))
    it.clock.advance(1_000)
    await it.store.decide([aDecision('hold_1', { reason: 'fine' })])
    expect(await records(it.store)).toMatchObject([
      { seq: 1, kind: 'hold.opened', event_seq: 2, thread_id: 'th_1', run_id: 'run_1', hold_id: 'hold_1', actor: null },
      {
        seq: 2,
        kind: 'hold.decided',
        event_seq: 3,
        at: '2030-01-01T00:00:01.000Z',
        actor: 'ana',
        data: { reason: 'fine' },
      },
    ])
  })

  test('P10: what follows from no event is put on record too', async () => {
    await using it = await scene()
    await it.store.record([])
    await it.store.record([
      { kind: 'hold.shown', hold_id: 'hold_1', actor: 'ana', surface: 'cli', data: { in_full: true } },
      { kind: 'decision.refused', actor: 'ben', data: { code: 'not_a_decider' } },
    ])
    expect(await records(it.store)).toMatchObject([
      {
        seq: 1,
        at: '2030-01-01T00:00:00.000Z',
        kind: 'hold.shown',
        event_seq: null,
        actor: 'ana',
        data: { in_full: true },
      },
      { seq: 2, kind: 'decision.refused', thread_id: null, actor: 'ben' },
    ])
  })

  test('P10: that a grant was revoked is on record once', async () => {
    await using it = await scene()
    await it.store.start(aStart({ events: [opened('hold_1')], opens: [aHold('hold_1')] }))
    await it.store.decide([aDecision('hold_1', { grant: aGrant('grant_1') })])
    for (const by of ['ana', 'ben']) await it.store.revoke({ grant_id: 'grant_1', by, surface: 'cli' })
    await it.store.revoke({ grant_id: 'grant_2', by: 'ana', surface: 'cli' })
    const [, decided, ...revoked] = await records(it.store)
    expect(decided).toMatchObject({ data: { grant: { id: 'grant_1', name: 'deploys' } } })
    expect(revoked).toMatchObject([{ kind: 'grant.revoked', actor: 'ana', data: { grant_id: 'grant_1' } }])
  })

  test('P10: what a thread begins with as a copy is on record where it happened, but its open holds are here too', async () => {
    await using it = await scene()
    const events = [opened('hold_0', 'run_2'), opened('hold_2', 'run_2'), event('go', 'run_2')]
    const copy = { ...aStart({ run: 'run_2', thread: 'th_2', events }), copied: 2 }
    await it.store.start({ ...copy, opens: [aHold('hold_2', { run_id: 'run_2' })] })
    expect(await records(it.store)).toMatchObject([{ kind: 'hold.opened', hold_id: 'hold_2', event_seq: 2 }])
    expect(await it.store.verifyAudit()).toMatchObject({ faults: [], count: 1 })
  })

  test('records are found by what they are about, by kind and by time', async () => {
    await using it = await scene()
    for (const [n, actor] of ['ana', 'ben', 'ana'].entries()) {
      await it.store.record([{ kind: 'hold.shown', run_id: `run_${n}`, thread_id: 'th_1', actor, data: {} }])
      it.clock.advance(60_000)
    }
    await it.store.record([{ kind: 'decision.refused', hold_id: 'hold_9', data: {} }])
    const found = async (query: AuditQuery) => (await records(it.store, query)).map(({ seq }) => seq)
    expect(await found({})).toEqual([1, 2, 3, 4])
    expect(await found({ actor: 'ana' })).toEqual([1, 3])
    expect(await found({ thread_id: 'th_1', run_id: 'run_1' })).toEqual([2])
    expect(await found({ hold_id: 'hold_9' })).toEqual([4])
    expect(await found({ kind: 'hold.shown', since: '2030-01-01T00:01:00Z', until: '2030-01-01T00:02:00Z' })).toEqual([
      2,
    ])
    expect(await found({ limit: 2 })).toEqual([1, 2])
    expect(await found({ actor: 'ana', after: 1, limit: 1 })).toEqual([3])
    expect(await found({ order: 'newest' })).toEqual([4, 3, 2, 1])
    expect(await found({ order: 'newest', actor: 'ana', limit: 1 })).toEqual([3])
    expect(await found({ order: 'newest', actor: 'ana', limit: 1, after: 3 })).toEqual([1])
  })

  test('P10: a log that nobody touched verifies, up to each head that was noted, and misses one that it never had', async () => {
    await using it = await scene()
    expect(await it.store.verifyAudit()).toMatchObject({ faults: [], fault_count: 0, count: 0, head: { seq: 0 } })
    await it.store.record([{ kind: 'hold.shown', data: {} }])
    const { head } = await it.store.verifyAudit()
    await it.store.start(aStart({ events: [opened('hold_1')], opens: [aHold('hold_1')] }))
    expect(await it.store.verifyAudit([head])).toMatchObject({ faults: [], count: 2, head: { seq: 2 } })
    const other = await it.store.verifyAudit([
      { ...head, hash: 'f'.repeat(64) },
      { ...head, seq: 9 },
    ])
    expect(other.faults.map(({ code, seq }) => [code, seq])).toEqual([
      ['head_not_found', 1],
      ['head_not_found', 9],
    ])
  })
}
