import type { NewGrant } from '../../../core/hold/grant.ts'
import { type PlainEvent, plainEvent } from '../../../core/journal/event.ts'
import type { GrantQuery } from '../../../ports/store/grants.ts'
import type { Kit } from '../contract-kit.ts'
import { aClaim, aDecision, aGrant, aHold, aRest, aStart, claimed } from '../store-samples.ts'

export function granting({ test, expect, scene }: Kit): void {
  const always = (id: string, changes: Partial<NewGrant> = {}) => aDecision('hold_1', { grant: aGrant(id, changes) })
  const NEW = { revoked_at: null, revoked_by: null, uses: 0 }

  const passes = (grant_id: string | null, run_id = 'run_1'): PlainEvent =>
    plainEvent({
      kind: 'call.gated',
      run_id,
      data: { call_id: 'call_2', rule: 'always', grant_id, approval_id: null },
    })

  test('a grant is there with the decision that decides', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1')] }))
    await it.store.decide([always('grant_1')])
    expect(await it.store.grant('grant_1')).toEqual({ ...aGrant('grant_1'), ...NEW })
    expect(await it.store.grants({})).toEqual([{ ...aGrant('grant_1'), ...NEW }])
    expect((await it.store.hold('hold_1'))?.decision).toMatchObject({ grant: { id: 'grant_1' } })
  })

  test('a claim brings the grants of its decisions', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1')] }))
    await it.store.claim(aClaim({ decisions: [always('grant_1')] }))
    expect(await it.store.grant('grant_1')).toMatchObject({ hold_id: 'hold_1' })
  })

  test('P2: a decision that was not recorded, or was before, grants nothing', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1'), aHold('hold_2', { due_at: '2030-01-01T00:00:00.000Z' })] }))
    const said = { ...always('grant_1'), grant: null, decision_id: 'click-1' }
    await it.store.decide([said])
    await it.store.decide([always('grant_2'), { ...said, grant: aGrant('grant_3') }])
    await it.store.decide([
      { ...always('grant_4'), hold_id: 'hold_2' },
      { ...always('grant_5'), hold_id: 'hold_9' },
    ])
    expect(await it.store.grants({})).toEqual([])
  })

  test('P2: where one decision of a claim is not recorded, the others grant nothing', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1')] }))
    await it.store.claim(aClaim({ decisions: [always('grant_1'), aDecision('hold_9')] }))
    expect(await it.store.grants({})).toEqual([])
  })

  test('grants are listed oldest first, by agent, tool and time', async () => {
    await using it = await scene()
    const grants = [
      aGrant('grant_1'),
      aGrant('grant_2', { agent: 'other', scope: 'project', scope_id: '/' }),
      aGrant('grant_3', { tool: 'read', match: { path: '*.md' }, arguments: null }),
      aGrant('grant_4', { expires_at: '2030-01-01T00:01:00.000Z' }),
    ]
    const holds = grants.map((_, n) => aHold(`hold_${n + 1}`))
    await it.store.start(aStart({ opens: holds }))
    await it.store.decide(grants.map((grant, n) => aDecision(`hold_${n + 1}`, { grant })))
    const ids = async (query: GrantQuery) => (await it.store.grants(query)).map(({ id }) => id)
    expect(await ids({})).toEqual(['grant_1', 'grant_2', 'grant_3', 'grant_4'])
    expect(await ids({ agent: 'worker' })).toEqual(['grant_1', 'grant_3', 'grant_4'])
    expect(await ids({ agent: 'worker', tool: 'deploy' })).toEqual(['grant_1', 'grant_4'])
    expect(await ids({ tool: 'deploy', valid_at: '2030-01-01T00:00:59.999Z' })).toEqual([
      'grant_1',
      'grant_2',
      'grant_4',
    ])
    expect(await ids({ tool: 'deploy', valid_at: '2030-01-01T00:01:00.000Z' })).toEqual(['grant_1', 'grant_2'])
    expect(await it.store.grants({ tool: 'read' })).toEqual([{ ...grants[2], ...NEW }])
    await it.store.revoke({ grant_id: 'grant_1', by: 'ben', surface: 'test' })
    expect(await ids({ tool: 'deploy', valid_at: '2030-01-01T00:00:00.000Z' })).toEqual(['grant_2', 'grant_4'])
    expect(await ids({ tool: 'deploy' })).toEqual(['grant_1', 'grant_2', 'grant_4'])
  })

  test('a grant is revoked once, by whoever was first', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1')] }))
    await it.store.decide([always('grant_1')])
    it.clock.advance(1_000)
    const revoked = { ...aGrant('grant_1'), ...NEW, revoked_at: '2030-01-01T00:00:01.000Z', revoked_by: 'ben' }
    expect(await it.store.revoke({ grant_id: 'grant_1', by: 'ben', surface: 'test' })).toEqual(revoked)
    it.clock.advance(1_000)
    expect(await it.store.revoke({ grant_id: 'grant_1', by: 'cleo', surface: 'test' })).toEqual(revoked)
    expect(await it.store.grant('grant_1')).toEqual(revoked)
  })

  test('P10: a grant that was used and revoked is as its records say', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1')] }))
    await it.store.decide([always('grant_1')])
    expect(await it.store.grantFault('grant_1')).toBeNull()
    const lease = await claimed(it.store)
    await it.store.append(lease, 3, { events: [passes('grant_1')] })
    expect(await it.store.grantFault('grant_1')).toBeNull()
    await it.store.revoke({ grant_id: 'grant_1', by: 'ben', surface: 'test' })
    expect(await it.store.grantFault('grant_1')).toBeNull()
  })

  test('P10: a grant that comes with no decision is on record, and must be as its record says', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1')] }))
    await it.store.decide([always('grant_1')])
    const given = aGrant('grant_2', { scope: 'project', scope_id: '/', granted_by: 'ben' })
    expect(await it.store.give(given)).toEqual({ ...given, ...NEW })
    expect(await it.store.grant('grant_2')).toEqual({ ...given, ...NEW })
    expect(await it.store.grantFault('grant_2')).toBeNull()
    const { id, name, scope, expires_at } = given
    const records = (await it.store.audit({ kind: 'grant.given' })).map(({ record }) => JSON.parse(record))
    expect(records).toMatchObject([
      { actor: 'ben', hold_id: 'hold_1', thread_id: null, data: { grant: { id, name, scope, expires_at } } },
    ])
    await it.store.revoke({ grant_id: 'grant_2', by: 'ben', surface: 'test' })
    expect(await it.store.grantFault('grant_2')).toBeNull()
    expect(await it.store.grantFault('grant_1')).toBeNull()
    expect((await it.store.verifyAudit()).faults.filter(({ message }) => message.includes('grant'))).toEqual([])
  })

  test('a grant that nobody knows is none', async () => {
    await using it = await scene()
    expect(await it.store.grant('grant_9')).toBeNull()
    expect(await it.store.revoke({ grant_id: 'grant_9', by: 'ben', surface: 'test' })).toBeNull()
  })

  test('each call that a grant let pass is counted, where it was written', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1')] }))
    await it.store.decide([always('grant_1')])
    const lease = await claimed(it.store)
    await it.store.append(lease, 3, { events: [passes('grant_1'), passes(null), passes('grant_1')] })
    expect(await it.store.grant('grant_1')).toMatchObject({ uses: 2 })
    // The owner has not seen the last events, so the rest is left out.
    await it.store.append(lease, 3, { events: [], rest: aRest({ events: [passes('grant_1')] }) })
    expect(await it.store.grant('grant_1')).toMatchObject({ uses: 2 })
  })

  test('what is copied from another thread was counted there', async () => {
    await using it = await scene()
    await it.store.start(aStart({ opens: [aHold('hold_1')] }))
    await it.store.decide([always('grant_1')])
    const events = [passes('grant_1', 'run_2'), passes('grant_1', 'run_2'), passes('grant_1', 'run_2')]
    const written = await it.store.start({ ...aStart({ run: 'run_2', thread: 'th_2', events }), copied: 2 })
    expect(written).toHaveLength(3)
    expect(await it.store.grant('grant_1')).toMatchObject({ uses: 1 })
  })
}
