import { expect, test } from 'vitest'
import type { ChannelKind } from '../../core/notice/notice-event.ts'
import { systemIds } from '../../hosts/process/system-ids.ts'
import type { Notifier } from '../../ports/notifier.ts'
import { openStore } from '../../stores/open-store.ts'
import { aDecision, aHold, aStart } from '../../testing/contracts/store-samples.ts'
import { handClock } from '../../testing/kit/hand-clock.ts'
import { RecordReader } from './take-records.ts'

const notifier = (kind: ChannelKind): Notifier => ({
  kind,
  digests: true,
  send: async () => ({}),
  [Symbol.asyncDispose]: async () => {},
})

async function aReader(kind: ChannelKind) {
  const clock = handClock()
  const store = await openStore('memory:', { clock, directory: '.' })
  const directory = {
    ...{ people: {}, groups: {}, personal: [], followUps: [], githubIssue: null, project: [] },
    programs: [],
  }
  const reader = new RecordReader({
    ...{ store, clock, ids: systemIds, directory, signIn: null, notifiers: [notifier(kind)], baseUrl: null },
    settingsOf: () => 'sha256:1',
    tell: () => {},
  })
  const opens = async () => {
    const hold = aHold('hold_1')
    const { call_id, kind: asked, tool, arguments: args, digest, message } = hold
    const data = { hold_id: hold.id, call_id, kind: asked, tool, arguments: args, digest, message, because: 'it asks' }
    const event = { kind: 'hold.opened', run_id: 'run_1', data: { ...data, plugin: null } } as never
    await store.start({ ...aStart({ opens: [hold] }), events: [...aStart().events, event] })
  }
  return { store, clock, reader, opens, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() }
}

test('T4: a server that could only push reads and writes nothing as long as no browser is subscribed', async () => {
  await using pushing = await aReader('push')
  await pushing.reader.readAll()
  expect(await pushing.store.notices.place()).toBeNull()
  await using posting = await aReader('webhook')
  await posting.reader.readAll()
  expect(await posting.store.notices.place()).not.toBeNull()
})

test('a browser that subscribes hears nothing of what opened before, and T2: a decision costs no write', async () => {
  await using it = await aReader('push')
  const { store, clock, reader, opens } = it
  const expires_at = '2040-01-01T00:00:00.000Z'
  await store.access.add({
    ...{ id: 'token_1', name: 'mia', role: 'decider', digest: 'sha256:1', expires_at, by: 'ana', surface: 'cli' },
  })
  await opens()
  await reader.readAll()
  clock.advance(1_000)
  const browser = { endpoint: 'https://push.example.org/1', p256dh: 'BA', auth: 'AA' }
  await store.subscriptions.add({ id: 'push_1', name: 'mia', session_id: null, token_id: 'token_1', ...browser }, 5)
  await reader.readAll()
  expect(await store.notices.list({})).toEqual([])
  const place = await store.notices.place()
  expect(place).not.toBeNull()
  await store.decide([aDecision('hold_1', { decided_by: 'ben', reason: null })])
  await reader.readAll()
  // No channel changes a push.
  expect(await store.notices.place()).toBe(place)
})
