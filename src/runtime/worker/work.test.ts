import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { RefusedError } from '../../core/errors.ts'
import { defineAgent } from '../../hosts/agents/define-agent.ts'
import { agentRegistry } from '../../hosts/compose/compose.ts'
import { systemIds } from '../../hosts/process/system-ids.ts'
import { scriptedModel } from '../../models/scripted-model.ts'
import type { Dispatched, Dispatcher, DispatchOptions } from '../../ports/dispatcher.ts'
import type { RunQueueQuery } from '../../ports/store/run-queue.ts'
import type { Store } from '../../ports/store/store.ts'
import { openStore } from '../../stores/open-store.ts'
import { type HandClock, handClock } from '../../testing/kit/hand-clock.ts'
import { defineTool } from '../../tools/define/define-tool.ts'
import { validateJson } from '../../tools/define/json-schema.ts'
import type { Holdpoint } from '../face/holdpoint.ts'
import { EmbeddedHoldpoint } from '../holdpoint.ts'
import type { Advance, WorkEvent, WorkOptions } from './work-options.ts'

const noTasks = () => Promise.reject(new Error('there are no tasks here'))

const START = '2030-01-01T00:00:00.000Z'
let clock: HandClock
let store: Store
/** How often each method of the store was called. */
let asked: Record<string, number>
let gone: string[]
/** Owners of leases that certainly live. */
let alive: string[]
/** Runs whose tool is under way, and how many of them were at once. */
let begun: string[]
let most: number
/** What lets the tools end; where it is not there they end by themselves. */
let gate: PromiseWithResolvers<void> | null

beforeEach(async () => {
  clock = handClock(START)
  asked = {}
  store = counting(await openStore('memory:', { clock, directory: '/' }))
  begun = []
  gone = []
  alive = []
  most = 0
  gate = null
})
afterEach(() => store[Symbol.asyncDispose]())

/** The same store; it is noted what was asked of it. */
function counting(real: Store): Store {
  return new Proxy(real, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      return (...args: unknown[]) => {
        asked[String(name)] = (asked[String(name)] ?? 0) + 1
        return Reflect.apply(value, target, args)
      }
    },
  })
}

/** A process of several on the store. Its agents have one tool, which needs approval where the agent is `held`. */
function aFace(self = 'one'): Holdpoint {
  let running = 0
  const effect = defineTool({
    name: 'effect',
    inputSchema: { type: 'object' },
    execute: async (_args, { abortSignal }) => {
      begun.push(self)
      running += 1
      most = Math.max(most, running)
      if (gate) await Promise.race([gate.promise, aborted(abortSignal)])
      running -= 1
      abortSignal.throwIfAborted()
      return 'done'
    },
  })
  const model = scriptedModel([{ calls: [{ id: 'tc_1', name: 'effect' }] }, 'Done.'])
  const due = { seconds: 3600, onDue: 'reject' as const }
  const [free, held] = (['auto', 'prompt'] as const).map(policy =>
    defineAgent({
      name: policy === 'auto' ? 'free' : 'held',
      model,
      tools: [effect],
      policy: { default: policy },
      due,
    }),
  )
  return new EmbeddedHoldpoint(
    {
      store,
      agents: agentRegistry({ agents: [free, held].filter(agent => agent !== undefined), directory: '/', env: {} }),
      clock,
      ids: systemIds,
      liveness: { self, isGone: owner => gone.includes(owner), isAlive: owner => alive.includes(owner) },
      tell: () => {},
      checkSchema: validateJson,
    },
    noTasks,
  )
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await new Promise(resolve => signal.addEventListener('abort', resolve, { once: true }))
}

interface Working {
  readonly told: WorkEvent[]
  readonly ended: Promise<void>
  readonly drain: AbortController
  readonly stop: AbortController
  /** The ids of runs to which this happened, in order. */
  runs(kind: 'run.taken' | 'run.advanced' | 'run.failed'): string[]
}

function working(holdpoint: Holdpoint, options: WorkOptions = {}): Working {
  const told: WorkEvent[] = []
  const [drain, stop] = [new AbortController(), new AbortController()]
  const onEvent = (event: WorkEvent) => told.push(event)
  const ended = holdpoint.work({ signal: drain.signal, stopSignal: stop.signal, onEvent, ...options })
  const runs: Working['runs'] = kind => told.flatMap(event => (event.kind === kind ? [event.run_id] : []))
  return { told, ended, drain, stop, runs }
}

/** Lets time pass in small steps, with everything that it wakes. */
async function pass(ms: number, step = 10): Promise<void> {
  for (let left = ms; left > 0; left -= step) {
    clock.advance(Math.min(step, left))
    await settled()
  }
  await settled()
}

/** Time goes on until then: work that loads what it needs would wait for ever for a clock that stands. */
async function passUntilOver({ ended }: Working): Promise<void> {
  let isOver = false
  void ended.finally(() => {
    isOver = true
  })
  while (!isOver) await pass(100)
}

async function settled(): Promise<void> {
  for (let turns = 0; turns < 5; turns += 1) await turn()
}

async function startedRuns(holdpoint: Holdpoint, count: number, agent = 'free'): Promise<string[]> {
  const ids: string[] = []
  for (let made = 0; made < count; made += 1) ids.push((await holdpoint.start({ agent, input: 'go' })).id)
  return ids
}

async function statusOf(id: string): Promise<string | undefined> {
  return (await store.run(id))?.status
}

async function approve(holdpoint: Holdpoint, run_id: string): Promise<void> {
  const [hold] = await holdpoint.holds({ run_id, status: 'open' })
  const approval = { verdict: 'approve', decided_by: 'ana', surface: 'test' } as const
  expect(await holdpoint.decide(hold?.id ?? '', approval)).toMatchObject({ outcome: 'recorded' })
}

test('with once, every run that can move is advanced, the oldest first, and then the work is over', async () => {
  const holdpoint = aFace()
  const ids = [...(await startedRuns(holdpoint, 3)), ...(await startedRuns(holdpoint, 2, 'held'))]
  const work = working(holdpoint, { once: true, concurrency: 1 })
  await passUntilOver(work)
  expect(work.runs('run.advanced')).toEqual(ids)
  expect(await Promise.all(ids.map(statusOf))).toEqual(['done', 'done', 'done', 'waiting', 'waiting'])
  expect(begun).toHaveLength(3)
  expect([work.told.at(0)?.kind, work.told.at(-1)?.kind]).toEqual(['worker.started', 'worker.stopped'])
})

test.each([1, 3])('at most %i runs are advanced at once, and as many as that', async concurrency => {
  const holdpoint = aFace()
  const ids = await startedRuns(holdpoint, 7)
  gate = Promise.withResolvers()
  const work = working(holdpoint, { once: true, concurrency })
  await pass(1_000)
  expect(begun).toHaveLength(concurrency)
  gate.resolve()
  // A slot that becomes free is filled at once, without a look.
  for (let turns = 0; turns < 20; turns += 1) await settled()
  expect(work.runs('run.advanced').toSorted()).toEqual(ids.toSorted())
  await passUntilOver(work)
  expect(most).toBe(concurrency)
})

test('W1: a run is taken up once, also while nothing shows yet that somebody works on it', async () => {
  const holdpoint = aFace()
  const [id = ''] = await startedRuns(holdpoint, 1)
  const checked = Promise.withResolvers<void>()
  const asked: string[] = []
  const advance: Advance = async (run, options) => {
    asked.push(run.id)
    await checked.promise
    return holdpoint.advance(run.id, options)
  }
  const work = working(holdpoint, { advance })
  await pass(100)
  const [second = ''] = await startedRuns(holdpoint, 1)
  await pass(100)
  checked.resolve()
  await pass(100)
  expect(asked).toEqual([id, second])
  work.drain.abort()
  await work.ended
})

test('with once, what becomes ready during the last look is advanced too', async () => {
  const real = store
  let late = ''
  store = new Proxy(real, {
    get: (target, name) => {
      if (name !== 'readyRuns') return Reflect.get(target, name)
      return async (query: RunQueueQuery) => {
        const rows = await target.readyRuns(query)
        if (late === '') late = (await other().start({ agent: 'free', input: 'go' })).id
        return rows
      }
    },
  })
  const work = working(aFace(), { once: true })
  await passUntilOver(work)
  expect(work.runs('run.advanced')).toEqual([late])
})

test('a run that another worker took up while it waited for its turn is left to it', async () => {
  const holdpoint = aFace()
  const [id = '', second = ''] = await startedRuns(holdpoint, 2)
  gate = Promise.withResolvers()
  const asked: string[] = []
  const advance: Advance = (run, options) => {
    asked.push(run.id)
    return holdpoint.advance(run.id, options)
  }
  const work = working(holdpoint, { concurrency: 1, advance })
  await pass(100)
  await store.claim({ run_id: second, owner: 'another', ttl_ms: 10_000 })
  gate.resolve()
  await pass(1_000)
  expect(asked).toEqual([id])
  work.drain.abort()
  await work.ended
})

test('of a run that somebody else brought to rest meanwhile nothing is told', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'holdpoint-work-'))
  const url = `sqlite:${join(directory, 'holdpoint.db')}`
  await using elsewhere = await openStore(url, { clock, directory: '/' })
  await using here = await openStore(url, { clock, directory: '/' })
  store = elsewhere
  const another = other()
  const [id = ''] = await startedRuns(another, 1)
  store = here
  const holdpoint = aFace()
  const advance: Advance = async (run, options) => {
    await another.advance(run.id)
    return holdpoint.advance(run.id, options)
  }
  const work = working(holdpoint, { once: true, advance })
  await passUntilOver(work)
  expect(await statusOf(id)).toBe('done')
  expect(work.told.map(({ kind }) => kind)).toEqual(['worker.started', 'worker.stopped'])
  await rm(directory, { recursive: true })
})

test('a decision wakes it, and so does a run that is started', async () => {
  const holdpoint = aFace()
  const work = working(holdpoint)
  await pass(100)
  const [id = ''] = await startedRuns(holdpoint, 1, 'held')
  await pass(50)
  expect(await statusOf(id)).toBe('waiting')
  await approve(holdpoint, id)
  await pass(50)
  expect(await statusOf(id)).toBe('done')
  work.drain.abort()
  await work.ended
})

test('P6: while nothing happens it asks next to nothing, however many runs wait', async () => {
  const holdpoint = aFace()
  for (const id of await startedRuns(holdpoint, 20, 'held')) await holdpoint.advance(id)
  const work = working(holdpoint)
  await pass(1_000)
  asked = {}
  await pass(60_000, 100)
  expect(asked).toEqual({ nextDue: 2, now: 2, leasedRuns: 2, readyRuns: 2 })
  work.drain.abort()
  await work.ended
})

test('a look reads no more ready runs than there are free slots', async () => {
  const holdpoint = aFace()
  await startedRuns(holdpoint, 30)
  const real = store
  let read = 0
  store = new Proxy(real, {
    get: (target, name) => {
      if (name !== 'readyRuns') return Reflect.get(target, name)
      return async (query: RunQueueQuery) => {
        const rows = await target.readyRuns(query)
        read += rows.length
        return rows
      }
    },
  })
  gate = Promise.withResolvers()
  const work = working(aFace(), { concurrency: 3 })
  await pass(1_000)
  expect([begun.length, read]).toEqual([3, 3])
  gate.resolve()
  work.drain.abort()
  await work.ended
})

test('a burst of changes costs one look', async () => {
  const holdpoint = aFace()
  const { id, thread_id } = await holdpoint.start({ agent: 'held', input: 'go' })
  await holdpoint.advance(id)
  const work = working(holdpoint)
  await pass(1_000)
  asked = {}
  for (let count = 0; count < 100; count += 1)
    await holdpoint.send(thread_id, { text: 'more' }, { whileWaiting: 'queue' })
  await settled()
  expect(asked['nextDue']).toBe(1)
  await pass(4, 1)
  expect(asked['nextDue']).toBe(1)
  await pass(1_000)
  expect(asked['nextDue']).toBeLessThan(5)
  work.drain.abort()
  await work.ended
})

function other(): Holdpoint {
  return aFace('another')
}

test('what is due is fired when it is, not before, and its run goes on', async () => {
  const holdpoint = aFace()
  const [id = ''] = await startedRuns(holdpoint, 1, 'held')
  await holdpoint.advance(id)
  const work = working(holdpoint)
  await pass(3_599_000, 1_000)
  expect(work.told.map(({ kind }) => kind)).toEqual(['worker.started'])
  await pass(1_100)
  expect(work.told.map(({ kind }) => kind)).toEqual(['worker.started', 'hold.expired', 'run.taken', 'run.advanced'])
  expect(await statusOf(id)).toBe('done')
  expect(begun).toEqual([])
  work.drain.abort()
  await work.ended
})

test('what is due is fired also while all slots are taken', async () => {
  const holdpoint = aFace()
  const [waiting = ''] = await startedRuns(holdpoint, 1, 'held')
  await holdpoint.advance(waiting)
  gate = Promise.withResolvers()
  await startedRuns(holdpoint, 1)
  const work = working(holdpoint, { concurrency: 1 })
  await pass(1_000)
  const { readyRuns } = asked
  await pass(3_600_000, 1_000)
  expect(asked['readyRuns']).toBe(readyRuns)
  expect(work.told.map(({ kind }) => kind)).toEqual(['worker.started', 'run.taken', 'hold.expired'])
  gate.resolve()
  await pass(1_000)
  expect(await statusOf(waiting)).toBe('done')
  work.drain.abort()
  await work.ended
})

const broken: Advance = async () => {
  throw new RefusedError('invalid_agent', 'the agent file is gone.')
}

test('a run that cannot be advanced is told of once, tried ever more rarely, and holds up no other', async () => {
  const holdpoint = aFace()
  const [bad = '', ...good] = await startedRuns(holdpoint, 4)
  const tries: number[] = []
  const advance: Advance = async ({ id, ...run }, options) => {
    if (id !== bad) return holdpoint.advance(id, options)
    tries.push(Math.round((clock.now() - Date.parse(START)) / 1_000))
    return broken({ id, ...run }, options)
  }
  const work = working(holdpoint, { concurrency: 1, advance })
  await pass(70_000, 100)
  expect(await Promise.all(good.map(statusOf))).toEqual(['done', 'done', 'done'])
  expect(tries).toEqual([0, 1, 3, 7, 15, 31, 63])
  expect(work.runs('run.failed')).toEqual([bad])
  await pass(3_600_000, 1_000)
  const last = tries.slice(-3)
  expect(last.slice(1).map((at, index) => at - (last[index] ?? 0))).toEqual([300, 300])
  work.drain.abort()
  await work.ended
})

test('a run that could not be advanced is tried at once when its journal grows, and fails anew for another reason', async () => {
  const holdpoint = aFace()
  const { id, thread_id } = await holdpoint.start({ agent: 'free', input: 'go' })
  let advance = broken
  const work = working(holdpoint, { advance: (...args) => advance(...args) })
  await pass(20_000, 100)
  advance = async () => {
    throw new RefusedError('no_model', 'the key is missing.')
  }
  await holdpoint.send(thread_id, { text: 'now?' })
  await pass(100)
  expect(work.told.flatMap(event => (event.kind === 'run.failed' ? [String(event.error)] : []))).toEqual([
    expect.stringContaining('the agent file is gone'),
    expect.stringContaining('the key is missing'),
  ])
  advance = ({ id }, options) => holdpoint.advance(id, options)
  await holdpoint.send(thread_id, { text: 'and now?' })
  await pass(100)
  expect(await statusOf(id)).toBe('done')
  work.drain.abort()
  await work.ended
})

test('a run that went on and fails later is told of again', async () => {
  const holdpoint = aFace()
  const [id = ''] = await startedRuns(holdpoint, 1, 'held')
  let fails = true
  const advance: Advance = (run, options) => (fails ? broken(run, options) : holdpoint.advance(run.id, options))
  const work = working(holdpoint, { advance })
  await pass(100)
  fails = false
  await pass(2_000)
  fails = true
  await approve(holdpoint, id)
  await pass(100)
  expect(work.runs('run.failed')).toEqual([id, id])
  work.drain.abort()
  await work.ended
})

test('with once, what cannot be advanced is tried once', async () => {
  const holdpoint = aFace()
  const ids = await startedRuns(holdpoint, 2)
  const work = working(holdpoint, { once: true, advance: broken })
  await passUntilOver(work)
  expect(work.runs('run.failed')).toEqual(ids)
  expect(work.told).toContainEqual(expect.objectContaining({ kind: 'run.failed', retry_at: null }))
})

test('P7: a run that another process advances is left to it until its owner is gone, or renews its lease no more', async () => {
  const holdpoint = aFace()
  const [id = '', second = ''] = await startedRuns(holdpoint, 2)
  await store.claim({ run_id: id, owner: 'silent', ttl_ms: 10_000 })
  await store.claim({ run_id: second, owner: 'killed', ttl_ms: 10_000 })
  const once = working(holdpoint, { once: true })
  await passUntilOver(once)
  expect(once.runs('run.taken')).toEqual([])

  const work = working(holdpoint)
  await pass(4_000)
  expect(work.runs('run.taken')).toEqual([])
  gone.push('killed')
  await pass(3_000)
  expect(work.runs('run.advanced')).toEqual([second])
  await pass(20_000, 100)
  expect(work.runs('run.advanced')).toEqual([second])
  await pass(6_000, 100)
  expect(work.runs('run.advanced')).toEqual([second, id])
  work.drain.abort()
  await work.ended
})

test.each([45_000, -45_000, 3_600_000, -3_600_000])(
  'P7: a clock that is set by %i ms takes no lease from its owner',
  async ms => {
    const holdpoint = aFace()
    const [here = '', elsewhere = ''] = await startedRuns(holdpoint, 2)
    alive.push('here')
    await store.claim({ run_id: here, owner: 'here', ttl_ms: 30_000 })
    const lease = await store.claim({ run_id: elsewhere, owner: 'elsewhere', ttl_ms: 30_000 })
    if (lease?.outcome !== 'claimed') throw new TypeError('the run is busy')
    const work = working(holdpoint)
    await pass(4_000, 100)
    clock.step(ms)
    // The owner elsewhere renews its lease; that of a process that lives here stays if nobody renews it.
    for (let round = 0; round < 8; round += 1) {
      await store.renew(lease.lease, 30_000)
      await pass(10_000, 100)
    }
    expect(work.runs('run.taken')).toEqual([])
    work.drain.abort()
    await work.ended
  },
)

test('P7: an owner takes back the lease that it could not give back itself', async () => {
  const holdpoint = aFace()
  const [id = ''] = await startedRuns(holdpoint, 1)
  alive.push('one')
  await store.claim({ run_id: id, owner: 'one', ttl_ms: 30_000 })
  const work = working(holdpoint)
  await pass(4_000)
  expect(work.runs('run.advanced')).toEqual([id])
  work.drain.abort()
  await work.ended
})

test('one that drains begins nothing more, and what is under way may come to rest', async () => {
  const holdpoint = aFace()
  const [id = '', next = ''] = await startedRuns(holdpoint, 2)
  gate = Promise.withResolvers()
  const work = working(holdpoint, { concurrency: 1 })
  await pass(100)
  work.drain.abort()
  await pass(19_000, 100)
  gate.resolve()
  await work.ended
  expect([await statusOf(id), await statusOf(next)]).toEqual(['done', 'running'])
  expect(begun).toHaveLength(1)
})

test('when the grace is over, what is under way is stopped, and whoever goes on asks what came of it', async () => {
  const holdpoint = aFace()
  const [id = ''] = await startedRuns(holdpoint, 1)
  gate = Promise.withResolvers()
  const work = working(holdpoint, { graceMs: 5_000 })
  await pass(100)
  work.drain.abort()
  await pass(4_900)
  expect(work.runs('run.advanced')).toEqual([])
  await pass(200)
  await work.ended
  expect(work.told).toContainEqual(expect.objectContaining({ kind: 'run.advanced', run_id: id }))
  expect(await store.run(id)).toMatchObject({ status: 'running', lease: null })
  gate.resolve()
  const because = 'its process was told to stop while it ran'
  expect(await other().advance(id)).toMatchObject({
    status: 'waiting',
    holds: [{ kind: 'in_doubt', call_id: 'tc_1', message: expect.stringContaining(because) }],
  })
})

test('a stop ends the grace', async () => {
  const holdpoint = aFace()
  const [id = ''] = await startedRuns(holdpoint, 1)
  gate = Promise.withResolvers()
  const work = working(holdpoint)
  await pass(100)
  work.drain.abort()
  await pass(100)
  work.stop.abort()
  await work.ended
  expect(await store.run(id)).toMatchObject({ status: 'running', lease: null })
})

test('a face that is closed takes its worker with it', async () => {
  const holdpoint = aFace()
  await startedRuns(holdpoint, 1)
  gate = Promise.withResolvers()
  const work = working(holdpoint)
  await pass(100)
  await holdpoint[Symbol.asyncDispose]()
  await work.ended
  expect(work.told.at(-1)).toMatchObject({ kind: 'worker.stopped' })
})

test('a listener that throws ends the work, harms no run, and is heard of', async () => {
  const holdpoint = aFace()
  const [id = ''] = await startedRuns(holdpoint, 1)
  const onEvent = ({ kind }: WorkEvent) => {
    if (kind === 'run.advanced') throw new TypeError('no such printer')
  }
  const work = working(holdpoint, { onEvent })
  const failed = expect(work.ended).rejects.toThrow('no such printer')
  await pass(1_000)
  await failed
  expect(await statusOf(id)).toBe('done')
})

/** An engine whose hand-overs the test makes. */
class HandEngine implements Dispatcher {
  to: Dispatched | null = null

  async dispatch(to: Dispatched, { signal }: DispatchOptions): Promise<void> {
    this.to = to
    await aborted(signal)
  }

  /** Resolves to how the job ended. */
  async job(runId: string): Promise<'done' | 'back'> {
    return (this.to?.onRun(runId) ?? Promise.reject(new Error('nobody works'))).then(
      () => 'done',
      () => 'back',
    )
  }
}

test('with an engine, a run is taken up as soon as it is handed over, and its job lasts as long as the worker has it', async () => {
  const holdpoint = aFace()
  const engine = new HandEngine()
  const work = working(holdpoint, { dispatcher: engine })
  await pass(100)
  const [id = ''] = await startedRuns(holdpoint, 1)
  await pass(1_000)
  expect(begun).toEqual([])
  gate = Promise.withResolvers()
  let ended: string | null = null
  void engine.job(id).then(how => {
    ended = how
  })
  await pass(100)
  expect([begun.length, ended]).toEqual([1, null])
  gate.resolve()
  await pass(100)
  expect([work.runs('run.advanced'), ended]).toEqual([[id], 'done'])
  // A job of a run that is done is done.
  expect(await Promise.all([engine.job(id), pass(100)])).toEqual(['done', undefined])
  work.drain.abort()
  await work.ended
})

test('D1: a run that no engine hands over is taken up within 2 s', async () => {
  const holdpoint = aFace()
  const work = working(holdpoint, { dispatcher: new HandEngine() })
  await pass(100)
  const [id = ''] = await startedRuns(holdpoint, 1)
  await pass(2_100)
  expect(await statusOf(id)).toBe('done')
  work.drain.abort()
  await work.ended
})

test('D2: a run that is decided while the worker still has it goes on when the worker lets go', async () => {
  const holdpoint = aFace()
  const engine = new HandEngine()
  const rested = Promise.withResolvers<void>()
  let count = 0
  const advance: Advance = async (run, options) => {
    const result = await holdpoint.advance(run.id, options)
    count += 1
    if (count === 1) await rested.promise
    return result
  }
  const work = working(holdpoint, { dispatcher: engine, advance })
  await pass(100)
  const [id = ''] = await startedRuns(holdpoint, 1, 'held')
  void engine.job(id)
  await pass(100)
  await approve(holdpoint, id)
  const second = engine.job(id)
  await pass(100)
  expect(count).toBe(1)
  rested.resolve()
  await pass(100)
  expect([await second, await statusOf(id)]).toEqual(['done', 'done'])
  work.drain.abort()
  await work.ended
})

test('W4: a worker that drains hands back what it did not take up', async () => {
  const holdpoint = aFace()
  const engine = new HandEngine()
  const work = working(holdpoint, { dispatcher: engine, concurrency: 1 })
  await pass(100)
  gate = Promise.withResolvers()
  const [one = '', two = ''] = await startedRuns(holdpoint, 2)
  const jobs = [engine.job(one), engine.job(two)]
  await pass(100)
  work.drain.abort()
  await pass(100)
  gate.resolve()
  await pass(100)
  await work.ended
  expect([await Promise.all(jobs), await engine.job(two), await statusOf(two)]).toEqual([
    ['done', 'back'],
    'back',
    'running',
  ])
})
