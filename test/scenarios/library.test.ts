import { getEventListeners, once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import {
  type AgentOptions,
  defineAgent,
  defineTool,
  type Holdpoint,
  type Json,
  openHoldpoint,
  type RunView,
  type Tool,
  type ToolContext,
} from '../../src/index.ts'
import type { Script } from '../../src/models/script.ts'
import { scriptedModel } from '../../src/models/scripted-model.ts'
import { handClock } from '../../src/testing/kit/hand-clock.ts'

/** A house in memory with one agent, whose tools leave their names in `effects`. */
async function aHouse(script: Script, options: Partial<AgentOptions> = {}) {
  const effects: Json[] = []
  const tool = (name: string, more: Partial<Parameters<typeof defineTool>[0]> = {}): Tool =>
    defineTool({
      name,
      inputSchema: { type: 'object' },
      needsApproval: true,
      execute: async (args: Record<string, Json>) => {
        effects.push(Object.keys(args).length > 0 ? { [name]: args } : name)
        return `${name} done`
      },
      ...more,
    })
  const agent = (tools: readonly Tool[]) =>
    defineAgent({ name: 'worker', model: scriptedModel(script), tools, ...options })
  const open = (tools: readonly Tool[]) => openHoldpoint({ store: 'memory:', agents: [agent(tools)] })
  return { effects, tool, open }
}

async function started(holdpoint: Holdpoint): Promise<string> {
  return (await holdpoint.start({ agent: 'worker', input: 'go' })).id
}

async function onlyHold(holdpoint: Holdpoint) {
  const [hold, ...others] = await holdpoint.holds({ status: 'open' })
  expect(others).toEqual([])
  if (!hold) throw new Error('nothing is held')
  return hold
}

const ana = { decided_by: 'ana', surface: 'test' } as const
const call = (id: string, name: string, args: Record<string, Json> = {}) => ({ id, name, args })

test('P1: two agents of one name are refused, so that none of them runs in the place of the other', async () => {
  const held = defineAgent({ name: 'worker', policy: { default: 'prompt' } })
  const free = defineAgent({ name: 'worker', policy: { default: 'auto' } })
  await expect(openHoldpoint({ store: 'memory:', agents: [held, free] })).rejects.toMatchObject({
    code: 'invalid_options',
    message: expect.stringContaining('"worker"'),
  })
})

test('P4: a decision that comes while other calls of the batch run is acted on', async () => {
  const { effects, tool, open } = await aHouse([{ calls: [call('a', 'held'), call('b', 'slow')] }, 'Done.'])
  const [running, decided] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const slow = tool('slow', {
    needsApproval: false,
    execute: async () => {
      running.resolve()
      await decided.promise
    },
  })
  await using holdpoint = await open([tool('held'), slow])
  const run = await started(holdpoint)
  const advancing = holdpoint.advance(run)
  await running.promise
  await holdpoint.decide((await onlyHold(holdpoint)).id, { verdict: 'approve', ...ana })
  decided.resolve()
  expect(await advancing).toMatchObject({ status: 'done' })
  expect(effects).toEqual(['held'])
})

test('P7: to advance a finished run touches nothing of the run that came after it', async () => {
  const { effects, tool, open } = await aHouse([{ text: 'First.' }, { calls: [call('a', 'slow')] }, 'Done.'])
  const [running, finish] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const slow = tool('slow', {
    needsApproval: false,
    idempotent: true,
    execute: async () => {
      effects.push('slow')
      running.resolve()
      await finish.promise
    },
  })
  await using holdpoint = await open([slow])
  const first = await started(holdpoint)
  const view = await holdpoint.advance(first)
  if (!('profile' in view)) throw new Error('the first run did not end')
  const { seq } = await holdpoint.thread(view.thread_id)
  const second = await holdpoint.start({
    profile: view.profile,
    input: 'more',
    author: null,
    thread: { id: view.thread_id, seq },
  })
  const advancing = holdpoint.advance(second.id)
  await running.promise
  expect(await holdpoint.advance(first)).toMatchObject({ id: first, status: 'done' })
  finish.resolve()
  expect(await advancing).toMatchObject({ id: second.id, status: 'done' })
  expect(effects).toEqual(['slow'])
})

test('a thread with a run that is not finished starts no other one', async () => {
  const { tool, open } = await aHouse([{ calls: [call('a', 'held')] }, 'Done.'])
  await using holdpoint = await open([tool('held')])
  const view = await holdpoint.advance(await started(holdpoint))
  if (!('profile' in view)) throw new Error('the run does not wait')
  const { seq } = await holdpoint.thread(view.thread_id)
  const another = { profile: view.profile, input: 'more', author: null, thread: { id: view.thread_id, seq } }
  await expect(holdpoint.start(another)).rejects.toMatchObject({ code: 'run_not_finished' })
})

const edited = { verdict: 'edit', arguments: { n: 2 }, ...ana } as const

test.for([
  ['approval', { verdict: 'approve', ...ana }, [{ pay: { n: 1 } }]],
  ['edit', edited, [{ pay: { n: 2 } }]],
] as const)('P9: an %s releases the tool that was shown, not one that took its name', async ([, said, expected]) => {
  const { effects, tool } = await aHouse([])
  const script: Script = [{ calls: [call('a', 'pay', { n: 1 })] }, 'Done.']
  const schema = { type: 'object', properties: { n: { type: 'number' } } }
  const tools = [tool('pay', { inputSchema: schema })]
  await using holdpoint = await openHoldpoint({
    store: 'memory:',
    agents: [defineAgent({ name: 'worker', model: scriptedModel(script), tools })],
  })
  const run = await started(holdpoint)
  await holdpoint.advance(run)
  await holdpoint.decide((await onlyHold(holdpoint)).id, said)
  // The agent is defined anew, as by a deploy between the decision and the run.
  Object.assign(tools[0] as object, { inputSchema: { ...schema, title: 'changed' } })
  expect(await holdpoint.advance(run)).toMatchObject({ status: 'waiting' })
  expect(effects).toEqual([])
  await holdpoint.decide((await onlyHold(holdpoint)).id, { verdict: 'approve', ...ana })
  expect(await holdpoint.advance(run)).toMatchObject({ status: 'done' })
  expect(effects).toEqual(expected)
})

test.for([
  ['arguments with an approval', { verdict: 'approve', arguments: { n: 666 }, ...ana }],
  ['a value with a rejection', { verdict: 'reject', value: 'x', ...ana }],
  ['a verdict that is none', { verdict: 'aprove', ...ana }],
  ['a verdict by a name that every object has', { verdict: 'constructor', ...ana }],
  ['nobody who decided', { verdict: 'approve', decided_by: '', surface: 'test' }],
  ['arguments that are nested without end', { verdict: 'edit', arguments: nested(5_000), ...ana }],
] as const)('P1: a decision with %s is refused and changes nothing', async ([, said]) => {
  const { effects, tool, open } = await aHouse([{ calls: [call('a', 'pay')] }, 'Done.'])
  await using holdpoint = await open([tool('pay')])
  const run = await started(holdpoint)
  await holdpoint.advance(run)
  const { id } = await onlyHold(holdpoint)
  expect(await holdpoint.decide(id, said as never)).toMatchObject({ outcome: 'refused' })
  expect(await holdpoint.advance(run)).toMatchObject({ status: 'waiting' })
  expect(await holdpoint.hold(id)).toMatchObject({ status: 'open', decision: null })
  expect(effects).toEqual([])
})

test('P2: the same decision twice is one decision, also together with an advance', async () => {
  const { effects, tool, open } = await aHouse([{ calls: [call('a', 'pay')] }, 'Done.'])
  await using holdpoint = await open([tool('pay')])
  const run = await started(holdpoint)
  await holdpoint.advance(run)
  const { id } = await onlyHold(holdpoint)
  const said = { hold_id: id, verdict: 'approve', decision_id: 'click-1', ...ana } as const
  expect((await holdpoint.decide(id, said)).outcome).toBe('recorded')
  expect((await holdpoint.decide(id, said)).outcome).toBe('duplicate')
  expect(await holdpoint.advance(run, { decisions: [said] })).toMatchObject({ status: 'done' })
  expect(await holdpoint.decide(id, { verdict: 'reject', ...ana })).toMatchObject({
    outcome: 'already_decided',
    winner: { decision_id: 'click-1' },
  })
  expect(effects).toEqual(['pay'])
})

test('arguments that a model nests without end are invalid ones, and the run goes on', async () => {
  const { effects, tool, open } = await aHouse([
    { calls: [{ id: 'a', name: 'pay', raw_args: `${'{"in":'.repeat(5_000)}{}${'}'.repeat(5_000)}` }] },
    'Done.',
  ])
  await using holdpoint = await open([tool('pay', { needsApproval: false })])
  const view = await holdpoint.advance(await started(holdpoint))
  expect(view).toMatchObject({ status: 'done', answer: 'Done.' })
  expect(effects).toEqual([])
})

/** A call is inspected twice when it is gated, for grants and by policy, and once more directly before it would run. */
const LAST_LOOK = 3

test('a tool that ignores the abort does not start after it', async () => {
  const { effects, tool, open } = await aHouse([{ calls: [call('a', 'pay')] }, 'Done.'])
  const stop = new AbortController()
  const pay = { ...tool('pay', { needsApproval: false }) }
  let looks = 0
  pay.inspect = async () => {
    looks += 1
    if (looks === LAST_LOOK) stop.abort(new Error('enough'))
    return { readings: {}, unclear: null, protected: null }
  }
  await using holdpoint = await open([pay])
  const run = await started(holdpoint)
  expect(await holdpoint.advance(run, { signal: stop.signal })).toMatchObject({ status: 'running' })
  expect(effects).toEqual([])
  expect(await holdpoint.advance(run)).toMatchObject({ status: 'done' })
  expect(effects).toEqual(['pay'])
})

test('a change that cannot be run with is not kept', async () => {
  const { tool, open } = await aHouse([{ calls: [call('a', 'pay')] }, 'Done.'])
  await using holdpoint = await open([tool('pay')])
  const run = await started(holdpoint)
  await holdpoint.advance(run)
  await holdpoint.decide((await onlyHold(holdpoint)).id, { verdict: 'approve', ...ana })
  await expect(holdpoint.advance(run, { changes: { tools: ['no_such_tool'] }, by: 'ana' })).rejects.toMatchObject({
    code: 'unknown_tool',
  })
  expect(await holdpoint.advance(run)).toMatchObject({ status: 'done' })
})

test('a decision that comes with a change that cannot be run with is not recorded', async () => {
  const { tool, open } = await aHouse([{ calls: [call('a', 'pay')] }, 'Done.'])
  await using holdpoint = await open([tool('pay')])
  const run = await started(holdpoint)
  await holdpoint.advance(run)
  const { id } = await onlyHold(holdpoint)
  const decisions = [{ hold_id: id, verdict: 'approve', ...ana }] as const
  await expect(
    holdpoint.advance(run, { decisions, changes: { tools: ['no_such_tool'] }, by: 'ana' }),
  ).rejects.toMatchObject({
    code: 'unknown_tool',
  })
  expect(await holdpoint.hold(id)).toMatchObject({ status: 'open', decision: null })
})

test('P2: the same decision again, with a change, leaves a run that is done as it is', async () => {
  const { tool, open } = await aHouse([{ calls: [call('a', 'pay')] }, 'Done.'])
  await using holdpoint = await open([tool('pay')])
  const run = await started(holdpoint)
  await holdpoint.advance(run)
  const decisions = [
    { hold_id: (await onlyHold(holdpoint)).id, verdict: 'approve', decision_id: 'one', ...ana },
  ] as const
  const done = await holdpoint.advance(run, { decisions, changes: { stop: [] }, by: 'ana' })
  expect(done).toMatchObject({ status: 'done' })
  expect(await holdpoint.advance(run, { decisions, changes: { stop: [] }, by: 'ana' })).toEqual(done)
})

test('P1: a stricter policy also binds calls that were let pass before it', async () => {
  const { effects, tool, open } = await aHouse([{ calls: [call('a', 'held'), call('b', 'free')] }, 'Done.'], {
    holdScope: 'batch',
  })
  await using holdpoint = await open([tool('held'), tool('free', { needsApproval: false })])
  const run = await started(holdpoint)
  await holdpoint.advance(run)
  const policy = { default: 'prompt', tools: { free: 'never' }, rules: [], on_never: 'reject' } as const
  const decisions = [{ hold_id: (await onlyHold(holdpoint)).id, verdict: 'approve', ...ana }] as const
  expect(await holdpoint.advance(run, { decisions, changes: { policy }, by: 'ana' })).toMatchObject({ status: 'done' })
  expect(effects).toEqual(['held'])
})

test('an answer has to fit the schema of its question', async () => {
  const schema = { type: 'object', properties: { region: { type: 'string' } }, required: ['region'] }
  const { open } = await aHouse([{ calls: [call('q', 'ask_human', { question: 'Where?', schema })] }, 'Done.'], {
    tools: ['ask_human'],
  })
  await using holdpoint = await open([])
  const run = await started(holdpoint)
  await holdpoint.advance(run)
  const { id } = await onlyHold(holdpoint)
  expect(await holdpoint.decide(id, { verdict: 'respond', value: 'banana', ...ana })).toMatchObject({
    outcome: 'refused',
    error: { code: 'invalid_answer' },
  })
  expect(await holdpoint.decide(id, { verdict: 'respond', value: { region: 'eu' }, ...ana })).toMatchObject({
    outcome: 'recorded',
  })
  expect(await holdpoint.advance(run)).toMatchObject({ status: 'done' })
})

test('P6: to look at a waiting run takes no lease, so it keeps nobody from deciding', async () => {
  const { tool, open } = await aHouse([{ calls: [call('a', 'pay')] }, 'Done.'])
  await using holdpoint = await open([tool('pay')])
  const run = await started(holdpoint)
  await holdpoint.advance(run)
  const { id } = await onlyHold(holdpoint)
  const before = (await holdpoint.runs())[0]
  const results = await Promise.all([holdpoint.advance(run), holdpoint.advance(run), delay(0)])
  expect(results[0]).toMatchObject({ status: 'waiting' })
  expect((await holdpoint.runs())[0]).toEqual(before)
  expect(await holdpoint.advance(run, { decisions: [{ hold_id: id, verdict: 'approve', ...ana }] })).toMatchObject({
    status: 'done',
  })
})

test('P6: nothing listens any more to the signal of an advance that is over', async () => {
  const { tool, open } = await aHouse([{ calls: [call('a', 'look'), call('b', 'pay')] }, 'Done.'])
  const signals: AbortSignal[] = []
  const look = tool('look', { needsApproval: false, execute: (_, { abortSignal }) => void signals.push(abortSignal) })
  await using holdpoint = await open([look, tool('pay')])
  expect(await holdpoint.advance(await started(holdpoint))).toMatchObject({ status: 'waiting' })
  // Node keeps a signal that is made of others, and all that it leads to, for as long as it has a listener.
  expect(signals.map(signal => getEventListeners(signal, 'abort').length)).toEqual([0])
})

function nested(depth: number): Record<string, Json> {
  let value: Record<string, Json> = {}
  for (let level = 0; level < depth; level += 1) value = { in: value }
  return value
}

test('P3: a call that was claimed when the cancel came, and not begun, is said not to have run', async () => {
  const { effects, tool, open } = await aHouse([{ calls: [call('a', 'pay')] }, 'Done.'], {
    policy: { default: 'auto' },
  })
  const pay = tool('pay', { needsApproval: false })
  let looks = 0
  const inspect: NonNullable<Tool['inspect']> = async () => {
    looks += 1
    if (looks === LAST_LOOK) await holdpoint.cancel(run, { by: 'ben' })
    return { readings: {}, unclear: null, protected: null }
  }
  await using holdpoint = await open([{ ...pay, inspect }])
  const run = await started(holdpoint)
  const { messages } = (await holdpoint.advance(run)) as RunView
  expect(messages.at(-1)).toMatchObject({ content: 'TOOL_CALL_CANCELLED: ben cancelled the run; it did not run.' })
  expect(effects).toEqual([])
})

const SAYS_NOTHING: readonly (readonly [what: string, text: unknown])[] = [
  ['nothing', undefined],
  ['a number', 5],
  ['blanks', '  '],
]

test.for(SAYS_NOTHING)('a run that begins with %s is refused, and nothing is written', async ([, text]) => {
  const { open } = await aHouse(['Done.'])
  await using holdpoint = await open([])
  await expect(holdpoint.start({ agent: 'worker', input: text as string })).rejects.toMatchObject({
    code: 'empty_message',
  })
  expect(await holdpoint.runs()).toEqual([])
})

test.for(SAYS_NOTHING)('an input provider that says %s is refused, and the run can go on', async ([, text]) => {
  const { open } = await aHouse(['First.', 'Second.'])
  await using holdpoint = await open([])
  const run = await started(holdpoint)
  const inputProvider = async () => ({ text: text as string })
  await expect(holdpoint.advance(run, { inputProvider })).rejects.toMatchObject({ code: 'empty_message' })
  expect(await holdpoint.advance(run)).toMatchObject({ status: 'done', answer: 'First.' })
})

const UNWRITABLE: readonly (readonly [what: string, said: Record<string, unknown>])[] = [
  ['an answer that is no JSON', { value: 1n }],
  ['a function for an answer', { value: () => 1 }],
  ['a reason that is no text', { value: 'blue', reason: { why: 1 } }],
  ['a decision_id that is no text', { value: 'blue', decision_id: 5 }],
]

test.for(UNWRITABLE)('P2: a decision with %s is refused, and changes nothing', async ([, said]) => {
  const { open } = await aHouse([{ calls: [call('q', 'ask_human', { question: 'Which?' })] }, 'Done.'])
  await using holdpoint = await open(['ask_human' as never])
  await holdpoint.advance(await started(holdpoint))
  const { id } = await onlyHold(holdpoint)
  const receipt = await holdpoint.decide(id, { verdict: 'respond', ...ana, ...said })
  expect(receipt).toMatchObject({ outcome: 'refused', hold: { status: 'open' } })
  expect(await holdpoint.decide(id, { verdict: 'respond', value: 'blue', ...ana })).toMatchObject({
    outcome: 'recorded',
  })
})

test('P9: an edit is what is written of it, so it runs without being asked about again', async () => {
  const { effects, tool, open } = await aHouse([{ calls: [call('a', 'pay')] }, 'Done.'])
  await using holdpoint = await open([tool('pay')])
  const run = await started(holdpoint)
  await holdpoint.advance(run)
  const edited = { on: new Date(0), note: undefined } as unknown as Record<string, Json>
  await holdpoint.decide((await onlyHold(holdpoint)).id, { verdict: 'edit', arguments: edited, ...ana })
  expect(await holdpoint.advance(run)).toMatchObject({ status: 'done' })
  expect(effects).toEqual([{ pay: { on: '1970-01-01T00:00:00.000Z' } }])
})

test('a listener that throws is warned of, and harms no run', async () => {
  const warned = once(process, 'warning')
  const agent = defineAgent({ name: 'worker', model: scriptedModel(['Done.']), tools: [] })
  const onEvent = () => {
    throw new Error('no line to tell it on')
  }
  await using holdpoint = await openHoldpoint({ store: 'memory:', agents: [agent], onEvent })
  expect(await holdpoint.advance(await started(holdpoint))).toMatchObject({ status: 'done' })
  expect(await warned).toMatchObject([{ message: 'no line to tell it on' }])
})

test('a tool gets the conversation up to the answer that asked for it, as copies', async () => {
  const { tool, open } = await aHouse(['Hello.', { text: 'I look.', calls: [call('a', 'look')] }, 'Done.'])
  const seen: Json[] = []
  const look = tool('look', {
    needsApproval: false,
    execute: (_: unknown, { messages }: ToolContext) => {
      seen.push(messages.map(({ content }) => content as Json))
      Object.assign(messages[0] ?? {}, { content: 'changed' })
    },
  })
  await using holdpoint = await open([look])
  const run = await holdpoint.start({ agent: 'worker', input: 'go' })
  await holdpoint.advance(run.id)
  const { run_id } = await holdpoint.send(run.thread_id, { text: 'look' })
  expect(await holdpoint.advance(run_id)).toMatchObject({
    status: 'done',
    messages: expect.arrayContaining([{ role: 'user', content: 'go', author: null }]),
  })
  expect(seen).toEqual([['go', 'Hello.', 'look']])
})

test('an option of openHoldpoint that is not known is refused before a store is opened', async () => {
  const misspelt = { store: 'sqlite:/no/such/directory/here.db', agent: [] } as object
  await expect(openHoldpoint(misspelt)).rejects.toMatchObject({
    code: 'invalid_options',
    message: expect.stringMatching(/there is no option "agent"; known: store, agents,/),
  })
})

test.each(['now', 'steady', 'sleep'] as const)('a clock without %s is refused, and told what it lacks', async name => {
  const clock = { ...handClock(), [name]: undefined } as never
  const opened = openHoldpoint({ store: 'memory:', clock })
  await expect(opened).rejects.toMatchObject({ code: 'invalid_options', message: expect.stringContaining(`${name}()`) })
})
