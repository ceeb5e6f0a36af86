import type { NewAccessToken } from '../../../ports/store/access.ts'
import type { Kit } from '../contract-kit.ts'

export function admitting({ test, expect, scene }: Kit): void {
  const aToken = (id: string, changes: Partial<NewAccessToken> = {}): NewAccessToken => ({
    ...{ id, name: 'ben', role: 'decider', digest: `sha256:${id}`, expires_at: null, by: 'ana', surface: 'cli' },
    ...changes,
  })
  const ADDED = {
    ...{ id: 'token_1', name: 'ben', role: 'decider', created_at: '2030-01-01T00:00:00.000Z', created_by: 'ana' },
    ...{ expires_at: null, revoked_at: null, revoked_by: null },
  }

  test('a token is found by its digest, and what is listed tells no digest', async () => {
    await using it = await scene()
    expect(await it.store.access.add(aToken('token_1'))).toEqual(ADDED)
    await it.store.access.add(aToken('token_2', { role: 'viewer', expires_at: '2030-02-01T00:00:00.000Z' }))
    expect(await it.store.access.find('sha256:token_1')).toEqual(ADDED)
    expect(await it.store.access.find('sha256:token_9')).toBeNull()
    expect(await it.store.access.list()).toMatchObject([
      ADDED,
      { id: 'token_2', expires_at: '2030-02-01T00:00:00.000Z' },
    ])
  })

  test('of two tokens with one digest the second is refused, and leaves no trace', async () => {
    await using it = await scene()
    await it.store.access.add(aToken('token_1'))
    await expect(it.store.access.add(aToken('token_2', { digest: 'sha256:token_1' }))).rejects.toThrow()
    expect(await it.store.access.list()).toHaveLength(1)
    expect(await it.store.audit({})).toHaveLength(1)
  })

  test('a token is revoked once, by the first who does', async () => {
    await using it = await scene()
    await it.store.access.add(aToken('token_1'))
    it.clock.advance(1_000)
    const revoked = { ...ADDED, revoked_at: '2030-01-01T00:00:01.000Z', revoked_by: 'cleo' }
    expect(await it.store.access.revoke({ id: 'token_1', by: 'cleo', surface: 'cli' })).toEqual(revoked)
    it.clock.advance(1_000)
    expect(await it.store.access.revoke({ id: 'token_1', by: 'dan', surface: 'cli' })).toEqual(revoked)
    expect(await it.store.access.find('sha256:token_1')).toEqual(revoked)
    expect(await it.store.access.revoke({ id: 'token_9', by: 'dan', surface: 'cli' })).toBeNull()
  })

  test('P1: of the places of a boot the first is trusted by itself, and each other one by a person, on record', async () => {
    await using it = await scene()
    await Promise.all(['1-2-3', '4-5-6'].map(namespaces => it.store.access.claimPlace({ boot: 'b1', namespaces })))
    const [first, ...others] = await it.store.access.places()
    expect(others).toEqual([])
    expect(first).toMatchObject({ boot: 'b1', trusted_by: null, trusted_at: '2030-01-01T00:00:00.000Z' })
    await it.store.access.claimPlace({ boot: 'b2', namespaces: '1-2-3' })
    const place = { boot: 'b1', namespaces: '7-8-9' }
    for (const by of ['ana', 'ben']) await it.store.access.trustPlace({ place, by, surface: 'cli' })
    expect(await it.store.access.places()).toMatchObject([
      { boot: 'b1' },
      { boot: 'b2' },
      { ...place, trusted_by: 'ana' },
    ])
    const rows = await it.store.audit({})
    expect(rows.map(({ record }) => JSON.parse(record))).toMatchObject([
      { kind: 'place.trusted', actor: 'ana', data: place },
    ])
  })

  test('P10: a token that is added or revoked is on record once, without its digest', async () => {
    await using it = await scene()
    await it.store.access.add(aToken('token_1'))
    for (const by of ['cleo', 'dan']) await it.store.access.revoke({ id: 'token_1', by, surface: 'cli' })
    const rows = await it.store.audit({})
    expect(rows.map(({ record }) => JSON.parse(record))).toMatchObject([
      { kind: 'access.added', actor: 'ana', data: { token_id: 'token_1', name: 'ben', role: 'decider' } },
      { kind: 'access.revoked', actor: 'cleo', data: { token_id: 'token_1', name: 'ben' } },
    ])
    expect(rows.map(({ record }) => record).join()).not.toContain('sha256:token_1')
    const { seq, hash } = rows[1] ?? {}
    expect(await it.store.auditHead()).toEqual({ seq, hash })
    expect(await it.store.verifyAudit()).toMatchObject({ faults: [], count: 2 })
  })
}
