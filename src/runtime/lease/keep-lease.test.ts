import { afterEach, beforeEach, expect, test } from 'vitest'
import type { LeaseLostError } from '../../core/errors.ts'
import type { StopCondition } from '../../core/run/stop-condition.ts'
import { defineAgent } from '../../hosts/agents/define-agent.ts'
import { agentRegistry } from '../../hosts/compose/compose.ts'
import { systemIds } from '../../hosts/process/system-ids.ts'
import { scriptedModel } from '../../models/scripted-model.ts'
import type { Runtime } from '../../ports/runtime.ts'
import type { Lease } from '../../ports/store/runs.ts'
import type { Store } from '../../ports/store/store.ts'
import { openStore } from '../../stores/open-store.ts'
import { StoreError } from '../../stores/store-error.ts'
import { type HandClock, handClock } from '../../testing/kit/hand-clock.ts'
import { defineTool } from '../../tools/define/define-tool.ts'
import { validateJson } from '../../tools/define/json-schema.ts'
import { EmbeddedHoldpoint } from '../holdpoint.ts'
import { keepLease } from './keep-lease.ts'
import { LeaseWatch } from './lease-watch.ts'

const noTasks = () => Promise.reject(new Error('there are no tasks here'))

const never = new AbortController().signal
let clock: HandClock
let store: Store
/** Told of each effect; it ends when `release` is called. */
let begun: string[]
let release: () => void
let released: Promise<void>

beforeEach(async () => {
  clock = handClock()
  store = await openStore('memory:', { clock, directory: '/' })
  begun = []
  const { promise, resolve } = Promise.withResolvers<void>()
  released = promise
  release = resolve
})
afterEach(() => store[Symbol.asyncDispose]())

interface Lasting {
  readonly idempotent?: boolean
  readonly stop?: readonly StopCondition[]
}

/** One process of several that share the store; nobody knows whether another one is gone. */
function aRuntime(self: string, { idempotent = false, stop = [] }: Lasting = {}): Runtime {
  const slow = defineTool({
    name: 'slow',
    idempotent,
    inputSchema: { type: 'object' },
    execute: async () => {
      begun.push(self)
      await released
      return 'done'
    },
  })
  const turns = [{ calls: [{ id: 'tc_1', name: 'slow' }] }, 'Done.']
  const agent = defineAgent({
    name: 'tester',
    model: scriptedModel(turns),
    tools: [slow],
    policy: { default: 'auto' },
    stop,
  })
  return {
    store,
    agents: agentRegistry({ agents: [agent], directory: '/', env: {} }),
    clock,
    ids: systemIds,
    liveness: { self, isGone: () => false, isAlive: () => false },
    tell: () => {},
    checkSchema: validateJson,
  }
}

const by = { decided_by: 'ana', surface: 'test' }

test('P7: while one process advances a run, another one is told who does and until when', async () => {
  const [one, two] = [new EmbeddedHoldpoint(aRuntime('one'), noTasks), new EmbeddedHoldpoint(aRuntime('two'), noTasks)]
  const { id } = await one.start({ agent: 'tester', input: 'go' })
  const first = one.advance(id)
  await expect.poll(() => begun).toEqual(['one'])
  expect(await two.advance(id)).toEqual({ status: 'busy', owner: 'one', until: '2030-01-01T00:00:30.000Z' })
  expect(await one.advance(id)).toMatchObject({ status: 'busy', owner: 'one' })
  release()
  expect(await first).toMatchObject({ status: 'done', answer: 'Done.' })
  expect(begun).toEqual(['one'])
})

test('P3, P7: an owner who slept past its lease is fenced off, and what it did is in doubt', async () => {
  const [one, two] = [new EmbeddedHoldpoint(aRuntime('one'), noTasks), new EmbeddedHoldpoint(aRuntime('two'), noTasks)]
  const { id } = await one.start({ agent: 'tester', input: 'go' })
  const asleep = one.advance(id)
  await expect.poll(() => begun).toEqual(['one'])
  expect(await two.advance(id)).toMatchObject({ status: 'busy' })
  clock.advance(30_000)

  const doubt = await two.advance(id)
  expect(doubt).toMatchObject({ status: 'waiting', holds: [{ kind: 'in_doubt', call_id: 'tc_1' }] })
  const before = await store.journal((await one.run(id)).thread_id)
  release()
  await expect(asleep).rejects.toMatchObject({ code: 'lease_lost' } satisfies Partial<LeaseLostError>)
  expect(await store.journal((await one.run(id)).thread_id)).toEqual(before)

  const [hold] = await two.holds({ status: 'open' })
  await two.decide(hold?.id ?? '', { verdict: 'respond', value: 'it happened', ...by })
  expect(await two.advance(id)).toMatchObject({ status: 'done' })
  expect(begun).toEqual(['one'])
})

test('P3: a run whose time is over while its recovery waits for what still runs ends by that', async () => {
  const lasting = { idempotent: true, stop: [{ type: 'timeout', seconds: 5 }] } as const
  // No time passes for one that sleeps.
  const one = new EmbeddedHoldpoint({ ...aRuntime('one', lasting), clock: handClock() }, noTasks)
  const two = new EmbeddedHoldpoint(aRuntime('two', lasting), noTasks)
  const { id } = await one.start({ agent: 'tester', input: 'go' })
  const asleep = one.advance(id)
  await expect.poll(() => begun).toEqual(['one'])
  expect(await two.advance(id)).toMatchObject({ status: 'busy' })
  clock.advance(30_000)

  const recovered = two.advance(id)
  let isOver = false
  recovered.finally(() => {
    isOver = true
  })
  await expect
    .poll(() => {
      clock.advance(100)
      return isOver
    })
    .toBe(true)
  expect(await recovered).toMatchObject({ status: 'done', termination: { type: 'stopped', code: 'timeout' } })
  const ended = (await store.journal((await two.run(id)).thread_id)).filter(({ kind }) => kind === 'call.finished')
  expect(ended).toMatchObject([{ data: { status: 'cancelled', error: { code: 'OUTCOME_UNKNOWN' } } }])
  release()
  await expect(asleep).rejects.toMatchObject({ code: 'lease_lost' })
  expect(begun).toEqual(['one'])
})

async function aLease(ttl_ms: number): Promise<{ runtime: Runtime; lease: Lease }> {
  const runtime = aRuntime('one')
  const { id } = await new EmbeddedHoldpoint(runtime, noTasks).start({ agent: 'tester', input: 'go' })
  const claimed = await store.claim({ run_id: id, owner: 'one', ttl_ms })
  if (claimed?.outcome !== 'claimed') throw new TypeError('the run is busy')
  return { runtime, lease: claimed.lease }
}

test('P7: a lease is renewed for as long as it is kept, and no longer', async () => {
  const { runtime, lease } = await aLease(60)
  const until = async () => (await store.run(lease.run_id))?.lease?.until
  {
    using kept = keepLease(runtime, lease, 60, never)
    clock.advance(40)
    await expect.poll(until).toBe('2030-01-01T00:00:00.100Z')
    clock.advance(40)
    await expect.poll(until).toBe('2030-01-01T00:00:00.140Z')
    expect(kept.signal.aborted).toBe(false)
  }
  clock.advance(60)
  const over = await until()
  await new Promise(resolve => setTimeout(resolve, 60))
  expect(await until()).toBe(over)
})

test.each([45_000, 3_600_000, -3_600_000])(
  'P3, P7: a clock that is set by %i ms has no other process start an effect again',
  async ms => {
    const [one, two] = [
      new EmbeddedHoldpoint(aRuntime('one'), noTasks),
      new EmbeddedHoldpoint(aRuntime('two'), noTasks),
    ]
    const { id } = await one.start({ agent: 'tester', input: 'go' })
    const first = one.advance(id)
    await expect.poll(() => begun).toEqual(['one'])
    expect(await two.advance(id)).toMatchObject({ status: 'busy' })
    clock.step(ms)
    expect(await two.advance(id)).toMatchObject({ status: 'busy', owner: 'one' })
    release()
    expect(await first).toMatchObject({ status: 'done', answer: 'Done.' })
    expect(begun).toEqual(['one'])
  },
)

test('P7: an owner elsewhere that renews its lease keeps it, however long others look', async () => {
  const { lease } = await aLease(30_000)
  const two = new EmbeddedHoldpoint(aRuntime('two'), noTasks)
  for (let round = 0; round < 4; round += 1) {
    expect(await two.advance(lease.run_id)).toMatchObject({ status: 'busy', owner: 'one' })
    clock.advance(29_000)
    await store.renew(lease, 30_000)
  }
  expect(await two.advance(lease.run_id)).toMatchObject({ status: 'busy', owner: 'one' })
  clock.advance(29_999)
  expect(await two.advance(lease.run_id)).toMatchObject({ status: 'busy', owner: 'one' })
  clock.advance(1)
  const taken = two.advance(lease.run_id)
  await expect.poll(() => begun).toEqual(['two'])
  release()
  expect(await taken).toMatchObject({ status: 'done' })
})

test('P7: who keeps a lease is told at once that it was lost', async () => {
  const { runtime, lease } = await aLease(60)
  using kept = keepLease(runtime, lease, 60, never)
  await store.claim({ run_id: lease.run_id, owner: 'two', ttl_ms: 60, evict: 'one' })
  await expect.poll(() => kept.signal.aborted).toBe(true)
  expect(kept.signal.reason).toMatchObject({ code: 'lease_lost' })
})

test('who keeps a lease is told of the signal that they gave', async () => {
  const { runtime, lease } = await aLease(60_000)
  const controller = new AbortController()
  using kept = keepLease(runtime, lease, 60_000, controller.signal)
  controller.abort(new Error('enough'))
  expect(kept.signal.reason).toEqual(new Error('enough'))
})

test('P7: an owner who sleeps between its claim and the effect, and is overtaken meanwhile, starts nothing', async () => {
  const two = new EmbeddedHoldpoint(aRuntime('two'), noTasks)
  let isAsleep = false
  const append: Store['append'] = async (lease, after, commit) => {
    const appended = await store.append(lease, after, commit)
    if (!isAsleep && commit.events.some(({ kind }) => kind === 'call.started')) {
      isAsleep = true
      await two.advance(lease.run_id)
      clock.advance(30_000)
      await two.advance(lease.run_id)
    }
    return appended
  }
  const sleepy = new Proxy(store, {
    get: (target, name) => {
      const value: unknown = name === 'append' ? append : Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  const one = new EmbeddedHoldpoint({ ...aRuntime('one'), store: sleepy }, noTasks)
  const { id } = await one.start({ agent: 'tester', input: 'go' })
  await expect(one.advance(id)).rejects.toMatchObject({ code: 'lease_lost' })
  expect(isAsleep).toBe(true)
  expect(begun).toEqual([])
  expect(await two.run(id)).toMatchObject({ status: 'waiting', holds: [{ kind: 'in_doubt' }] })
})

/** The same store, whose writes throw `thrown` as long as the list of methods has them. */
function failingStore(failing: Set<string>, thrown: Error): Store {
  return new Proxy(store, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      return failing.has(String(name)) ? () => Promise.reject(thrown) : value.bind(target)
    },
  })
}

interface Befalls {
  /** What befalls the owner `one` while its tool runs. */
  readonly act?: (id: string) => Promise<unknown>
  /** The methods of its store that fail then. */
  readonly failing?: readonly string[]
  readonly isAlive?: boolean
}

/** What a hold in doubt says of it. */
async function whyInDoubt({ act, failing = [], isAlive = false }: Befalls): Promise<string> {
  const broken = new Set<string>()
  const one = new EmbeddedHoldpoint({ ...aRuntime('one'), store: failingStore(broken, lost) }, noTasks)
  const runtime = aRuntime('two')
  const liveness = { ...runtime.liveness, isAlive: (owner: string) => isAlive && owner === 'one' }
  const two = new EmbeddedHoldpoint({ ...runtime, liveness }, noTasks)
  const { id } = await one.start({ agent: 'tester', input: 'go' })
  const working = one.advance(id).catch(thrown => thrown)
  await expect.poll(() => begun).toEqual(['one'])
  for (const each of failing) broken.add(each)
  if (failing.length > 0) {
    release()
    expect(await working).toBe(lost)
  }
  await act?.(id)
  await two.advance(id)
  release()
  await working
  const [hold] = await two.holds({ status: 'open' })
  return hold?.message ?? ''
}

const lost = new StoreError('store_unavailable', 'the answer was lost', { written: 'unknown' })

async function reclaimed(id: string): Promise<void> {
  const lease = (await store.run(id))?.lease
  if (lease) await store.reclaim({ run_id: id, ...lease })
}

const freed = (id: string) =>
  new EmbeddedHoldpoint(aRuntime('three'), noTasks).release(id, { by: 'ana', surface: 'test' })

/** As its own watch does once the store is well again. */
async function givenBackLater(id: string): Promise<void> {
  const watch = new LeaseWatch({ ...aRuntime('one') })
  await expect(watch.owning(id, () => Promise.reject(lost))).rejects.toBe(lost)
  expect(await watch.free(id)).toBe(true)
}

test.each<readonly [string, Befalls, string]>([
  [
    'could not write, although it lives',
    { failing: ['append'], isAlive: true },
    'could not write down what came of it (the answer was lost)',
  ],
  [
    'could write nothing at all at the time',
    { failing: ['append', 'record', 'release', 'renew'], act: givenBackLater, isAlive: true },
    'could not write down what came of it (the answer was lost)',
  ],
  ['lost its lease', { act: reclaimed, isAlive: true }, 'its process lost its lease before it wrote down'],
  ['renews its lease no more', { act: reclaimed }, 'its process renewed its lease no more'],
  ['was freed of it by a person', { act: freed }, 'ana freed its run from its process'],
])('P11: a hold in doubt says that its owner %s', async (_, befalls, because) => {
  expect(await whyInDoubt(befalls)).toContain(because)
})
