import { expect, test } from 'vitest'
import { nextTurn } from '../../async/next-turn.ts'
import type { JournalEvent } from '../../core/journal/event.ts'
import { type AgentOptions, defineAgent } from '../../hosts/agents/define-agent.ts'
import { agentRegistry } from '../../hosts/compose/compose.ts'
import { systemIds } from '../../hosts/process/system-ids.ts'
import { scriptedModel } from '../../models/scripted-model.ts'
import type { Model } from '../../ports/agent/model.ts'
import type { Plugin } from '../../ports/agent/plugin.ts'
import type { Store } from '../../ports/store/store.ts'
import { openStore } from '../../stores/open-store.ts'
import { type HandClock, handClock } from '../../testing/kit/hand-clock.ts'
import { defineTool } from '../../tools/define/define-tool.ts'
import { validateJson } from '../../tools/define/json-schema.ts'
import type { Holdpoint } from '../face/holdpoint.ts'
import { EmbeddedHoldpoint } from '../holdpoint.ts'
import type { AdvanceResult } from '../views/face-options.ts'

const noTasks = () => Promise.reject(new Error('there are no tasks here'))

interface Place {
  readonly clock: HandClock
  readonly store: Store
  /** A process at this store; the owners of leases that it knows to be gone. */
  enter(self: string, changes?: { store?: Partial<Store>; gone?: string; told?: JournalEvent[] }): Holdpoint
}

async function aPlace(agent: Omit<AgentOptions, 'name'>): Promise<Place> {
  const clock = handClock()
  const store = await openStore('memory:', { clock, directory: '/' })
  return {
    clock,
    store,
    enter: (self, { store: changes = {}, gone, told = [] } = {}) =>
      new EmbeddedHoldpoint(
        {
          store: withChanges(store, changes),
          agents: agentRegistry({ agents: [defineAgent({ name: 'tester', ...agent })], directory: '/', env: {} }),
          clock,
          ids: systemIds,
          liveness: { self, isGone: owner => owner === gone, isAlive: () => false },
          tell: event => void ('ephemeral' in event || told.push(event)),
          checkSchema: validateJson,
        },
        noTasks,
      ),
  }
}

function withChanges(store: Store, changes: Partial<Store>): Store {
  return new Proxy(store, {
    get(target, key) {
      const value = changes[key as keyof Store] ?? target[key as keyof Store]
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

function callOf(name: string) {
  return { id: 'call', name, args: {} }
}

const SCHEMA = { type: 'object' } as const

/** A tool that is told from outside when to go on. */
function aGate() {
  const [began, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const pass = async () => {
    began.resolve()
    await goOn.promise
  }
  return { began: began.promise, goOn: goOn.resolve, pass }
}

function statusOf(result: AdvanceResult): string {
  return result.status
}

test('what a call asks after it was superseded is asked of nobody, and the journal stays whole', async () => {
  const gate = aGate()
  const asks = defineTool({
    name: 'asks',
    inputSchema: SCHEMA,
    async execute(_args, { suspend }) {
      await gate.pass()
      suspend({ message: 'Sure?' })
    },
  })
  const place = await aPlace({
    tools: [asks],
    policy: { default: 'auto' },
    model: scriptedModel([{ calls: [callOf('asks')] }, 'done']),
  })
  const holdpoint = place.enter('one')
  const { id, thread_id } = await holdpoint.start({ agent: 'tester', input: 'go' })
  const advancing = holdpoint.advance(id)
  await gate.began
  await holdpoint.send(thread_id, { text: 'rather this' }, { whileWaiting: 'supersede' })
  gate.goOn()
  expect(statusOf(await advancing)).toBe('done')
  expect(await holdpoint.holds({ status: 'open' })).toEqual([])
  const { messages } = await holdpoint.thread(thread_id)
  expect(messages.at(-3)).toMatchObject({ role: 'tool', content: MAY_HAVE_HAD_IT })
  expect(messages.at(-2)).toMatchObject({ role: 'user', content: 'rather this' })
})

test('a superseded step ends although the process died that ran a call of it, and the call does not run again', async () => {
  const gate = aGate()
  let runs = 0
  const again = defineTool({
    name: 'again',
    inputSchema: SCHEMA,
    idempotent: true,
    async execute() {
      runs += 1
      await gate.pass()
      return 'ok'
    },
  })
  const model = scriptedModel([{ calls: [callOf('again')] }, 'done'])
  const place = await aPlace({ tools: [again], policy: { default: 'auto' }, model })
  const dead = place.enter('dead')
  const { id, thread_id } = await dead.start({ agent: 'tester', input: 'go' })
  const never = dead.advance(id)
  await gate.began
  const next = place.enter('next', { gone: 'dead' })
  await next.send(thread_id, { text: 'rather this' }, { whileWaiting: 'supersede' })
  expect(statusOf(await next.advance(id))).toBe('done')
  expect(runs).toBe(1)
  expect((await next.thread(thread_id)).messages.at(-3)).toMatchObject({ role: 'tool', content: MAY_HAVE_HAD_IT })
  gate.goOn()
  await expect(never).rejects.toMatchObject({ code: 'lease_lost' })
})

const MAY_HAVE_HAD_IT = expect.stringContaining('it had started, so it may have had its effect')

/** What people say before a call starts, and what its result says then. */
const BEFORE_A_CALL = [
  { whileWaiting: 'supersede', result: 'TOOL_CALL_CANCELLED: a new message came before this call ran.' },
  { whileWaiting: 'interrupt', result: 'TOOL_CALL_CANCELLED: a new message interrupted it; it did not run.' },
] as const

test.for(BEFORE_A_CALL)(
  'P11: $whileWaiting while the model asks for a call, and it never runs',
  async ({ whileWaiting, result }) => {
    const effects: string[] = []
    const deploy = defineTool({ name: 'deploy', inputSchema: SCHEMA, execute: async () => effects.push('deployed') })
    const holder: { say: () => Promise<unknown> } = { say: async () => {} }
    const scripted = scriptedModel([{ calls: [callOf('deploy')] }, 'Heard.'])
    const model: Model = {
      id: 'listener',
      async answer(request) {
        const answer = await scripted.answer(request)
        if (whileWaiting === 'supersede' && answer.calls.length > 0) await holder.say()
        return answer
      },
    }
    const place = await aPlace({ model, tools: [deploy], policy: { default: 'auto' } })
    // An interruption that comes any earlier stops the model itself.
    const append: Store['append'] = async (lease, after, commit) => {
      const gates = commit.events.some(({ kind }) => kind === 'call.gated')
      if (whileWaiting === 'interrupt' && gates) await holder.say()
      return place.store.append(lease, after, commit)
    }
    const holdpoint = place.enter('one', { store: { append } })
    const run = await holdpoint.start({ agent: 'tester', input: 'go' })
    let isSaid = false
    holder.say = async () => {
      if (isSaid) return
      isSaid = true
      await holdpoint.send(run.thread_id, { text: 'no, wait!' }, { whileWaiting })
    }
    expect(statusOf(await holdpoint.advance(run.id))).toBe('done')
    expect(isSaid).toBe(true)
    expect(effects).toEqual([])
    const { messages } = await holdpoint.thread(run.thread_id)
    expect(messages.slice(2).map(({ content }) => content)).toEqual([result, 'no, wait!', 'Heard.'])
  },
)

test.for([
  ['supersede', 'a new message came before this call ran.'],
  ['interrupt', 'a new message interrupted it; it did not run.'],
  ['cancel', 'ana cancelled the run; it did not run.'],
] as const)(
  'P11: %s that is written just before the claim of a call keeps it from its effect',
  async ([way, words]) => {
    const effects: string[] = []
    const pay = defineTool({ name: 'pay', inputSchema: SCHEMA, execute: async () => effects.push('paid') })
    const place = await aPlace({
      model: scriptedModel([{ calls: [callOf('pay')] }, 'done']),
      tools: [pay],
      policy: { default: 'auto' },
    })
    const elsewhere = place.enter('elsewhere')
    const run = await elsewhere.start({ agent: 'tester', input: 'go' })
    let isSaid = false
    const append: Store['append'] = async (lease, after, commit) => {
      if (commit.events.some(({ kind }) => kind === 'call.started') && !isSaid) {
        isSaid = true
        if (way === 'cancel') await elsewhere.cancel(run.id, { by: 'ana' })
        else await elsewhere.send(run.thread_id, { text: 'never mind' }, { whileWaiting: way })
      }
      return place.store.append(lease, after, commit)
    }
    await place.enter('one', { store: { append } }).advance(run.id)
    expect(isSaid).toBe(true)
    expect(effects).toEqual([])
    const events = await place.store.journal(run.thread_id)
    const finished = events.flatMap(event => (event.kind === 'call.finished' ? [event.data] : []))
    expect(finished).toMatchObject([{ status: 'cancelled', error: { message: expect.stringContaining(words) } }])
  },
)

test('P9: a tool that changes while its claim is written runs only once it was approved anew', async () => {
  const effects: string[] = []
  const named = { name: 'pay', inputSchema: SCHEMA, execute: async () => effects.push('paid') }
  const pay = { ...defineTool({ ...named, version: '1' }) }
  const model = scriptedModel([{ calls: [callOf('pay')] }, 'done'])
  const place = await aPlace({ model, tools: [pay], policy: { default: 'prompt' } })
  const append: Store['append'] = (lease, after, commit) => {
    if (commit.events.some(({ kind }) => kind === 'call.started')) Object.assign(pay, { version: '2' })
    return place.store.append(lease, after, commit)
  }
  const holdpoint = place.enter('one', { store: { append } })
  const run = await holdpoint.start({ agent: 'tester', input: 'go' })
  await holdpoint.advance(run.id)
  const approveOpen = async () => {
    const [open] = await holdpoint.holds({ status: 'open' })
    return holdpoint.decide(open?.id ?? '', { verdict: 'approve', ...ANA })
  }
  await approveOpen()
  expect(statusOf(await holdpoint.advance(run.id))).toBe('waiting')
  expect(effects).toEqual([])
  await approveOpen()
  expect(statusOf(await holdpoint.advance(run.id))).toBe('done')
  expect(effects).toEqual(['paid'])
})

test('a message that comes during the last round allowed has rounds of its own', async () => {
  const gate = aGate()
  const model: Model = {
    id: 'gated',
    async answer() {
      await gate.pass()
      const usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0 }
      return { text: 'done', calls: [], usage, finish_reason: 'stop' }
    },
  }
  const place = await aPlace({ model, stop: [{ type: 'max_rounds', rounds: 1 }] })
  const holdpoint = place.enter('one')
  const { id, thread_id } = await holdpoint.start({ agent: 'tester', input: 'go' })
  const advancing = holdpoint.advance(id)
  await gate.began
  await holdpoint.send(thread_id, { text: 'and this' }, { whileWaiting: 'queue' })
  gate.goOn()
  expect(await advancing).toMatchObject({ steps: 2, termination: { type: 'natural_end' } })
})

test('an event that comes between an append and the reading behind it is told in its place', async () => {
  const place = await aPlace({ model: scriptedModel(['done', 'done', 'done']) })
  const told: JournalEvent[] = []
  const other = place.enter('other')
  const { id, thread_id } = await other.start({ agent: 'tester', input: 'go' })
  const say = () => other.send(thread_id, { text: 'and this' }, { whileWaiting: 'queue' })
  let appends = 0
  const append: Store['append'] = async (lease, after, commit) => {
    appends += 1
    if (appends === 1) await say()
    const appended = await place.store.append(lease, after, commit)
    if (appends === 1) await say()
    return appended
  }
  const holdpoint = place.enter('one', { store: { append }, told })
  await holdpoint.advance(id)
  const journal = await place.store.journal(thread_id)
  expect(told.map(({ seq }) => seq)).toEqual(journal.slice(3).map(({ seq }) => seq))
})

test('who is overtaken between an append and the reading behind it asks no model', async () => {
  const gate = aGate()
  const tool = defineTool({ name: 'gated', inputSchema: SCHEMA, execute: gate.pass })
  const scripted = scriptedModel([{ calls: [callOf('gated')] }, 'done', 'done'])
  const asked: number[] = []
  const model: Model = {
    id: 'counting',
    answer(request) {
      asked.push(request.messages.length)
      return scripted.answer(request)
    },
  }
  const place = await aPlace({ model, tools: [tool], policy: { default: 'auto' } })
  const other = place.enter('other', { gone: 'one' })
  const { id, thread_id } = await other.start({ agent: 'tester', input: 'go' })
  const say = () => other.send(thread_id, { text: 'and this' }, { whileWaiting: 'queue' })
  await say()
  let advancing: Promise<AdvanceResult> | null = null
  const append: Store['append'] = async (lease, after, commit) => {
    if (advancing) return place.store.append(lease, after, commit)
    await say()
    const appended = await place.store.append(lease, after, commit)
    advancing = other.advance(id)
    await gate.began
    return appended
  }
  await expect(place.enter('one', { store: { append } }).advance(id)).rejects.toMatchObject({ code: 'lease_lost' })
  expect(asked).toHaveLength(1)
  gate.goOn()
  await advancing
})

test('who advances a run that is woken while it looks, works on it', async () => {
  const place = await aPlace({ pauseOn: ['input'], model: scriptedModel(['What next?', 'done']) })
  const other = place.enter('other')
  const { id, thread_id } = await other.start({ agent: 'tester', input: 'go' })
  await other.advance(id)
  let looks = 0
  const run: Store['run'] = async runId => {
    const row = await place.store.run(runId)
    looks += 1
    if (looks === 1) await other.send(thread_id, { text: 'that' })
    return row
  }
  const result = await place.enter('one', { store: { run } }).advance(id, { pauseOn: [] })
  expect(result).toMatchObject({ status: 'done', steps: 2 })
})

test('a call of a batch that a plugin holds anew keeps the others from starting', async () => {
  const ran: string[] = []
  const tool = (name: string) => defineTool({ name, inputSchema: SCHEMA, execute: () => void ran.push(name) })
  let asked = 0
  const place = await aPlace({
    tools: [tool('first'), tool('second')],
    policy: { default: 'prompt' },
    holdScope: 'batch',
    maxConcurrentCalls: 2,
    model: scriptedModel([{ calls: [callOf('first'), { ...callOf('second'), id: 'other' }] }, 'done']),
    plugins: [
      {
        name: 'guard',
        hooks: {
          beforeToolExecute(_view, { name, status }) {
            if (name !== 'first' || status !== 'resuming') return undefined
            asked += 1
            return { suspend: { message: 'Really?' } }
          },
        },
      },
    ],
  })
  const holdpoint = place.enter('one')
  const { id } = await holdpoint.start({ agent: 'tester', input: 'go' })
  await holdpoint.advance(id)
  const approve = async () => {
    for (const hold of await holdpoint.holds({ status: 'open' }))
      await holdpoint.decide(hold.id, { verdict: 'approve', decided_by: 'ana', surface: 'test' })
  }
  await approve()
  expect(await holdpoint.advance(id)).toMatchObject({ status: 'waiting', holds: [{ message: 'Really?' }] })
  expect([asked, ran]).toEqual([1, []])
  await approve()
  expect(await holdpoint.advance(id)).toMatchObject({ status: 'done' })
  expect(ran).toEqual(['first', 'second'])
})

test('a hold that opens just behind a message that supersedes its call is withdrawn with it, and cannot be decided', async () => {
  const effects: string[] = []
  const pay = defineTool({ name: 'pay', inputSchema: SCHEMA, execute: async () => effects.push('paid') })
  // Has nothing against the call at first, and minds it once it was released.
  const guard: Plugin = {
    name: 'guard',
    initialState: 'fine',
    hooks: {
      beforeToolExecute: ({ state }) =>
        state === 'fine' ? { setState: 'worried' } : { suspend: { message: 'Once more?' } },
    },
  }
  const model = scriptedModel([{ calls: [callOf('pay')] }, { text: 'done' }])
  const place = await aPlace({ model, tools: [pay], plugins: [guard], policy: { default: 'prompt' } })
  const first = place.enter('one')
  const run = await first.start({ agent: 'tester', input: 'go' })
  await first.advance(run.id)
  const [asked] = await first.holds({ status: 'open' })
  await first.decide(asked?.id ?? '', { verdict: 'approve', ...ANA })

  // Just before the hold of the guard is written, somebody sends a message in place of what waits.
  let isSent = false
  const append: Store['append'] = async (lease, after, commit) => {
    const opens = [...(commit.opens ?? [])]
    if (opens.length > 0 && !isSent) {
      isSent = true
      await first.send(run.thread_id, { text: 'never mind' }, { whileWaiting: 'supersede' })
    }
    return place.store.append(lease, after, commit)
  }
  expect(statusOf(await place.enter('two', { store: { append } }).advance(run.id))).toBe('done')
  expect(isSent).toBe(true)
  expect(effects).toEqual([])
  const holds = await first.holds({ run_id: run.id })
  expect(holds.map(({ status }) => status)).toEqual(['decided', 'withdrawn'])
  const late = await first.decide(holds[1]?.id ?? '', { verdict: 'approve', ...ANA })
  expect(late).toMatchObject({ outcome: 'refused', error: { code: 'hold_withdrawn' } })
  expect((await first.run(run.id)).messages).toContainEqual({ role: 'user', content: 'never mind', author: null })
})

const ANA = { decided_by: 'ana', surface: 'test' } as const

/** A tool that is asked, and never says whether people must approve. */
function aSilentTool() {
  const asked = Promise.withResolvers<void>()
  const needsApproval = () => {
    asked.resolve()
    return new Promise<boolean>(() => {})
  }
  const tool = defineTool({ name: 'silent', inputSchema: SCHEMA, needsApproval, execute: () => 'ok' })
  return { tool, asked: asked.promise }
}

test('P1: a call whose needsApproval never answers is held, and the hold says that it could not be ruled', async () => {
  const { tool, asked } = aSilentTool()
  const place = await aPlace({ tools: [tool], model: scriptedModel([{ calls: [callOf('silent')] }, 'done']) })
  const holdpoint = place.enter('one')
  const { id, thread_id } = await holdpoint.start({ agent: 'tester', input: 'go' })
  const advancing = holdpoint.advance(id)
  await asked
  // It is asked for grants and by the policy, and is late each time.
  const over = advancing.then(() => true)
  while (!(await Promise.race([over, nextTurn().then(() => false)]))) place.clock.advance(10_000)
  expect(statusOf(await advancing)).toBe('waiting')
  const opened = (await holdpoint.journal(thread_id)).find(event => event.kind === 'hold.opened')
  expect(opened?.data).toMatchObject({ because: expect.stringContaining('it could not be ruled (needsApproval of') })
})

test('an advance that waits for needsApproval stops when it is told to, and holds nothing', async () => {
  const { tool, asked } = aSilentTool()
  const place = await aPlace({ tools: [tool], model: scriptedModel([{ calls: [callOf('silent')] }, 'done']) })
  const holdpoint = place.enter('one')
  const { id } = await holdpoint.start({ agent: 'tester', input: 'go' })
  const stop = new AbortController()
  const advancing = holdpoint.advance(id, { signal: stop.signal })
  await asked
  stop.abort()
  expect(statusOf(await advancing)).toBe('running')
  expect(await holdpoint.holds({ status: 'open' })).toEqual([])
})

test('a read of the journal that fails while a hook is awaited is no failure of its plugin', async () => {
  const [gate, failed] = [aGate(), Promise.withResolvers<void>()]
  let isFailing = false
  const plugin: Plugin = { name: 'slow', hooks: { beforeInference: () => gate.pass() } }
  const place = await aPlace({ plugins: [plugin], model: scriptedModel(['done', 'done']) })
  const { store } = place
  const journal: Store['journal'] = async (...query) => {
    if (!isFailing) return store.journal(...query)
    isFailing = false
    failed.resolve()
    throw new Error('the disk failed')
  }
  const holdpoint = place.enter('one', { store: { journal } })
  const { id, thread_id } = await holdpoint.start({ agent: 'tester', input: 'go' })
  const advancing = holdpoint.advance(id)
  await gate.began
  isFailing = true
  await place.enter('two').send(thread_id, { text: 'and this' }, { whileWaiting: 'queue' })
  await failed.promise
  gate.goOn()
  expect(statusOf(await advancing)).toBe('done')
  expect((await holdpoint.run(id)).termination).toMatchObject({ type: 'natural_end' })
})

test('a hook that never answers is a failure of its plugin', async () => {
  const asked = Promise.withResolvers<void>()
  const beforeInference = () => {
    asked.resolve()
    return new Promise<undefined>(() => {})
  }
  const plugin: Plugin = { name: 'silent', hooks: { beforeInference } }
  const place = await aPlace({ plugins: [plugin], model: scriptedModel(['done']) })
  const holdpoint = place.enter('one')
  const { id } = await holdpoint.start({ agent: 'tester', input: 'go' })
  const advancing = holdpoint.advance(id)
  await asked.promise
  place.clock.advance(10_000)
  await advancing
  expect((await holdpoint.run(id)).termination).toMatchObject({ type: 'error', code: 'plugin_failed' })
})
