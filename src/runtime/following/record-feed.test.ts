import { expect, test } from 'vitest'
import type { FeedEntry } from '../../ports/store/feed.ts'
import type { Store } from '../../ports/store/store.ts'
import { openSqliteStore } from '../../stores/sqlite/sqlite-store.ts'
import { type HandClock, handClock } from '../../testing/kit/hand-clock.ts'
import { RecordFeed } from './record-feed.ts'

interface Scene {
  readonly store: Store
  readonly clock: HandClock
  readonly feed: RecordFeed
  readonly reads: { count: number }
  /** Breaks the store for readers of the log. */
  fail(): void
}

async function scene(): Promise<Scene> {
  const clock = handClock(0)
  const store = await openSqliteStore(':memory:', clock)
  const reads = { count: 0 }
  let isBroken = false
  const read = async <T>(found: () => Promise<T>): Promise<T> => {
    reads.count += 1
    if (isBroken) throw new Error('the disk is gone')
    return found()
  }
  const log = {
    feed: (after: number, limit: number) => read(() => store.feed(after, limit)),
    auditHead: () => read(() => store.auditHead()),
    cursor: (name: string) => store.cursor(name),
    watchFeed: (onChange: () => void) => store.watchFeed(onChange),
  }
  const fail = () => {
    isBroken = true
  }
  return { store, clock, feed: new RecordFeed(log, clock), reads, fail }
}

interface Follower {
  readonly seqs: number[]
  readonly over: Promise<unknown>
  readonly stop: AbortController
}

function follower(feed: RecordFeed, since: number): Follower {
  const stop = new AbortController()
  const seqs: number[] = []
  const over = (async () => {
    for await (const { seq } of feed.follow({ since, signal: stop.signal })) seqs.push(seq)
  })().catch((thrown: unknown) => thrown)
  return { seqs, over, stop }
}

async function write(store: Store, count = 1): Promise<void> {
  for (let n = 0; n < count; n += 1) await store.record([{ kind: 'hold.shown', data: {} }])
}

async function quiet(): Promise<void> {
  for (let turns = 0; turns < 20; turns += 1) await new Promise(resolve => setImmediate(resolve))
}

/** Lets the next look come. */
async function look(clock: HandClock): Promise<void> {
  await quiet()
  clock.advance(20)
  await quiet()
}

const upTo = (seq: number, since = 0) => Array.from({ length: seq - since }, (_, n) => since + n + 1)

test('R1: all who follow the log get each record once, in order, and a burst costs one read at once and one after it', async () => {
  const { store, clock, feed, reads } = await scene()
  await write(store, 3)
  const all = [follower(feed, 0), follower(feed, 3), ...Array.from({ length: 20 }, () => follower(feed, 2))]
  await look(clock)
  reads.count = 0
  await write(store, 5)
  await look(clock)
  expect(all.map(({ seqs }) => seqs)).toEqual([upTo(8), upTo(8, 3), ...Array.from({ length: 20 }, () => upTo(8, 2))])
  expect(reads.count).toBe(2)
  for (const { stop } of all) stop.abort()
  await Promise.all(all.map(({ over }) => over))
})

test('R3: a follower that was not read for long gets every record once it is read again', async () => {
  const { store, clock, feed } = await scene()
  await write(store)
  const stop = new AbortController()
  const slow = feed.follow({ signal: stop.signal })
  const quick = follower(feed, 0)
  await slow.next()
  await look(clock)
  await write(store, 1_200)
  await look(clock)
  const seqs: number[] = []
  while (seqs.length < 1_200) seqs.push(((await slow.next()).value as FeedEntry).seq)
  expect([seqs, quick.seqs]).toEqual([upTo(1_201, 1), upTo(1_201)])
  stop.abort()
  quick.stop.abort()
})

test('R1: the log is watched no more once it is not followed, and a later follower misses nothing', async () => {
  const { store, clock, feed, reads } = await scene()
  const first = follower(feed, 0)
  await look(clock)
  first.stop.abort()
  await first.over
  await look(clock)
  reads.count = 0
  await write(store, 2)
  await look(clock)
  expect(reads.count).toBe(0)
  const second = follower(feed, 0)
  await look(clock)
  expect(second.seqs).toEqual([1, 2])
  second.stop.abort()
})

test('R4: a log that cannot be read ends each follower with its error', async () => {
  const { store, clock, feed, fail } = await scene()
  const all = [follower(feed, 0), follower(feed, 0)]
  await look(clock)
  fail()
  await write(store)
  await look(clock)
  for (const { over } of all) expect(await over).toMatchObject({ message: 'the disk is gone' })
})

test.each([-1, 1.5, '3'])('to follow since %j is refused', async since => {
  const { feed } = await scene()
  await expect(feed.follow({ since: since as number }).next()).rejects.toMatchObject({ code: 'invalid_arguments' })
})
