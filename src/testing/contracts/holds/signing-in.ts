import type { NewSession, RedeemedLink } from '../../../ports/store/people/sessions.ts'
import type { Kit } from '../contract-kit.ts'

const DAY_MS = 86_400_000

export function signingIn({ test, expect, scene }: Kit): void {
  const aSession = (id: string, changes: Partial<NewSession> = {}): NewSession => ({
    ...{ id, kind: 'session', name: 'ben', role: 'decider', groups: ['finance'] },
    ...{ proof: { kind: 'token', digest: 'sha256:token' }, digest: `sha256:${id}` },
    ...{ expires_at: '2030-01-02T00:00:00.000Z', surface: 'http' },
    ...changes,
  })
  const { digest: _, surface: __, ...said } = aSession('session_1')
  const OPENED = { ...said, created_at: '2030-01-01T00:00:00.000Z', ended_at: null, ended_by: null }
  const aLink = () => aSession('session_1', { kind: 'link', expires_at: '2030-01-01T00:05:00.000Z' })
  const USE: RedeemedLink = {
    ...{ digest: 'sha256:session_1', session_digest: 'sha256:browser' },
    ...{ expires_at: '2030-01-03T00:00:00.000Z', surface: 'http' },
  }

  test('a session is found by the digest of its secret, and goes once it has expired and another one begins', async () => {
    await using it = await scene()
    expect(await it.store.sessions.add(aSession('session_1'))).toEqual(OPENED)
    expect(await it.store.sessions.find('sha256:session_1')).toEqual(OPENED)
    expect(await it.store.sessions.find('sha256:session_9')).toBeNull()
    it.clock.advance(DAY_MS)
    expect(await it.store.sessions.list()).toEqual([])
    await it.store.sessions.add(aSession('session_2', { expires_at: '2030-01-03T00:00:00.000Z' }))
    expect(await it.store.sessions.find('sha256:session_1')).toBeNull()
    expect(await it.store.verifyAudit()).toMatchObject({ faults: [], count: 2 })
  })

  test('of two browsers that open a link, one gets a session', async () => {
    await using it = await scene()
    await it.store.sessions.add(aLink())
    const opened = await Promise.all([
      it.store.sessions.redeem(USE),
      it.store.sessions.redeem({ ...USE, session_digest: 'sha256:other' }),
    ])
    expect(opened.filter(session => session !== null)).toEqual([{ ...OPENED, expires_at: USE.expires_at }])
    expect(await it.store.sessions.find('sha256:session_1')).toBeNull()
    expect(await it.store.sessions.find('sha256:browser')).toMatchObject({ kind: 'session' })
  })

  test('a link that expired, or was ended, is exchanged for nothing', async () => {
    await using it = await scene()
    await it.store.sessions.add(aLink())
    it.clock.advance(300_000)
    expect(await it.store.sessions.redeem(USE)).toBeNull()
    await it.store.sessions.add({ ...aLink(), expires_at: '2030-01-01T00:10:00.000Z' })
    await it.store.sessions.end({ name: 'ben', by: 'ben', surface: 'http' })
    expect(await it.store.sessions.redeem(USE)).toBeNull()
  })

  test('one session ends alone, or all of a person, and each of them once', async () => {
    await using it = await scene()
    for (const [n, name] of ['ana', 'ana', 'ana', 'ben'].entries())
      await it.store.sessions.add(aSession(`session_${n}`, { name }))
    const one = { id: 'session_0', by: 'ana', surface: 'http' }
    expect(await it.store.sessions.end(one)).toMatchObject([{ ended_by: 'ana', ended_at: OPENED.created_at }])
    expect(await it.store.sessions.end(one)).toEqual([])
    expect(await it.store.sessions.find('sha256:session_0')).toMatchObject({ ended_by: 'ana' })
    expect(await it.store.sessions.end({ name: 'ana', by: 'cleo', surface: 'cli' })).toHaveLength(2)
    expect(await it.store.sessions.list()).toMatchObject([{ id: 'session_3', name: 'ben' }])
  })

  test('P10: a session that begins or is ended is on record once, without its digest, and a link is not', async () => {
    await using it = await scene()
    await it.store.sessions.add(aLink())
    await it.store.sessions.redeem(USE)
    for (const by of ['ben', 'cleo']) await it.store.sessions.end({ id: 'session_1', by, surface: 'http' })
    const rows = await it.store.audit({})
    expect(rows.map(({ record }) => JSON.parse(record))).toMatchObject([
      { kind: 'session.opened', actor: 'ben', data: { session_id: 'session_1', role: 'decider', by: 'token' } },
      { kind: 'session.ended', actor: 'ben', data: { session_id: 'session_1', name: 'ben' } },
    ])
    expect(rows.map(({ record }) => record).join()).not.toMatch(/sha256:(browser|session_1|token)/)
    expect(await it.store.verifyAudit()).toMatchObject({ faults: [], count: 2 })
  })
}
