import type { NewLink } from '../../../ports/store/people/links.ts'
import type { NewSession } from '../../../ports/store/people/sessions.ts'
import type { Kit } from '../contract-kit.ts'
import { NOW } from './sample-notice.ts'

const LINK: NewLink = {
  digest: 'sha256:1',
  hold_id: 'hold_1',
  person: 'ana',
  channel: 'mail',
  level: 1,
  assignee: null,
  expires_at: '2030-01-02T00:00:00.000Z',
}

const SESSION: NewSession = {
  digest: 'sha256:1',
  name: 'ana',
  role: 'decider',
  via: 'token',
  token_id: 'token_1',
  expires_at: '2030-01-02T00:00:00.000Z',
}

export function linking({ test, expect, scene }: Kit): void {
  test('a link is found by the digest of its secret, and used once', async () => {
    await using it = await scene()
    await it.store.links.add([LINK, { ...LINK, digest: 'sha256:2', expires_at: null, assignee: 'ana' }])
    expect(await it.store.links.find('sha256:1')).toEqual({ ...LINK, created_at: NOW, used_at: null })
    expect(await it.store.links.find('sha256:2')).toMatchObject({ expires_at: null, assignee: 'ana' })
    expect(await it.store.links.find('sha256:3')).toBeNull()
    const uses = await Promise.all([it.store.links.use('sha256:1'), it.store.links.use('sha256:1')])
    expect(uses.toSorted()).toEqual([false, true])
    expect(await it.store.links.find('sha256:1')).toMatchObject({ used_at: NOW })
    expect(await it.store.links.use('sha256:3')).toBe(false)
  })

  test('a session is found by the digest of its secret until it expired and another one begins', async () => {
    await using it = await scene()
    expect(await it.store.sessions.add(SESSION)).toEqual({ ...SESSION, created_at: NOW, ended_at: null })
    expect(await it.store.sessions.find('sha256:1')).toMatchObject({ name: 'ana', token_id: 'token_1' })
    expect(await it.store.sessions.find('sha256:2')).toBeNull()
    it.clock.advance(86_400_000)
    expect(await it.store.sessions.list({ valid_at: new Date(it.clock.now()).toISOString() })).toEqual([])
    await it.store.sessions.add({ ...SESSION, digest: 'sha256:2', expires_at: '2030-01-03T00:00:00.000Z' })
    expect(await it.store.sessions.find('sha256:1')).toBeNull()
  })

  test('one session ends alone, or all of a person', async () => {
    await using it = await scene()
    for (const [digest, name] of ['ana', 'ana', 'ana', 'ben'].entries())
      await it.store.sessions.add({ ...SESSION, digest: `sha256:${digest}`, name })
    const valid = async () => (await it.store.sessions.list({ valid_at: NOW })).map(({ digest }) => digest)
    expect(await it.store.sessions.end({ digest: 'sha256:0' })).toBe(1)
    expect(await it.store.sessions.end({ digest: 'sha256:0' })).toBe(0)
    expect(await it.store.sessions.find('sha256:0')).toMatchObject({ ended_at: NOW })
    expect(await valid()).toEqual(['sha256:1', 'sha256:2', 'sha256:3'])
    expect(await it.store.sessions.end({ name: 'ana' })).toBe(2)
    expect(await valid()).toEqual(['sha256:3'])
  })
}
