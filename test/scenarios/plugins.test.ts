import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import {
  type AgentOptions,
  defineAgent,
  type JournalEvent,
  type Json,
  type Model,
  type ModelRequest,
  type Termination,
} from '../../src/index.ts'
import type { Script } from '../../src/models/script.ts'
import { scriptedModel } from '../../src/models/scripted-model.ts'
import { handClock } from '../../src/testing/kit/hand-clock.ts'
import { historyFaults } from './history-faults.ts'
import { until } from './processes.ts'
import {
  advanced,
  ana,
  aWorkplace,
  call,
  gated,
  journalOfThread,
  onlyHold,
  results,
  shapeOf,
  started,
} from './workplace.ts'

type Plugin = NonNullable<AgentOptions['plugins']>[number]
type Hooks = Plugin['hooks']
type Before = Awaited<ReturnType<NonNullable<Hooks['beforeToolExecute']>>>

const approve = { verdict: 'approve', ...ana } as const

const PHASES = [
  'runStart',
  'stepStart',
  'beforeInference',
  'afterInference',
  'beforeToolExecute',
  'afterToolExecute',
  'stepEnd',
  'runEnd',
] as const

/** Writes down every phase that it sees. */
function recorder(seen: string[], name = 'recorder'): Plugin {
  const hooks = Object.fromEntries(PHASES.map(phase => [phase, () => void seen.push(phase)]))
  return { name, hooks }
}

/** One that says this of every call. */
function gate(name: string, said: Before | (() => Before)): Plugin {
  return { name, hooks: { beforeToolExecute: () => (typeof said === 'function' ? said() : said) } }
}

/** A scripted model that keeps what it was asked. */
function attentive(script: Script): Model & { readonly requests: ModelRequest[] } {
  const model = scriptedModel(script)
  const requests: ModelRequest[] = []
  return {
    id: model.id,
    requests,
    answer: request => {
      requests.push({ ...request, messages: [...request.messages] })
      return model.answer(request)
    },
  }
}

const ONE_CALL: Script = [{ calls: [call('A')] }, 'Done.']

test('the eight phases come in order, each once for what it is about', async () => {
  const seen: string[] = []
  await using place = await aWorkplace(place => ({
    script: ONE_CALL,
    tools: [place.tool('A')],
    plugins: [recorder(seen)],
  }))
  await using holdpoint = await place.open()
  await advanced(holdpoint, (await started(holdpoint)).id)
  expect(seen).toEqual([...PHASES.slice(0, 7), 'stepStart', 'beforeInference', 'afterInference', 'stepEnd', 'runEnd'])
})

test('what a pause cut in two has one start of the run, and the released call is looked at again', async () => {
  const seen: string[] = []
  await using place = await aWorkplace(place => ({
    script: ONE_CALL,
    tools: [place.held('A')],
    plugins: [recorder(seen)],
  }))
  const first = await place.open()
  const run = await started(first)
  await advanced(first, run.id)
  await first[Symbol.asyncDispose]()
  expect(seen.splice(0)).toEqual(['runStart', 'stepStart', 'beforeInference', 'afterInference', 'beforeToolExecute'])
  await using second = await place.open()
  await second.decide((await onlyHold(second)).id, approve)
  await advanced(second, run.id)
  expect(seen).toEqual([
    'beforeToolExecute',
    'afterToolExecute',
    'stepEnd',
    'stepStart',
    'beforeInference',
    'afterInference',
    'stepEnd',
    'runEnd',
  ])
})

const BROKEN: Model = {
  id: 'broken',
  answer: () =>
    Promise.reject(Object.assign(new Error('no'), { name: 'ModelError', code: 'x', retryable: false, hint: null })),
}

const ENDS: Readonly<Record<Termination['type'], Partial<AgentOptions>>> = {
  natural_end: {},
  behavior_requested: { plugins: [{ name: 'skipper', hooks: { beforeInference: () => ({ skip: true }) } }] },
  stopped: { stop: [{ type: 'max_rounds', rounds: 1 }] },
  cancelled: {},
  blocked: { plugins: [gate('blocker', { block: 'not here' })] },
  error: { model: BROKEN },
}

test.for(Object.entries(ENDS))(
  'a run that ends by %s tells its plugins so, once, and has one final event',
  async ([type, options]) => {
    const ends: unknown[] = []
    const watcher: Plugin = { name: 'watcher', hooks: { runEnd: (_view, termination) => void ends.push(termination) } }
    await using place = await aWorkplace(place => ({
      script: ONE_CALL,
      tools: [type === 'cancelled' ? place.held('A') : place.tool('A')],
      ...options,
      plugins: [watcher, ...(options.plugins ?? [])],
    }))
    await using holdpoint = await place.open()
    const run = await started(holdpoint)
    await advanced(holdpoint, run.id)
    if (type === 'cancelled') await holdpoint.cancel(run.id, { by: 'ana' })
    const view = await advanced(holdpoint, run.id)
    expect(view).toMatchObject({ status: 'done', termination: { type } })
    expect(ends).toEqual([view.termination])
    const last = (await journalOfThread(holdpoint, run.thread_id)).filter(({ kind }) => kind === 'run.finished')
    expect(last).toMatchObject([{ data: { termination: { type } } }])
    expect(historyFaults(view.messages)).toEqual([])
  },
)

test('a plugin that fails at the end of a run neither keeps it from ending nor the others from being told', async () => {
  const seen: string[] = []
  await using place = await aWorkplace({
    script: ['Done.'],
    plugins: [
      {
        name: 'clumsy',
        hooks: {
          runEnd: () => {
            throw new Error('oops')
          },
        },
      },
      recorder(seen),
    ],
  })
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  expect(await advanced(holdpoint, run.id)).toMatchObject({ status: 'done', termination: { type: 'natural_end' } })
  expect(seen.at(-1)).toBe('runEnd')
  const notes = (await journalOfThread(holdpoint, run.thread_id)).filter(({ kind }) => kind === 'note')
  expect(notes).toMatchObject([{ data: { about: 'run_end', message: expect.stringContaining('clumsy failed: oops') } }])
})

const WORDS: Readonly<Record<string, Before>> = {
  block: { block: 'not here' },
  suspend: { suspend: { message: 'Really?' } },
  setResult: { setResult: 'given' },
  nothing: undefined,
}

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]]
  return items.flatMap((item, index) => permutations(items.toSpliced(index, 1)).map(rest => [item, ...rest]))
}

async function gatedBy(words: readonly string[]) {
  await using place = await aWorkplace(place => ({
    script: ONE_CALL,
    tools: [place.tool('A')],
    plugins: words.map(word => gate(word, WORDS[word])),
  }))
  await using holdpoint = await place.open()
  const view = await advanced(holdpoint, (await started(holdpoint)).id)
  return { view, effects: place.effects }
}

test.for(permutations(['block', 'suspend', 'setResult', 'nothing']))(
  'of the plugins %s, %s, %s and %s block wins',
  async words => {
    const { view, effects } = await gatedBy(words)
    expect(view).toMatchObject({ status: 'done', termination: { type: 'blocked', reason: 'not here' } })
    expect(results(view)).toEqual([['A', 'TOOL_CALL_BLOCKED: not here']])
    expect(effects).toEqual([])
  },
)

test.for(permutations(['suspend', 'setResult', 'nothing']))(
  'of the plugins %s, %s and %s suspend wins',
  async words => {
    const { view, effects } = await gatedBy(words)
    expect(view).toMatchObject({ status: 'waiting', holds: [{ kind: 'approval', message: 'Really?', call_id: 'A' }] })
    expect(effects).toEqual([])
  },
)

test.for(permutations(['setResult', 'nothing']))('of the plugins %s and %s setResult wins', async words => {
  const { view, effects } = await gatedBy(words)
  expect(results(view)).toEqual([['A', 'given']])
  expect(effects).toEqual([])
})

const EQUALS = [
  { first: { setResult: 1 }, second: { setResult: 2 }, result: 1 },
  { first: { setResult: 1 }, second: { deny: { code: 'NO', message: 'never' } }, result: 1 },
  { first: { deny: { code: 'NO', message: 'never' } }, second: { setResult: 1 }, result: 'NO: never' },
] as const

test.for(EQUALS)(
  'of two plugins of one rank the first wins: $first before $second',
  async ({ first, second, result }) => {
    await using place = await aWorkplace(place => ({
      script: ONE_CALL,
      tools: [place.tool('A')],
      plugins: [gate('first', first), gate('second', second)],
    }))
    await using holdpoint = await place.open()
    expect(results(await advanced(holdpoint, (await started(holdpoint)).id))).toEqual([['A', result]])
    expect(place.effects).toEqual([])
  },
)

test('P1: a permission hook that throws denies the call, and its siblings run', async () => {
  const guard: Plugin = {
    name: 'guard',
    hooks: {
      beforeToolExecute: (_view, { name }) => {
        if (name === 'A') throw new Error('no idea')
      },
    },
  }
  await using place = await aWorkplace(place => ({
    script: [{ calls: [call('A'), call('B')] }, 'Done.'],
    tools: [place.tool('A'), place.tool('B')],
    plugins: [guard],
  }))
  await using holdpoint = await place.open()
  const view = await advanced(holdpoint, (await started(holdpoint)).id)
  expect(results(view)).toEqual([
    ['A', expect.stringMatching(/^TOOL_CALL_FORBIDDEN: the plugin guard failed.*no idea/)],
    ['B', 'B done'],
  ])
  expect(view).toMatchObject({ status: 'done', answer: 'Done.' })
  expect(place.effects).toEqual(['B'])
})

test('P1: a permission hook that throws once a call was approved denies it still', async () => {
  let asked = 0
  const guard = gate('guard', () => {
    asked += 1
    if (asked > 1) throw new Error('no idea')
    return undefined
  })
  await using place = await aWorkplace(place => ({ script: ONE_CALL, tools: [place.held('A')], plugins: [guard] }))
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  await holdpoint.decide((await onlyHold(holdpoint)).id, approve)
  expect(results(await advanced(holdpoint, run.id))).toEqual([['A', expect.stringContaining('no idea')]])
  expect(place.effects).toEqual([])
})

/** Counts inferences twice: in persistent state, and in a variable that ends with its process. */
function counter(seen: Json[]): Plugin {
  let here = 0
  return {
    name: 'counter',
    initialState: { count: 0 },
    hooks: {
      beforeInference: ({ state }) => {
        here += 1
        const count = (state as { count: number }).count + 1
        seen.push({ count, here })
        return { setState: { count } }
      },
    },
  }
}

test('persistent state of a plugin survives a restart, and other state does not', async () => {
  const seen: Json[] = []
  await using place = await aWorkplace(place => ({
    script: [{ calls: [call('A', 'free')] }, { calls: [call('B', 'held')] }, 'Done.'],
    tools: [place.tool('free'), place.held('held')],
  }))
  const first = await place.open({ plugins: [counter(seen)] })
  const run = await started(first)
  await advanced(first, run.id)
  await first[Symbol.asyncDispose]()
  await using second = await place.open({ plugins: [counter(seen)] })
  await second.decide((await onlyHold(second)).id, approve)
  await advanced(second, run.id)
  expect(seen).toEqual([
    { count: 1, here: 1 },
    { count: 2, here: 2 },
    { count: 3, here: 1 },
  ])
})

test('each plugin has a state of its own, and a new run begins with none', async () => {
  const seen: Json[] = []
  const named = (name: string): Plugin => ({
    name,
    initialState: [],
    hooks: {
      stepStart: ({ state }) => {
        seen.push([name, state])
        return { setState: [...(state as string[]), name] }
      },
    },
  })
  await using place = await aWorkplace({ script: ['One.', 'Two.'], plugins: [named('a'), named('b')] })
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  const { run_id } = await holdpoint.send(run.thread_id, { text: 'more' })
  await advanced(holdpoint, run_id)
  expect(seen).toEqual([
    ['a', []],
    ['b', []],
    ['a', []],
    ['b', []],
  ])
})

test('a plugin that sets state and declares none ends the run with an error that says so', async () => {
  await using place = await aWorkplace({
    script: ['Done.'],
    plugins: [{ name: 'forgetful', hooks: { stepStart: () => ({ setState: 1 }) } }],
  })
  await using holdpoint = await place.open()
  const view = await advanced(holdpoint, (await started(holdpoint)).id)
  expect(view).toMatchObject({
    status: 'done',
    termination: {
      type: 'error',
      code: 'plugin_failed',
      message: expect.stringMatching(/forgetful.*stepStart.*initialState/),
      hint: expect.any(String),
    },
  })
})

test.for(['runStart', 'stepStart', 'beforeInference', 'afterInference', 'stepEnd'] as const)(
  'a plugin that fails in %s ends the run with an error that names both, and the history is valid',
  async phase => {
    const clumsy: Plugin = {
      name: 'clumsy',
      hooks: {
        [phase]: () => {
          throw new Error('oops')
        },
      },
    }
    await using place = await aWorkplace(place => ({ script: ONE_CALL, tools: [place.tool('A')], plugins: [clumsy] }))
    await using holdpoint = await place.open()
    const view = await advanced(holdpoint, (await started(holdpoint)).id)
    expect(view.termination).toMatchObject({
      type: 'error',
      code: 'plugin_failed',
      message: `The plugin clumsy failed in ${phase}: oops`,
    })
    expect(historyFaults(view.messages)).toEqual([])
  },
)

test('beforeInference changes what the model is told, each plugin on top of the one before', async () => {
  const model = attentive(['Done.'])
  const plugins: Plugin[] = [
    { name: 'polite', hooks: { beforeInference: (_view, { system }) => ({ system: `${system} Be polite.` }) } },
    { name: 'brief', hooks: { beforeInference: (_view, { system }) => ({ system: `${system} Be brief.` }) } },
    {
      name: 'strict',
      hooks: { beforeInference: (_view, { tools }) => ({ tools: tools.filter(({ name }) => name !== 'B') }) },
    },
  ]
  await using place = await aWorkplace(place => ({
    model,
    instructions: 'Help.',
    tools: [place.tool('A'), place.tool('B')],
    plugins,
  }))
  await using holdpoint = await place.open()
  await advanced(holdpoint, (await started(holdpoint)).id)
  expect(model.requests).toMatchObject([{ system: 'Help. Be polite. Be brief.', tools: [{ name: 'A' }] }])
})

test('beforeInference that skips ends the run without asking the model', async () => {
  const model = attentive(['Done.'])
  await using place = await aWorkplace({
    model,
    plugins: [{ name: 'skipper', hooks: { beforeInference: () => ({ skip: true }) } }],
  })
  await using holdpoint = await place.open()
  const view = await advanced(holdpoint, (await started(holdpoint)).id)
  expect(view).toMatchObject({ status: 'done', termination: { type: 'behavior_requested' } })
  expect(model.requests).toEqual([])
})

const TWO_CALLS: Script = [{ text: 'Both.', calls: [call('A'), call('B')] }, 'Done.']

test('afterInference drops calls, and neither the journal nor the model hears of them again', async () => {
  const model = attentive(TWO_CALLS)
  await using place = await aWorkplace(place => ({
    model,
    tools: [place.tool('A'), place.tool('B')],
    plugins: [
      {
        name: 'picky',
        hooks: { afterInference: (_view, { calls }) => ({ calls: calls.filter(({ name }) => name !== 'A') }) },
      },
    ],
  }))
  await using holdpoint = await place.open()
  const view = await advanced(holdpoint, (await started(holdpoint)).id)
  expect(place.effects).toEqual(['B'])
  expect(results(view)).toEqual([['B', 'B done']])
  expect(historyFaults(model.requests[1]?.messages ?? [])).toEqual([])
})

test('P1: a call that afterInference changes is gated as it is then', async () => {
  await using place = await aWorkplace(place => ({
    script: ONE_CALL,
    tools: [place.tool('A'), place.held('B')],
    plugins: [
      {
        name: 'swapper',
        hooks: {
          afterInference: (_view, { calls }) => ({
            calls: calls.map(each => ({ ...each, name: 'B', arguments: '{"n":2}' })),
          }),
        },
      },
    ],
  }))
  await using holdpoint = await place.open()
  const view = await advanced(holdpoint, (await started(holdpoint)).id)
  expect(view).toMatchObject({ status: 'waiting', holds: [{ tool: 'B', arguments: { n: 2 }, call_id: 'A' }] })
  expect(place.effects).toEqual([])
})

test('afterInference that ends the run keeps the answer, and each call gets a result that says so', async () => {
  await using place = await aWorkplace(place => ({
    script: TWO_CALLS,
    tools: [place.tool('A'), place.tool('B')],
    plugins: [{ name: 'ender', hooks: { afterInference: () => ({ end: true }) } }],
  }))
  await using holdpoint = await place.open()
  const view = await advanced(holdpoint, (await started(holdpoint)).id)
  expect(view).toMatchObject({ status: 'done', termination: { type: 'behavior_requested' }, answer: 'Both.' })
  expect(results(view)).toEqual([
    ['A', expect.stringMatching(/^TOOL_CALL_CANCELLED: /)],
    ['B', expect.stringMatching(/^TOOL_CALL_CANCELLED: /)],
  ])
  expect(historyFaults(view.messages)).toEqual([])
  expect(place.effects).toEqual([])
})

function after(name: string, hook: NonNullable<Hooks['afterToolExecute']>): Plugin {
  return { name, hooks: { afterToolExecute: hook } }
}

test('afterToolExecute changes results, each plugin on top of the one before', async () => {
  await using place = await aWorkplace(place => ({
    script: ONE_CALL,
    tools: [place.tool('A', { execute: () => 'the key is hunter2' })],
    plugins: [
      after('redact', (_view, _call, { output }) => ({ setResult: String(output).replace('hunter2', '***') })),
      after('shout', (_view, _call, { output }) => ({ setResult: String(output).toUpperCase() })),
    ],
  }))
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  expect(results(await advanced(holdpoint, run.id))).toEqual([['A', 'THE KEY IS ***']])
  expect(JSON.stringify(await journalOfThread(holdpoint, run.thread_id))).not.toContain('hunter2')
})

test('afterToolExecute changes an error, and turns a result into one', async () => {
  await using place = await aWorkplace(place => ({
    script: TWO_CALLS,
    tools: [
      place.tool('A', {
        execute: () => {
          throw new Error('secret path /home/ana')
        },
      }),
      place.tool('B'),
    ],
    plugins: [
      after('judge', (_view, { name }, { error }) => ({
        setError: { code: 'JUDGED', message: `${name} ${error ? 'failed' : 'was too late'}` },
      })),
    ],
  }))
  await using holdpoint = await place.open()
  const view = await advanced(holdpoint, (await started(holdpoint)).id)
  expect(results(view)).toEqual([
    ['A', 'JUDGED: A failed'],
    ['B', 'JUDGED: B was too late (The call itself ran to its end.)'],
  ])
  expect(view.messages.filter(({ role }) => role === 'tool')).toMatchObject([{ is_error: true }, { is_error: true }])
})

test('P11: afterToolExecute that throws withholds the result of a call that succeeded, which may be a secret, from journal and model', async () => {
  await using place = await aWorkplace(place => ({
    script: ONE_CALL,
    tools: [place.tool('A', { execute: () => 'hunter2' })],
    plugins: [
      after('clumsy', () => {
        throw new Error('oops')
      }),
    ],
  }))
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  const view = await advanced(holdpoint, run.id)
  expect(results(view)).toEqual([
    ['A', expect.stringMatching(/^It ran to its end; its result is withheld: .*clumsy.*oops/)],
  ])
  expect(JSON.stringify(await journalOfThread(holdpoint, run.thread_id))).not.toContain('hunter2')
  expect(view).toMatchObject({ status: 'done', answer: 'Done.' })
  expect(statusesIn(await journalOfThread(holdpoint, run.thread_id))).toEqual(['succeeded'])
})

function statusesIn(events: readonly JournalEvent[]): readonly string[] {
  return events.flatMap(event => (event.kind === 'call.finished' ? [event.data.status] : []))
}

/** Never has enough. */
const EAGER: Plugin = {
  name: 'eager',
  hooks: { stepEnd: ({ steps }) => ({ continueWith: `Check again (${steps}).` }) },
}

test('a plugin has a run go on three times for one input, and then it ends, with a note', async () => {
  const model = attentive(['1', '2', '3', '4', '5', '6'])
  await using place = await aWorkplace({ model, plugins: [EAGER] })
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  const view = await advanced(holdpoint, run.id)
  expect(view).toMatchObject({ status: 'done', termination: { type: 'natural_end' }, answer: '4', steps: 4 })
  expect(view.messages.filter(({ role }) => role === 'user').map(({ content }) => content)).toEqual([
    'go',
    'Check again (1).',
    'Check again (2).',
    'Check again (3).',
  ])
  const notes = (await journalOfThread(holdpoint, run.thread_id)).filter(({ kind }) => kind === 'note')
  expect(notes).toMatchObject([{ data: { about: 'forced_continuation', message: expect.stringContaining('eager') } }])
})

test('the cap on forced continuations counts anew for each thing that somebody says', async () => {
  const model = attentive(['1', '2', '3', '4', '5', '6', '7', '8', '9'])
  await using place = await aWorkplace({ model, plugins: [EAGER] })
  await using holdpoint = await place.open()
  let inputs = 0
  const view = await advanced(holdpoint, (await started(holdpoint)).id, {
    inputProvider: async () => {
      inputs += 1
      return inputs === 1 ? { text: 'And now?' } : null
    },
  })
  expect(view).toMatchObject({ status: 'done', steps: 8, answer: '8' })
  expect(inputs).toBe(2)
})

test('the cap on forced continuations also holds over restarts', async () => {
  await using place = await aWorkplace(place => ({
    script: ['1', '2', { calls: [call('A')] }, '4', '5', '6', '7'],
    tools: [place.held('A')],
    plugins: [EAGER],
  }))
  const first = await place.open()
  const run = await started(first)
  await advanced(first, run.id)
  await first[Symbol.asyncDispose]()
  await using second = await place.open()
  await second.decide((await onlyHold(second)).id, approve)
  expect(await advanced(second, run.id)).toMatchObject({ status: 'done', answer: '5' })
})

test('P1: a call that the policy held and somebody released is still asked of the other plugins', async () => {
  const careful = gate('careful', { suspend: { message: 'Is the amount right?' } })
  await using place = await aWorkplace(place => ({ script: ONE_CALL, tools: [place.held('A')], plugins: [careful] }))
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  const asked: string[] = []
  for (let n = 1; n <= 2; n += 1) {
    expect(place.effects).toEqual([])
    const hold = await onlyHold(holdpoint)
    asked.push(hold.message)
    await holdpoint.decide(hold.id, approve)
    await advanced(holdpoint, run.id)
  }
  expect(asked).toEqual(['May A run?', 'Is the amount right?'])
  expect(place.effects).toEqual(['A'])
  expect(await holdpoint.run(run.id)).toMatchObject({ status: 'done' })
})

test('P1: what somebody edits on the hold of one plugin is asked of those that released other arguments', async () => {
  const careful = gate('careful', { suspend: { message: 'Is the amount right?', deciders: ['ben'] } })
  await using place = await aWorkplace(place => ({
    script: ONE_CALL,
    tools: [place.held('A', { deciders: ['ana'] })],
    plugins: [careful],
  }))
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  await holdpoint.decide((await onlyHold(holdpoint)).id, approve)
  await advanced(holdpoint, run.id)
  const edit = { verdict: 'edit', arguments: { to: 'ben' }, decided_by: 'ben', surface: 'code' } as const
  await holdpoint.decide((await onlyHold(holdpoint)).id, edit)
  const view = await advanced(holdpoint, run.id)
  expect(view).toMatchObject({ status: 'waiting', holds: [{ message: 'May A run?', arguments: { to: 'ben' } }] })
  expect(place.effects).toEqual([])
  await holdpoint.decide((await onlyHold(holdpoint)).id, approve)
  expect(await advanced(holdpoint, run.id)).toMatchObject({ status: 'done' })
  expect(place.effects).toEqual(['A'])
})

test.for(['reject', 'pause'] as const)(
  'P1: policy never (on_never: %s) is not lifted by the hold of another plugin',
  async on_never => {
    const careful = gate('careful', { suspend: { message: 'Is the amount right?' } })
    await using place = await aWorkplace(place => ({
      script: ONE_CALL,
      tools: [place.tool('A')],
      policy: { tools: { A: 'never' }, on_never },
      plugins: [careful],
    }))
    await using holdpoint = await place.open()
    const run = await started(holdpoint)
    await advanced(holdpoint, run.id)
    const events = await journalOfThread(holdpoint, run.thread_id)
    const by = events.flatMap(event => (event.kind === 'hold.opened' ? [event.data.plugin] : []))
    expect(by).toEqual([on_never === 'pause' ? 'policy' : 'careful'])
    await holdpoint.decide((await onlyHold(holdpoint)).id, approve)
    const view = await advanced(holdpoint, run.id)
    // A person who overrides `never` did so to the policy's own question; the other plugin still has its own.
    const expected =
      on_never === 'pause' ? { status: 'waiting', holds: [{ message: 'Is the amount right?' }] } : { status: 'done' }
    expect(view).toMatchObject(expected)
    if (on_never === 'reject') expect(results(view)).toEqual([['A', expect.stringMatching(/policy says never/)]])
    expect(place.effects).toEqual([])
  },
)

test('hooks see the run as it stands: its messages, its calls and its usage', async () => {
  const seen: unknown[] = []
  await using place = await aWorkplace(place => ({
    script: [{ calls: [call('A')], usage: { input: 3, output: 4 } }, 'Done.'],
    tools: [place.tool('A')],
    plugins: [
      {
        name: 'watcher',
        hooks: {
          stepEnd: ({ run_id, thread_id, steps, usage, messages, calls }) =>
            void seen.push({
              run_id,
              thread_id,
              steps,
              usage: usage.total_tokens,
              said: messages.length,
              calls: calls.length,
            }),
        },
      },
    ],
  }))
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  const same = { run_id: run.id, thread_id: run.thread_id, usage: 7, calls: 0 }
  expect(seen).toEqual([
    { ...same, steps: 1, said: 3 },
    { ...same, steps: 2, said: 4 },
  ])
})

test('a hook that waits is told to stop when the advance is, and the run goes on later', async () => {
  const waiting = Promise.withResolvers<void>()
  let times = 0
  const patient: Plugin = {
    name: 'patient',
    hooks: {
      beforeInference: async ({ signal }) => {
        times += 1
        if (times > 1) return
        waiting.resolve()
        await delay(60_000, undefined, { signal })
      },
    },
  }
  await using place = await aWorkplace({ script: ['Done.'], plugins: [patient] })
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  const stop = new AbortController()
  const advancing = advanced(holdpoint, run.id, { signal: stop.signal })
  await waiting.promise
  stop.abort(new Error('enough'))
  expect(await advancing).toMatchObject({ status: 'running' })
  expect(await advanced(holdpoint, run.id)).toMatchObject({ status: 'done', answer: 'Done.' })
})

test('what a plugin sets is kept together with what it led to, also where the call is held', async () => {
  const notary: Plugin = {
    name: 'notary',
    initialState: [],
    hooks: {
      beforeToolExecute: ({ state }, { id }) => ({
        setState: [...(state as string[]), id],
        suspend: { message: `Seen ${id}.` },
      }),
    },
  }
  await using place = await aWorkplace(place => ({
    script: TWO_CALLS,
    tools: [place.tool('A'), place.tool('B')],
    plugins: [notary],
  }))
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  const set = (await journalOfThread(holdpoint, run.thread_id)).flatMap(event =>
    event.kind === 'plugin.set' ? [event.data] : [],
  )
  expect(set).toEqual([
    { plugin: 'notary', state: ['A'] },
    { plugin: 'notary', state: ['A', 'B'] },
  ])
  expect(await holdpoint.holds({ status: 'open' })).toHaveLength(2)
})

const UNUSABLE: readonly [problem: string, plugins: unknown, message: RegExp][] = [
  ['two plugins of one name', [recorder([], 'a'), recorder([], 'a')], /two plugins named a/],
  ["a plugin with the name of Holdpoint's own", [recorder([], 'policy')], /policy/],
  ['a plugin without a name', [{ name: '', hooks: {} }], /without a name/],
  ['a plugin without hooks', [{ name: 'a' }], /a has no hooks/],
  [
    'a plugin with a key that is none',
    [{ name: 'a', initalState: 1, hooks: {} }],
    /a key "initalState"; possible: name, initialState/,
  ],
  [
    'a hook that is none',
    [{ name: 'a', hooks: { beforeToolExecuted: () => {} } }],
    /"beforeToolExecuted".*beforeToolExecute/,
  ],
]

test.for(UNUSABLE)('an agent with %s is refused', ([, plugins, message]) => {
  const define = () => defineAgent({ name: 'worker', plugins: plugins as Plugin[] })
  expect(define).toThrow(expect.objectContaining({ code: 'invalid_agent', message: expect.stringMatching(message) }))
})

test('beside a call that a plugin holds, the others run', async () => {
  const onlyA: Plugin = {
    name: 'only_a',
    hooks: {
      beforeToolExecute: (_view, { name }) => (name === 'A' ? { suspend: { message: 'Really?' } } : undefined),
    },
  }
  await using place = await aWorkplace()
  const b = gated(place, 'B')
  await using holdpoint = await place.open({ script: TWO_CALLS, tools: [place.tool('A'), b.tool], plugins: [onlyA] })
  const run = await started(holdpoint)
  const advancing = advanced(holdpoint, run.id)
  await b.begun
  b.finish()
  expect(await advancing).toMatchObject({ status: 'waiting' })
  expect(shapeOf(await journalOfThread(holdpoint, run.thread_id))).toContain('call.finished B succeeded')
})

const HUNG = [
  [
    'afterToolExecute',
    [['A', expect.stringMatching(/^It ran to its end; its result is withheld: .*no answer within 10 seconds/)]],
  ],
  ['runEnd', [['A', 'A done']]],
] as const

test.for(HUNG)('a hook in %s that never ends is given up on once it was told to stop', async ([phase, told]) => {
  const clock = handClock()
  const waits = Promise.withResolvers<void>()
  const hook = () => {
    waits.resolve()
    return new Promise<never>(() => {})
  }
  await using place = await aWorkplace(place => ({
    script: ONE_CALL,
    tools: [place.tool('A')],
    plugins: [{ name: 'deaf', hooks: { [phase]: hook } }],
    open: { clock },
  }))
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  const stop = new AbortController()
  const advancing = advanced(holdpoint, run.id, { signal: stop.signal })
  await waits.promise
  stop.abort()
  await until(() => clock.sleeping > 0)
  clock.advance(10_000)
  await advancing
  await until(async () => (await holdpoint.runs())[0]?.lease === null)
  const { calls, messages } = await holdpoint.run(run.id)
  expect([
    ...results({ messages }),
    ...calls.map(({ id, output, error }) => [id, error ? `${error.code}: ${error.message}` : output]),
  ]).toEqual(told)
})

const CYCLE: Record<string, unknown> = {}
CYCLE['in'] = CYCLE

const SENSELESS: readonly (readonly [what: string, said: unknown])[] = [
  ['a text', 'no'],
  ['true', true],
  ['a result that is no JSON', { setResult: 1n }],
  ['no result at all', { setResult: undefined }],
  ['a denial without an error', { deny: null }],
  ['a denial that is a text', { deny: 'no' }],
  ['a question without a text', { suspend: {} }],
  ['a question about what is no JSON', { suspend: { message: 'May it?', context: CYCLE } }],
  ['a misspelled block', { blok: 'x' }],
  ['a word in another case beside its reason', { Deny: { code: 'NO', message: 'no' }, because: 'no' }],
  ['false', false],
  ['an empty text', ''],
  ['a list', []],
  ['an error that it returns', new Error('no')],
  ['a block without a text', { block: true }],
  ['a block that is not there', { block: undefined }],
  ['a question with a misspelled field', { suspend: { message: 'May it?', choises: ['a'] } }],
  ['a hold of a kind that is not its own', { suspend: { message: 'May it?', kind: 'input' } }],
]

test.for(SENSELESS)('P1: a permission hook that says %s denies the call, and its siblings run', async ([, said]) => {
  await using place = await aWorkplace(place => ({
    script: [{ calls: [call('A'), call('B')] }, 'Done.'],
    tools: [place.tool('A'), place.tool('B')],
    plugins: [
      { name: 'odd', hooks: { beforeToolExecute: (_view, { id }) => (id === 'A' ? (said as Before) : undefined) } },
    ],
  }))
  await using holdpoint = await place.open()
  const view = await advanced(holdpoint, (await started(holdpoint)).id)
  expect(view).toMatchObject({ status: 'done', termination: { type: 'natural_end' } })
  expect(results(view)).toEqual([
    ['A', expect.stringMatching(/^TOOL_CALL_FORBIDDEN: the plugin odd failed/)],
    ['B', 'B done'],
  ])
  expect(place.effects).toEqual(['B'])
})

test('P1: a permission hook that says something unknown is told what is known', async () => {
  const said = { blok: 'x' }
  await using place = await aWorkplace(place => ({
    script: ONE_CALL,
    tools: [place.tool('A')],
    plugins: [gate('odd', said as Before)],
  }))
  await using holdpoint = await place.open()
  const [result] = results(await advanced(holdpoint, (await started(holdpoint)).id))
  expect(result?.[1]).toBe(
    'TOOL_CALL_FORBIDDEN: the plugin odd failed while it was asked (it returned "blok" from beforeToolExecute, ' +
      'which is not known there; known: block, suspend, setResult, deny, because, setState), so this call may not run.',
  )
  // @ts-expect-error a misspelled word does not compile
  const typed: Before = said
  expect(typed).toBe(said)
})

const UNKNOWN: readonly (readonly [phase: keyof Hooks, said: unknown, message: RegExp])[] = [
  ['runStart', { state: 1 }, /"state" from runStart.*known: setState/],
  ['stepStart', false, /returned false from stepStart/],
  ['beforeInference', { skipp: true }, /"skipp" from beforeInference.*known: .*skip/],
  ['beforeInference', { skip: 'yes' }, /skip from beforeInference with a text; it must be true or false/],
  ['beforeInference', 'skip', /returned a text from beforeInference/],
  ['afterInference', { call: [] }, /"call" from afterInference.*known: calls/],
  ['stepEnd', { continueWit: 'More.' }, /"continueWit" from stepEnd.*known: continueWith/],
]

test.for(UNKNOWN)(
  '%s that says %j ends the run with an error that names what is known',
  async ([phase, said, message]) => {
    await using place = await aWorkplace({
      script: ['Hi.'],
      plugins: [{ name: 'odd', hooks: { [phase]: () => said } }],
    })
    await using holdpoint = await place.open()
    const { termination } = await advanced(holdpoint, (await started(holdpoint)).id)
    expect(termination).toMatchObject({ type: 'error', code: 'plugin_failed', message: expect.stringMatching(message) })
  },
)

test('afterToolExecute that says something unknown withholds the result', async () => {
  const hooks = { afterToolExecute: () => ({ setResults: 'safe' }) as never }
  await using place = await aWorkplace(place => ({
    script: ONE_CALL,
    tools: [place.tool('A')],
    plugins: [{ name: 'odd', hooks }],
  }))
  await using holdpoint = await place.open()
  const view = await advanced(holdpoint, (await started(holdpoint)).id)
  expect(results(view)).toEqual([
    ['A', expect.stringMatching(/^It ran to its end; its result is withheld: .*"setResults" from afterToolExecute/)],
  ])
})

test('a tool that asks with a misspelled field fails, and nobody is asked', async () => {
  await using place = await aWorkplace(place => ({
    script: ONE_CALL,
    tools: [
      place.tool('A', { execute: (_args, { suspend }) => suspend({ message: 'Which?', choises: ['a'] } as never) }),
    ],
  }))
  await using holdpoint = await place.open()
  const view = await advanced(holdpoint, (await started(holdpoint)).id)
  expect(results(view)).toEqual([
    ['A', expect.stringMatching(/^INVALID_REQUEST: .*"choises"; known: message, .*choices/)],
  ])
  expect(await holdpoint.holds({})).toEqual([])
})

const NO_CALLS: readonly (readonly [what: string, calls: unknown])[] = [
  ['a text', 'A'],
  ['nothing', [null]],
  ['a call whose arguments are no text', [{ id: 'A', name: 'A', arguments: {} }]],
  ['a call that is no JSON', [{ id: 'A', name: 'A', arguments: '{}', metadata: 1n }]],
]

test.for(NO_CALLS)('afterInference that asks for %s as calls ends the run with an error', async ([, calls]) => {
  await using place = await aWorkplace(place => ({
    script: ONE_CALL,
    tools: [place.tool('A')],
    plugins: [{ name: 'odd', hooks: { afterInference: () => ({ calls }) as never } }],
  }))
  await using holdpoint = await place.open()
  const view = await advanced(holdpoint, (await started(holdpoint)).id)
  expect(view).toMatchObject({ status: 'done', termination: { type: 'error', code: 'plugin_failed' } })
  expect(place.effects).toEqual([])
})

test('a hook that throws what cannot be shown fails like any other', async () => {
  await using place = await aWorkplace(place => ({
    script: ONE_CALL,
    tools: [place.tool('A')],
    plugins: [{ name: 'odd', hooks: { stepStart: () => Promise.reject(Object.create(null)) } }],
  }))
  await using holdpoint = await place.open()
  const view = await advanced(holdpoint, (await started(holdpoint)).id)
  expect(view).toMatchObject({ status: 'done', termination: { type: 'error', code: 'plugin_failed' } })
})
