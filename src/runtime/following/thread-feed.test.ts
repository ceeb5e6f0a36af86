import { expect, test } from 'vitest'
import { type JournalEvent, plainEvent } from '../../core/journal/event.ts'
import type { Ephemeral } from '../../ports/event-sink.ts'
import type { Store } from '../../ports/store/store.ts'
import { openSqliteStore } from '../../stores/sqlite/sqlite-store.ts'
import { type HandClock, handClock } from '../../testing/kit/hand-clock.ts'
import { type FollowOptions, followThread } from './follow-thread.ts'
import { ThreadFeed } from './thread-feed.ts'

/** A store in memory that counts what is read, and can tell of changes as if another process had made them. */
interface Counting extends Store {
  readonly counts: { newest: number; journal: number; watches: number }
  /** Tells of what was written since as another process would. */
  tellAsOutside(): void
  isBroken: boolean
  /** Called in each look. */
  onLook: () => void
}

async function counting(): Promise<Counting> {
  const store = await openSqliteStore(':memory:', handClock())
  const counts = { newest: 0, journal: 0, watches: 0 }
  const listeners = new Set<(change: null) => void>()
  const own = {
    counts,
    isBroken: false,
    onLook: () => {},
    tellAsOutside: () => {
      for (const listener of listeners) listener(null)
    },
    watch(onChange: (change: null) => void): Disposable {
      counts.watches += 1
      listeners.add(onChange)
      return { [Symbol.dispose]: () => void listeners.delete(onChange) }
    },
    async newest(ids: readonly string[]) {
      counts.newest += 1
      own.onLook()
      if (own.isBroken) throw new Error('the disk is gone')
      return store.newest(ids)
    },
    async journal(...args: Parameters<Store['journal']>) {
      counts.journal += 1
      if (own.isBroken) throw new Error('the disk is gone')
      return store.journal(...args)
    },
  }
  return new Proxy(store, {
    get(_target, key) {
      if (Object.hasOwn(own, key)) return own[key as keyof typeof own]
      const value = store[key as keyof Store]
      return typeof value === 'function' ? value.bind(store) : value
    },
    set: (_target, key, value) => Reflect.set(own, key, value),
  }) as Counting
}

async function start(store: Store, thread_id: string, run = `run of ${thread_id}`): Promise<void> {
  await store.start({
    run: { id: run, agent: 'tester', hold_scope: 'batch' },
    thread_id,
    after: 0,
    events: [plainEvent({ kind: 'note', run_id: run, data: { about: 'tools', message: 'started' } })],
    status: 'running',
    checkpoint_id: null,
  })
}

async function write(store: Store, thread_id: string, after: number, message = 'more'): Promise<void> {
  const run_id = `run of ${thread_id}`
  const claimed = await store.claim({ run_id, owner: 'me', ttl_ms: 1000, evict: 'me' })
  if (claimed?.outcome !== 'claimed') throw new Error('it is not free')
  await store.append(claimed.lease, after, {
    events: [plainEvent({ kind: 'note', run_id, data: { about: 'tools', message } })],
  })
}

interface Told {
  readonly events: (JournalEvent | Ephemeral)[]
  readonly over: Promise<unknown>
  readonly stop: AbortController
}

function follower(store: Store, feed: ThreadFeed, threadId: string, options: FollowOptions = {}): Told {
  const stop = new AbortController()
  const events: (JournalEvent | Ephemeral)[] = []
  const over = (async () => {
    for await (const event of followThread(store, feed, { ...options, threadId, signal: stop.signal }))
      events.push(event)
  })().catch((thrown: unknown) => thrown)
  return { events, over, stop }
}

async function quiet(): Promise<void> {
  for (let turns = 0; turns < 20; turns += 1) await new Promise(resolve => setImmediate(resolve))
}

async function scene(): Promise<{ store: Counting; feed: ThreadFeed; clock: HandClock }> {
  const clock = handClock(0)
  const store = await counting()
  return { store, clock, feed: new ThreadFeed(store, clock) }
}

function delta(thread_id: string, after: number, text: string): Ephemeral {
  const place = { thread_id, run_id: 'run', ephemeral: true, after } as const
  return { kind: 'text.delta', data: { id: '1', delta: text }, ...place }
}

const NO_COUNTS = { newest: 0, journal: 0 }

test('one commit of another process costs one look and one read, however many threads are followed', async () => {
  const { store, feed } = await scene()
  const ids = Array.from({ length: 1_000 }, (_, n) => `th_${n}`)
  for (const id of ids) await start(store, id)
  const all = ids.map(id => follower(store, feed, id))
  await quiet()
  expect(all.every(({ events }) => events.length === 1)).toBe(true)
  Object.assign(store.counts, NO_COUNTS)
  await write(store, 'th_7', 1)
  store.tellAsOutside()
  await quiet()
  expect(all[7]?.events).toHaveLength(2)
  expect(store.counts).toEqual({ newest: 1, journal: 1, watches: 1 })
  for (const { stop } of all) stop.abort()
})

test('ten followers of one thread cost one read', async () => {
  const { store, feed } = await scene()
  await start(store, 'th_1')
  const all = Array.from({ length: 10 }, () => follower(store, feed, 'th_1'))
  await quiet()
  Object.assign(store.counts, NO_COUNTS)
  await write(store, 'th_1', 1)
  store.tellAsOutside()
  await quiet()
  expect(all.map(({ events }) => events.length)).toEqual(Array.from({ length: 10 }, () => 2))
  expect(store.counts).toMatchObject({ newest: 1, journal: 1 })
  for (const { stop } of all) stop.abort()
})

test('a burst of commits of another process costs one look in 20 ms, and the last of them is seen', async () => {
  const { store, feed, clock } = await scene()
  await start(store, 'th_1')
  const { events, stop } = follower(store, feed, 'th_1')
  await quiet()
  Object.assign(store.counts, NO_COUNTS)
  for (let seq = 1; seq <= 5; seq += 1) {
    await write(store, 'th_1', seq)
    store.tellAsOutside()
    await quiet()
  }
  expect(store.counts.newest).toBe(1)
  clock.advance(20)
  await quiet()
  expect(store.counts.newest).toBe(2)
  expect(events).toHaveLength(6)
  stop.abort()
})

test('F2: after a look that takes long comes a rest nine times as long, and after any look the last change is seen', async () => {
  const { store, feed, clock } = await scene()
  await start(store, 'th_1')
  const { events, stop } = follower(store, feed, 'th_1')
  await quiet()
  store.onLook = () => clock.advance(10)
  store.tellAsOutside()
  await quiet()
  Object.assign(store.counts, NO_COUNTS)
  await write(store, 'th_1', 1)
  store.tellAsOutside()
  clock.advance(89)
  await quiet()
  expect(store.counts.newest).toBe(0)
  clock.advance(1)
  await quiet()
  expect(events).toHaveLength(2)
  stop.abort()
})

test('a follower that joins while the last look of others ends misses nothing', async () => {
  const { store, feed } = await scene()
  await start(store, 'th_1')
  const first = follower(store, feed, 'th_1')
  await quiet()
  store.tellAsOutside()
  first.stop.abort()
  await first.over
  const second = follower(store, feed, 'th_1')
  await write(store, 'th_1', 1)
  store.tellAsOutside()
  await quiet()
  expect(second.events).toHaveLength(2)
  second.stop.abort()
})

test('a store that cannot be read ends each follower with its error', async () => {
  const { store, feed } = await scene()
  await start(store, 'th_1')
  const all = [follower(store, feed, 'th_1'), follower(store, feed, 'th_1')]
  await quiet()
  store.isBroken = true
  store.tellAsOutside()
  for (const { over } of all) expect(await over).toMatchObject({ message: 'the disk is gone' })
})

test('a piece comes after its event, though the news of the event comes later', async () => {
  const { store, feed } = await scene()
  await start(store, 'th_1')
  const { events, stop } = follower(store, feed, 'th_1')
  await quiet()
  await write(store, 'th_1', 1)
  feed.publish(delta('th_1', 2, 'I am'))
  await quiet()
  expect(events.map(event => ('seq' in event ? event.seq : event.data))).toEqual([1, 2, { id: '1', delta: 'I am' }])
  stop.abort()
})

test('nothing is watched once nobody follows', async () => {
  const { store, feed } = await scene()
  await start(store, 'th_1')
  const { over, stop } = follower(store, feed, 'th_1')
  await quiet()
  stop.abort()
  await over
  Object.assign(store.counts, NO_COUNTS)
  store.tellAsOutside()
  await quiet()
  expect(store.counts).toMatchObject(NO_COUNTS)
})

test('a follower that is not read for long gets every event once it is read again', async () => {
  const { store, feed } = await scene()
  await start(store, 'th_1')
  const stop = new AbortController()
  const slow = followThread(store, feed, { threadId: 'th_1', signal: stop.signal })
  const quick = follower(store, feed, 'th_1')
  await slow.next()
  for (let seq = 1; seq <= 200; seq += 1) await write(store, 'th_1', seq)
  store.tellAsOutside()
  await quiet()
  expect(quick.events).toHaveLength(201)
  const seqs: number[] = []
  while (seqs.length < 200) {
    const { value } = await slow.next()
    if (value && 'seq' in value) seqs.push(value.seq)
  }
  expect(seqs).toEqual(Array.from({ length: 200 }, (_, n) => n + 2))
  quick.stop.abort()
  stop.abort()
})
