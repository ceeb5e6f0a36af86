import type { NewAccessToken } from '../../../ports/store/access.ts'
import type { NewSession } from '../../../ports/store/people/sessions.ts'
import type { NewSubscription } from '../../../ports/store/people/subscriptions.ts'
import type { Kit } from '../contract-kit.ts'
import { NOW } from './sample-notice.ts'

const DAY_MS = 86_400_000
const MOST = 3
const BY = { by: 'ana', surface: 'http' }

const SESSION: NewSession = {
  ...{ id: 'session_1', kind: 'session', name: 'ana', role: 'decider', groups: ['finance'] },
  ...{ proof: { kind: 'provider', issuer: 'https://id.example.org', subject: '7' }, digest: 'sha256:session' },
  ...{ expires_at: '2030-01-02T00:00:00.000Z', surface: 'http' },
}

const TOKEN: NewAccessToken = {
  ...{ id: 'token_1', name: 'ana', role: 'operator', digest: 'sha256:token' },
  ...{ expires_at: '2030-01-02T00:00:00.000Z', ...BY },
}

const OF_SESSION: NewSubscription = {
  ...{ id: 'push_1', name: 'ana', session_id: 'session_1', token_id: null },
  ...{ endpoint: 'https://push.example.org/1', p256dh: 'BA', auth: 'AA' },
}
const OF_TOKEN = {
  ...OF_SESSION,
  id: 'push_2',
  session_id: null,
  token_id: 'token_1',
  endpoint: 'https://push.example.org/2',
}

export function subscribing({ test, expect, scene }: Kit): void {
  async function subscribed() {
    const it = await scene()
    await it.store.sessions.add(SESSION)
    await it.store.access.add(TOKEN)
    await it.store.subscriptions.add(OF_SESSION, MOST)
    await it.store.subscriptions.add(OF_TOKEN, MOST)
    return it
  }
  type Scene = Awaited<ReturnType<typeof subscribed>>
  const idsIn = async ({ store }: Scene) => (await store.subscriptions.list()).map(({ id }) => id)

  test('a subscription has the role and the groups of its session, or the role of its token', async () => {
    await using it = await subscribed()
    const { session_id: _, token_id: __, ...one } = OF_SESSION
    const { proof, groups } = SESSION
    expect(await it.store.subscriptions.find('push_1')).toEqual({
      ...one,
      role: 'decider',
      groups,
      proof,
      created_at: NOW,
    })
    expect(await it.store.subscriptions.find('push_2')).toMatchObject({ role: 'operator', groups: [], proof: null })
    expect(await it.store.subscriptions.find('push_3')).toBeNull()
    expect(await it.store.subscriptions.list({ limit: 1 })).toMatchObject([{ id: 'push_1' }])
  })

  test('P1: a subscription is gone once its session ended, its token was revoked, or either has expired', async () => {
    await using it = await subscribed()
    await it.store.sessions.end({ id: 'session_1', ...BY })
    expect(await idsIn(it)).toEqual(['push_2'])
    await it.store.access.revoke({ id: 'token_1', ...BY })
    expect(await idsIn(it)).toEqual([])
    expect(await it.store.subscriptions.find('push_2')).toBeNull()

    await using later = await subscribed()
    later.clock.advance(DAY_MS)
    expect(await idsIn(later)).toEqual([])
    expect(await later.store.subscriptions.find('push_1')).toBeNull()
  })

  test('P1: a subscription of a session that a token proved is gone with the token', async () => {
    await using it = await subscribed()
    await it.store.subscriptions.add({ ...OF_SESSION, token_id: 'token_1' }, MOST)
    await it.store.access.revoke({ id: 'token_1', ...BY })
    expect(await idsIn(it)).toEqual([])
  })

  test('P1: nobody is subscribed by a session that ended in the meantime', async () => {
    await using it = await subscribed()
    await it.store.sessions.end({ name: 'ana', ...BY })
    await it.store.subscriptions.add({ ...OF_SESSION, id: 'push_3' }, MOST)
    expect(await idsIn(it)).toEqual(['push_2'])
  })

  test('a browser has one subscription: the same person keeps its id, and another one gets a new one', async () => {
    await using it = await subscribed()
    it.clock.advance(1_000)
    await it.store.subscriptions.add({ ...OF_SESSION, id: 'push_3', auth: 'BB' }, MOST)
    expect(await it.store.subscriptions.find('push_1')).toMatchObject({ auth: 'BB', created_at: NOW })
    await it.store.sessions.add({ ...SESSION, id: 'session_2', name: 'ben', digest: 'sha256:other' })
    await it.store.subscriptions.add({ ...OF_SESSION, id: 'push_4', name: 'ben', session_id: 'session_2' }, MOST)
    expect(await it.store.subscriptions.find('push_1')).toBeNull()
    expect(await it.store.subscriptions.find('push_4')).toMatchObject({
      name: 'ben',
      created_at: '2030-01-01T00:00:01.000Z',
    })
  })

  test('of one person there are so many and no more, and the oldest give way', async () => {
    await using it = await subscribed()
    const third = { ...OF_TOKEN, id: 'push_3', endpoint: 'https://push.example.org/3' }
    const fourth = { ...OF_TOKEN, id: 'push_4', endpoint: 'https://push.example.org/4' }
    await it.store.subscriptions.add(third, MOST)
    await it.store.subscriptions.add(fourth, MOST)
    expect(await idsIn(it)).toEqual(['push_2', 'push_3', 'push_4'])
  })

  test('a subscription is removed by its id, and by its person with its endpoint', async () => {
    await using it = await subscribed()
    await it.store.subscriptions.remove({ name: 'ben', endpoint: OF_SESSION.endpoint })
    await it.store.subscriptions.remove({ id: 'push_2' })
    expect(await idsIn(it)).toEqual(['push_1'])
    await it.store.subscriptions.remove({ name: 'ana', endpoint: OF_SESSION.endpoint })
    expect(await idsIn(it)).toEqual([])
  })

  test('of two servers that bring keys, both have the keys of one', async () => {
    await using it = await scene()
    expect(await it.store.subscriptions.keys()).toBeNull()
    const pairs = ['one', 'other'].map(name => ({ public_key: name, private_key: `${name} private` }))
    const [first, second] = await Promise.all(pairs.map(keys => it.store.subscriptions.keepKeys(keys)))
    expect(pairs).toContainEqual(first)
    expect(second).toEqual(first)
    expect(await it.store.subscriptions.keys()).toEqual(first)
  })
}
