import type { NewLink } from '../../../ports/store/people/links.ts'
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
}
