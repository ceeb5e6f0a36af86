import { expect, test } from 'vitest'
import type { TaskQuery } from '../../ports/store/fleet/task-registry.ts'
import type { Store } from '../../ports/store/store.ts'
import { openSqliteStore } from '../../stores/sqlite/sqlite-store.ts'
import { aTask } from '../../testing/contracts/tasks/sample-task.ts'
import { type HandClock, handClock } from '../../testing/kit/hand-clock.ts'
import { FleetFeed } from './fleet-feed.ts'

interface Scene {
  readonly store: Store
  readonly clock: HandClock
  readonly feed: FleetFeed
  readonly reads: { count: number }
  /** Processes that were killed. */
  readonly gone: Set<string>
}

async function scene(): Promise<Scene> {
  const clock = handClock(0)
  const store = await openSqliteStore(':memory:', clock)
  const reads = { count: 0 }
  const gone = new Set<string>()
  const tasks = {
    watch: (onChange: () => void) => store.tasks.watch(onChange),
    tasks: (query: TaskQuery = {}) => {
      reads.count += 1
      return store.tasks.tasks(query)
    },
  }
  const feed = new FleetFeed({ store, tasks, clock, liveness: { isGone: name => gone.has(name) } })
  return { store, clock, feed, reads, gone }
}

function follower(feed: FleetFeed) {
  const stop = new AbortController()
  const told: (readonly string[])[] = []
  const over = (async () => {
    for await (const { task_ids } of feed.follow({ signal: stop.signal })) told.push(task_ids)
  })()
  return { told, over, stop }
}

async function quiet(): Promise<void> {
  for (let turns = 0; turns < 20; turns += 1) await new Promise(resolve => setImmediate(resolve))
}

async function after(clock: HandClock, ms: number): Promise<void> {
  await quiet()
  clock.advance(ms)
  await quiet()
}

async function begun(store: Store, id: string): Promise<void> {
  await store.tasks.create(aTask({ id, kind: 'agent' }))
  await store.presences.arrive({ task_id: id, invocation: 1, process: `p:${id}`, endpoint: '', protocol: 1, token: id })
}

test('G3: who follows is told at first of all that are under way, then of each that changes', async () => {
  const { store, clock, feed } = await scene()
  await begun(store, 'task_a')
  await begun(store, 'task_b')
  const first = follower(feed)
  await after(clock, 100)
  await store.presences.change({ task_id: 'task_b', invocation: 1 }, { clients: 1 })
  await after(clock, 100)
  const second = follower(feed)
  await quiet()
  await store.presences.leave({ task_id: 'task_a', invocation: 1 })
  await after(clock, 100)
  expect(first.told).toEqual([['task_b', 'task_a'], ['task_b'], ['task_a']])
  expect(second.told).toEqual([['task_b', 'task_a'], ['task_a']])
  for (const { stop } of [first, second]) stop.abort()
  await Promise.all([first.over, second.over])
})

test('G3: a process that was killed is told of within a second', async () => {
  const { store, clock, feed, gone } = await scene()
  await begun(store, 'task_a')
  const one = follower(feed)
  await after(clock, 100)
  gone.add('p:task_a')
  await after(clock, 1_000)
  expect(one.told).toEqual([['task_a'], ['task_a']])
  one.stop.abort()
  await one.over
})

test('G1, G2: a burst costs one look at once and one after it for all who follow, and nothing is read once they are gone', async () => {
  const { store, clock, feed, reads } = await scene()
  await begun(store, 'task_a')
  const all = Array.from({ length: 20 }, () => follower(feed))
  await after(clock, 100)
  reads.count = 0
  for (let clients = 1; clients <= 50; clients += 1)
    await store.presences.change({ task_id: 'task_a', invocation: 1 }, { clients })
  await after(clock, 100)
  expect(reads.count).toBe(2)
  for (const { told } of all) expect(told).toEqual([['task_a'], ['task_a'], ['task_a']])
  for (const { stop, over } of all) {
    stop.abort()
    await over
  }
  reads.count = 0
  await store.presences.leave({ task_id: 'task_a', invocation: 1 })
  await after(clock, 5_000)
  expect(reads.count).toBe(0)
})
