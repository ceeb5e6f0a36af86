import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { DecisionInput, Holdpoint, Json, Tool, ToolContext } from '../../src/index.ts'
import { historyFaults } from './history-faults.ts'
import { until } from './processes.ts'
import {
  advanced,
  ana,
  aWorkplace,
  becomes,
  call,
  following,
  gated,
  isDurable,
  journalOfThread,
  onlyHold,
  openHold,
  results,
  shapeOf,
  started,
} from './workplace.ts'

const approve = { verdict: 'approve', ...ana } as const
const reject = { verdict: 'reject', ...ana } as const

test.for([
  { limit: 2, at_once: 2 },
  { limit: 1, at_once: 1 },
  { limit: undefined, at_once: 8 },
])('of ten allowed calls with the limit $limit, $at_once run at once and never more', async ({ limit, at_once }) => {
  let [now, most] = [0, 0]
  const calls = Array.from({ length: 10 }, (_, n) => call(`c${n}`, 'count'))
  await using place = await aWorkplace(place => ({
    script: [{ calls }, 'Done.'],
    ...(limit && { maxConcurrentCalls: limit }),
    tools: [
      place.tool('count', {
        execute: async (_args: unknown, { toolCallId }: ToolContext) => {
          place.effects.push(toolCallId)
          now += 1
          most = Math.max(most, now)
          await delay(10)
          now -= 1
        },
      }),
    ],
  }))
  await using holdpoint = await place.open()
  expect(await advanced(holdpoint, (await started(holdpoint)).id)).toMatchObject({ status: 'done' })
  expect(most).toBe(at_once)
  expect(place.effects).toEqual(calls.map(({ id }) => id))
})

test('a decision starts its call while its siblings still run', async () => {
  await using place = await aWorkplace()
  const slow = gated(place, 'C')
  await using holdpoint = await place.open({
    script: [{ calls: [call('A'), call('C')] }, 'Done.'],
    tools: [place.held('A'), slow.tool],
  })
  const run = await started(holdpoint)
  const advancing = advanced(holdpoint, run.id)
  await slow.begun
  await holdpoint.decide((await openHold(holdpoint, 'A')).id, approve)
  await until(async () => (await holdpoint.run(run.id)).calls.find(({ id }) => id === 'A')?.status === 'succeeded')
  expect((await holdpoint.run(run.id)).calls.map(({ status }) => status)).toEqual(['succeeded', 'running'])
  slow.finish()
  expect(await advancing).toMatchObject({ status: 'done' })
  expect(place.effects).toEqual(['C', 'A'])
})

test('a decision that another process records starts its call while its siblings still run', async () => {
  await using place = await aWorkplace()
  const slow = gated(place, 'C')
  const options = { script: [{ calls: [call('A'), call('C')] }, 'Done.'], tools: [place.held('A'), slow.tool] }
  await using holdpoint = await place.open(options)
  await using elsewhere = await place.open(options)
  const run = await started(holdpoint)
  const advancing = advanced(holdpoint, run.id)
  await slow.begun
  await elsewhere.decide((await openHold(elsewhere, 'A')).id, approve)
  await until(() => place.effects.includes('A'))
  expect((await elsewhere.run(run.id)).calls.find(({ id }) => id === 'C')?.status).toBe('running')
  slow.finish()
  expect(await advancing).toMatchObject({ status: 'done' })
})

/** Three held calls; what people say comes in these portions, and the run is advanced after each. */
const PORTIONS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'one by one': [['A'], ['B'], ['C']],
  'one by one, the last first': [['C'], ['B'], ['A']],
  'all at once': [['A', 'B', 'C']],
  'two, then one': [['A', 'C'], ['B']],
}

/** Whether the same object goes on after each portion, or another one on the same file. */
const LIVES = ['live', 'after a restart'] as const

async function decidedInPortions(portions: readonly (readonly string[])[], life: (typeof LIVES)[number]) {
  await using place = await aWorkplace(place => ({
    script: [{ calls: [call('A'), call('B'), call('C')] }, 'Done.'],
    tools: [place.held('A'), place.held('B'), place.held('C')],
  }))
  const opened: Holdpoint[] = [await place.open()]
  const current = () => opened.at(-1) as Holdpoint
  const run = await started(current())
  await advanced(current(), run.id)
  const ids = new Map((await current().holds()).map(({ call_id, id }) => [call_id, id]))
  for (const portion of portions) {
    if (life !== 'live') {
      await current()[Symbol.asyncDispose]()
      opened.push(await place.open())
    }
    const said = portion.map(name => ({ hold_id: ids.get(name) ?? '', ...(name === 'B' ? reject : approve) }))
    const receipts = await current().decideMany(said)
    expect(receipts.map(({ outcome }) => outcome)).toEqual(portion.map(() => 'recorded'))
    await advanced(current(), run.id)
  }
  const view = await current().run(run.id)
  const shape = shapeOf(await journalOfThread(current(), run.thread_id))
  await current()[Symbol.asyncDispose]()
  return { view, shape, effects: place.effects }
}

test.for(Object.entries(PORTIONS))(
  'P8: decisions that come %s give the same conversation, live and after a restart',
  async ([, portions]) => {
    const [live, again] = [
      await decidedInPortions(portions, 'live'),
      await decidedInPortions(portions, 'after a restart'),
    ]
    for (const { view, effects } of [live, again]) {
      expect(view).toMatchObject({ status: 'done', termination: { type: 'natural_end' } })
      expect(effects.toSorted()).toEqual(['A', 'C'])
      expect(results(view)).toEqual([
        ['A', 'A done'],
        ['B', 'TOOL_CALL_REJECTED: ana rejected this call.'],
        ['C', 'C done'],
      ])
    }
    expect(again.shape).toEqual(live.shape)
  },
)

test('a decision recorded before anybody advances the run again waits for that, and then runs once', async () => {
  await using place = await aWorkplace(place => ({
    script: [{ calls: [call('A')] }, 'Done.'],
    tools: [place.held('A')],
  }))
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  const receipt = await holdpoint.decide((await onlyHold(holdpoint)).id, approve)
  expect(receipt).toMatchObject({ outcome: 'recorded' })
  expect(await holdpoint.run(run.id)).toMatchObject({ status: 'running', calls: [{ id: 'A', status: 'resuming' }] })
  expect(place.effects).toEqual([])
  expect(await advanced(holdpoint, run.id)).toMatchObject({ status: 'done' })
  expect(place.effects).toEqual(['A'])
})

test.for([
  { beside: 'beside a call that runs', calls: ['A', 'B', 'C'], status: 'done' },
  { beside: 'with nothing else to do', calls: ['A', 'B'], status: 'waiting' },
])(
  'a decision that comes the moment its hold can be seen, $beside, is kept and acted on',
  async ({ calls, status }) => {
    const receipts: Promise<unknown>[] = []
    await using place = await aWorkplace(place => ({
      script: [{ calls: calls.map(name => call(name)) }, 'Done.'],
      tools: [
        place.held('A'),
        place.held('B'),
        place.tool('C', {
          execute: async () => {
            await until(() => receipts.length === 2)
            await Promise.all(receipts)
            place.effects.push('C')
          },
        }),
      ],
    }))
    await using decider = await place.open()
    await using holdpoint = await place.open({
      // Told of each event once it is durable, so nobody could be earlier.
      open: {
        onEvent: event => {
          if (event.kind === 'hold.opened') receipts.push(decider.decide(event.data.hold_id, approve))
        },
      },
    })
    const run = await started(holdpoint)
    expect(await advanced(holdpoint, run.id)).toMatchObject({ status })
    expect(await Promise.all(receipts)).toMatchObject([{ outcome: 'recorded' }, { outcome: 'recorded' }])
    expect(await advanced(holdpoint, run.id)).toMatchObject({ status: 'done' })
    expect(place.effects.toSorted()).toEqual(calls)
  },
)

test('P2: a decision given twice is a duplicate, another one hears of the winner, an unknown hold is refused', async () => {
  await using place = await aWorkplace(place => ({
    script: [{ calls: [call('A'), call('B')] }, 'Done.'],
    tools: [place.held('A'), place.held('B')],
  }))
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  const [a, b] = [await openHold(holdpoint, 'A'), await openHold(holdpoint, 'B')]
  const click: DecisionInput = { hold_id: a.id, decision_id: 'click-1', ...approve }
  const said = [
    click,
    click,
    { hold_id: a.id, ...reject },
    { hold_id: 'hold_none', ...approve },
    { hold_id: b.id, ...reject },
  ]
  expect(await holdpoint.decideMany(said)).toMatchObject([
    { outcome: 'recorded', decision: { decision_id: 'click-1' } },
    { outcome: 'duplicate', decision: { decision_id: 'click-1' } },
    { outcome: 'already_decided', winner: { decision_id: 'click-1', decided_by: 'ana', verdict: 'approve' } },
    { outcome: 'refused', error: { code: 'unknown_hold' } },
    { outcome: 'recorded' },
  ])
  expect(await advanced(holdpoint, run.id)).toMatchObject({ status: 'done' })
  expect(place.effects).toEqual(['A'])
})

test('P2: a decision that comes when its call is long over changes nothing', async () => {
  await using place = await aWorkplace(place => ({
    script: [{ calls: [call('A')] }, 'Done.'],
    tools: [place.held('A')],
  }))
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  const { id } = await onlyHold(holdpoint)
  await holdpoint.decide(id, { decision_id: 'first', ...approve })
  const done = await advanced(holdpoint, run.id)
  expect(await holdpoint.decide(id, { decision_id: 'first', ...approve })).toMatchObject({ outcome: 'duplicate' })
  expect(await holdpoint.decide(id, reject)).toMatchObject({
    outcome: 'already_decided',
    winner: { decision_id: 'first' },
  })
  expect(await holdpoint.run(run.id)).toEqual(done)
  expect(place.effects).toEqual(['A'])
})

test('the timeline of A and B held and C plain is the same for whoever follows from elsewhere', async () => {
  await using place = await aWorkplace()
  const [a, b, c] = [
    gated(place, 'A', { needsApproval: true }),
    gated(place, 'B', { needsApproval: true }),
    gated(place, 'C'),
  ]
  const options = {
    script: [{ calls: [call('A'), call('B'), call('C')] }, 'Done.'],
    tools: [a.tool, b.tool, c.tool],
  }
  await using holdpoint = await place.open(options)
  await using elsewhere = await place.open(options)
  const run = await started(holdpoint)
  await using follower = following(elsewhere, run.thread_id)
  const statuses: string[] = []
  const look = async () => statuses.push((await elsewhere.run(run.id)).status)

  const advancing = advanced(holdpoint, run.id)
  await follower.first(becomes('C', 'running'))
  await look()
  await holdpoint.decide((await openHold(holdpoint, 'A')).id, approve)
  const started_ = await follower.first(becomes('A', 'running'))
  await look()
  a.finish()
  await follower.first(becomes('A', 'succeeded'))
  await look()
  c.finish()
  expect(await advancing).toMatchObject({ status: 'waiting' })
  await look()
  await holdpoint.decide((await openHold(holdpoint, 'B')).id, approve)
  await look()
  const finishing = advanced(holdpoint, run.id)
  await follower.first(becomes('B', 'running'))
  await look()
  b.finish()
  expect(await finishing).toMatchObject({ status: 'done' })
  expect(statuses).toEqual(['running', 'running', 'running', 'waiting', 'running', 'running'])

  await follower.first(({ kind }) => kind === 'run.finished')
  const calls = shapeOf(follower.journal).filter(line => / [ABC] /.test(line))
  expect(calls).toEqual([
    'hold.opened A suspended',
    'hold.opened B suspended',
    'call.started C running',
    'hold.decided A resuming',
    'call.started A running',
    'call.finished A succeeded',
    'call.finished C succeeded',
    'hold.decided B resuming',
    'call.started B running',
    'call.finished B succeeded',
  ])
  const decided = await follower.first(becomes('A', 'resuming'))
  if (!isDurable(decided) || !isDurable(started_)) throw new Error('a status changed without a durable event')
  // 50 ms on a machine that has nothing else to do.
  expect(Date.parse(started_.at) - Date.parse(decided.at)).toBeLessThan(1_000)
})

const RESUME_MODES = {
  replay_tool_call: {
    said: approve,
    runs: [null, null],
    result: 'ran 2 times',
  },
  use_decision_as_tool_result: {
    said: approve,
    runs: [null],
    result: { verdict: 'approve', arguments: null, value: null, reason: null, decided_by: 'ana' },
  },
  pass_decision_to_tool: {
    said: { ...approve, reason: 'go on' },
    runs: [null, 'go on'],
    result: { note: 'ana approved this call and said: go on', result: 'ran 2 times' },
  },
} as const

const suspensions = Object.entries(RESUME_MODES).flatMap(([mode, expected]) =>
  LIVES.map(life => [mode as keyof typeof RESUME_MODES, life, expected] as const),
)

test.for(suspensions)(
  'a tool that suspends itself with %s goes on from the decision, %s',
  async ([mode, life, expected]) => {
    const runs: (string | null)[] = []
    await using place = await aWorkplace(place => ({
      script: [{ calls: [call('A')] }, 'Done.'],
      tools: [
        place.tool('A', {
          execute: (_args: unknown, { suspend, decision }: ToolContext) => {
            runs.push(decision?.reason ?? null)
            if (runs.length === 1) suspend({ message: 'Really?', resumeMode: mode })
            return `ran ${runs.length} times`
          },
        }),
      ],
    }))
    const first = await place.open()
    const run = await started(first)
    expect(await advanced(first, run.id)).toMatchObject({
      status: 'waiting',
      calls: [{ id: 'A', status: 'suspended', attempt: 1 }],
      holds: [{ kind: 'approval', message: 'Really?', resume_mode: mode, tool: 'A' }],
    })
    await using _ = first
    await using second = life === 'live' ? null : await place.open()
    const now = second ?? first
    await now.decide((await onlyHold(now)).id, expected.said)
    const view = await advanced(now, run.id)
    expect(view).toMatchObject({ status: 'done' })
    expect(runs).toEqual(expected.runs)
    expect(results(view)).toEqual([['A', expected.result]])
  },
)

test.for(Object.keys(RESUME_MODES) as (keyof typeof RESUME_MODES)[])(
  'P1: a tool that suspended itself with %s does not go on from a rejection',
  async mode => {
    await using place = await aWorkplace(place => ({
      script: [{ calls: [call('A')] }, 'Done.'],
      tools: [
        place.tool('A', {
          execute: (_args: unknown, { suspend }: ToolContext) => {
            place.effects.push('A')
            suspend({ message: 'Really?', resumeMode: mode })
          },
        }),
      ],
    }))
    await using holdpoint = await place.open()
    const run = await started(holdpoint)
    await advanced(holdpoint, run.id)
    await holdpoint.decide((await onlyHold(holdpoint)).id, { ...reject, reason: 'not today' })
    const view = await advanced(holdpoint, run.id)
    const told = 'TOOL_CALL_REJECTED: not today. It had started before, so it may have had its effect.'
    expect(results(view)).toEqual([['A', told]])
    expect(place.effects).toEqual(['A'])
  },
)

test('a tool that asks a question from inside gets the answer that fits', async () => {
  await using place = await aWorkplace(place => ({
    script: [{ calls: [call('A')] }, 'Done.'],
    tools: [
      place.tool('A', {
        execute: (_args: unknown, { suspend, decision }: ToolContext) =>
          decision ? { chosen: decision.value } : suspend({ message: 'Which?', choices: ['red', 'blue'] }),
      }),
    ],
  }))
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  const hold = await onlyHold(holdpoint)
  expect(hold).toMatchObject({ kind: 'question', choices: ['red', 'blue'], message: 'Which?' })
  expect(await holdpoint.decide(hold.id, { verdict: 'respond', value: 'green', ...ana })).toMatchObject({
    outcome: 'refused',
    error: { code: 'not_a_choice' },
  })
  await holdpoint.decide(hold.id, { verdict: 'respond', value: 'blue', ...ana })
  expect(results(await advanced(holdpoint, run.id))).toEqual([['A', { chosen: 'blue' }]])
})

test('a held call that suspends itself when it runs is held anew, each time as a further attempt', async () => {
  await using place = await aWorkplace(place => ({
    script: [{ calls: [call('A', 'A', { n: 1 })] }, 'Done.'],
    tools: [
      place.held('A', {
        execute: ({ n }: Record<string, Json>, { suspend, decision }: ToolContext) => {
          place.effects.push(`${n} ${decision?.reason ?? 'none'}`)
          if (decision?.reason !== 'three') suspend({ message: `After ${decision?.reason ?? 'one'}?` })
          return 'paid'
        },
      }),
    ],
  }))
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  const asked: string[] = []
  for (const reason of ['one', 'two', 'three']) {
    const hold = await onlyHold(holdpoint)
    asked.push(hold.message)
    await holdpoint.decide(hold.id, { ...approve, reason })
    await advanced(holdpoint, run.id)
  }
  expect(asked).toEqual(['May A run?', 'After one?', 'After two?'])
  expect(place.effects).toEqual(['1 none', '1 two', '1 three'])
  const events = await journalOfThread(holdpoint, run.thread_id)
  expect(events.flatMap(event => (event.kind === 'call.started' ? [event.data.attempt] : []))).toEqual([1, 2, 3])
  const keys = events.flatMap(event => (event.kind === 'call.started' ? [event.data.idempotency_key] : []))
  expect(new Set(keys).size).toBe(1)
  const note = ['one', 'two', 'three'].map(said => `ana approved this call and said: ${said}`).join('\n')
  expect(results(await holdpoint.run(run.id))).toEqual([['A', { note, result: 'paid' }]])
})

test('a tool that suspends itself keeps none of its siblings from running', async () => {
  await using place = await aWorkplace(place => ({
    script: [{ calls: [call('A'), call('B'), call('C')] }, 'Done.'],
    tools: [
      place.tool('A', { execute: (_args: unknown, { suspend }: ToolContext) => suspend({ message: 'Really?' }) }),
      place.tool('B'),
      place.tool('C'),
    ],
  }))
  await using holdpoint = await place.open()
  const view = await advanced(holdpoint, (await started(holdpoint)).id)
  expect(view.calls.map(({ status }) => status)).toEqual(['suspended', 'succeeded', 'succeeded'])
  expect(view).toMatchObject({ status: 'waiting' })
})

test.for([
  { scope: 'call', before: ['B'], after: ['B', 'A'] },
  { scope: 'batch', before: [], after: ['A', 'B'] },
] as const)('in scope $scope the allowed call beside a held one has run before the decision: $before', async story => {
  await using place = await aWorkplace(place => ({
    script: [{ calls: [call('A'), call('B')] }, 'Done.'],
    tools: [place.held('A'), place.tool('B')],
    holdScope: story.scope,
  }))
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  expect(await advanced(holdpoint, run.id)).toMatchObject({ status: 'waiting' })
  expect(place.effects).toEqual(story.before)
  await holdpoint.decide((await onlyHold(holdpoint)).id, approve)
  const view = await advanced(holdpoint, run.id)
  expect(place.effects).toEqual(story.after)
  expect(results(view).map(([id]) => id)).toEqual(['A', 'B'])
})

test('in scope batch nothing runs while one hold of several is open, and then all of it, in listed order', async () => {
  await using place = await aWorkplace(place => ({
    script: [{ calls: [call('A'), call('B'), call('C')] }, 'Done.'],
    tools: [place.held('A'), place.tool('B'), place.held('C')],
    holdScope: 'batch',
  }))
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  await holdpoint.decide((await openHold(holdpoint, 'C')).id, approve)
  expect(await advanced(holdpoint, run.id)).toMatchObject({ status: 'waiting' })
  expect(place.effects).toEqual([])
  await holdpoint.decide((await openHold(holdpoint, 'A')).id, approve)
  await advanced(holdpoint, run.id)
  expect(place.effects).toEqual(['A', 'B', 'C'])
})

test('P5: calls that fail, are denied, rejected or cancelled fail no sibling, and all results come in call order', async () => {
  const boom = (place: { tool(name: string, more: object): Tool }) =>
    place.tool('fails', {
      execute: () => {
        throw new Error('boom')
      },
    })
  await using place = await aWorkplace()
  const slow = gated(place, 'slow')
  await using holdpoint = await place.open({
    script: [
      {
        calls: [
          call('c1', 'slow'),
          call('c2', 'fails'),
          call('c3', 'rejected'),
          call('c4', 'cancelled'),
          call('c5', 'never'),
          call('c6', 'nobody'),
          call('c7', 'fine'),
        ],
      },
      'Done.',
    ],
    tools: [
      slow.tool,
      boom(place),
      place.held('rejected'),
      place.held('cancelled'),
      place.tool('never'),
      place.tool('fine'),
    ],
    policy: { tools: { never: 'never' }, on_never: 'reject' },
  })
  const run = await started(holdpoint)
  const advancing = advanced(holdpoint, run.id)
  await slow.begun
  await holdpoint.decide((await openHold(holdpoint, 'c4')).id, { verdict: 'cancel', ...ana, reason: 'no need' })
  await holdpoint.decide((await openHold(holdpoint, 'c3')).id, { ...reject, reason: 'not that' })
  await until(() => place.effects.includes('fine'))
  slow.finish()
  const view = await advancing
  expect(view).toMatchObject({ status: 'done', answer: 'Done.' })
  expect(results(view)).toEqual([
    ['c1', 'slow done'],
    ['c2', 'TOOL_CALL_FAILED: boom'],
    ['c3', 'TOOL_CALL_REJECTED: not that'],
    ['c4', 'TOOL_CALL_CANCELLED: no need'],
    ['c5', expect.stringMatching(/^TOOL_CALL_FORBIDDEN: policy says never/)],
    ['c6', expect.stringMatching(/^UNKNOWN_TOOL: /)],
    ['c7', 'fine done'],
  ])
  expect(historyFaults(view.messages)).toEqual([])
})

test('an edit that comes while siblings run is what runs, and the model is told of both', async () => {
  await using place = await aWorkplace()
  const slow = gated(place, 'slow')
  const pay = place.held('pay', {
    execute: ({ n }: Record<string, Json>) => {
      place.effects.push(`paid ${n}`)
      return n
    },
  })
  await using holdpoint = await place.open({
    script: [{ calls: [call('A', 'pay', { n: 1 }), call('C', 'slow')] }, 'Done.'],
    tools: [pay, slow.tool],
  })
  const run = await started(holdpoint)
  const advancing = advanced(holdpoint, run.id)
  await slow.begun
  const { id } = await openHold(holdpoint, 'A')
  await holdpoint.decide(id, { verdict: 'edit', arguments: { n: 2 }, ...ana })
  await until(() => place.effects.includes('paid 2'))
  slow.finish()
  const [[, result] = []] = results(await advancing)
  expect(result).toMatchObject({ original_arguments: { n: 1 }, executed_arguments: { n: 2 }, result: 2 })
  expect(place.effects).toEqual(['slow', 'paid 2'])
})

test.for(['here', 'elsewhere'])(
  'a decision that comes (%s) while a plugin looks at a result starts its call',
  async where => {
    const [waits, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const hook = async (_view: unknown, { name }: { name: string }) => {
      if (name !== 'A') return
      waits.resolve()
      await go.promise
    }
    await using place = await aWorkplace()
    const slow = gated(place, 'C')
    const options = {
      script: [{ calls: [call('A'), call('B'), call('C')] }, 'Done.'],
      tools: [place.tool('A'), place.held('B'), slow.tool],
    }
    await using holdpoint = await place.open({
      ...options,
      plugins: [{ name: 'patient', hooks: { afterToolExecute: hook } }],
    })
    await using elsewhere = await place.open(options)
    const decider = where === 'here' ? holdpoint : elsewhere
    const run = await started(holdpoint)
    const advancing = advanced(holdpoint, run.id)
    await waits.promise
    await decider.decide((await openHold(decider, 'B')).id, approve)
    // Whoever advances the run hears of it before the plugin is done.
    await delay(50)
    go.resolve()
    await until(() => place.effects.includes('B'))
    slow.finish()
    expect(await advancing).toMatchObject({ status: 'done', answer: 'Done.' })
  },
)

const UNANSWERABLE: readonly (readonly [what: string, request: unknown])[] = [
  ['without a message', {}],
  ['about what is no JSON', { message: 'May it?', context: 1n }],
  ['of the kind of a text pause', { message: 'May it?', kind: 'input' }],
  ['of an unknown kind', { message: 'May it?', kind: 'vote' }],
  ['with choices that are no list', { message: 'Which?', choices: 'ab' }],
  ['with a schema that is none', { message: 'Which?', responseSchema: 'text' }],
  ['with an unknown resume mode', { message: 'May it?', resumeMode: 'again' }],
]

test.for(UNANSWERABLE)('a tool that suspends itself %s fails, and its siblings go on', async ([, request]) => {
  await using place = await aWorkplace()
  const slow = gated(place, 'C')
  const asking = place.tool('A', {
    execute: async (_args: unknown, { suspend }: ToolContext) => suspend(request as Parameters<typeof suspend>[0]),
  })
  await using holdpoint = await place.open({
    script: [{ calls: [call('A'), call('C')] }, 'Done.'],
    tools: [asking, slow.tool],
  })
  const run = await started(holdpoint)
  const advancing = advanced(holdpoint, run.id)
  await slow.begun
  await until(async () => (await holdpoint.run(run.id)).calls[0]?.status === 'failed')
  slow.finish()
  expect(results(await advancing)).toEqual([
    ['A', expect.stringMatching(/^INVALID_REQUEST: people cannot be asked: /)],
    ['C', 'C done'],
  ])
  expect(slow.aborted).toBe(false)
})

const RESULTS = [
  ['nothing', undefined, null],
  ['a function', () => 1, 'It ran to its end; its result could not be kept: result is a function.'],
  ['a number that JSON has not', { payment_id: 12n }, { payment_id: '12' }],
  [
    'what has no fields',
    new Response('x'),
    'It ran to its end; its result could not be kept: result is a Response, of which nothing could be kept.',
  ],
  [
    'no number',
    { id: 1, share: Number.NaN },
    {
      note: 'It ran to its end; its result could not be kept in full: result.share is NaN.',
      result: { id: 1, share: null },
    },
  ],
] as const

test.for(RESULTS)(
  "P11: a tool of somebody's own that returns %s has succeeded, and leaves a journal that can be read",
  async ([, given, told]) => {
    await using place = await aWorkplace()
    const own: Tool = { ...place.tool('A'), execute: async () => given as never }
    await using holdpoint = await place.open({ script: [{ calls: [call('A')] }, 'Done.'], tools: [own] })
    const run = await started(holdpoint)
    await advanced(holdpoint, run.id)
    const view = await holdpoint.run(run.id)
    expect(results(view)).toEqual([['A', told]])
    expect(view.messages.find(({ role }) => role === 'tool')).toMatchObject({ is_error: false })
  },
)

test('a tool whose check of arguments throws fails its call alone', async () => {
  await using place = await aWorkplace()
  const broken: Tool = {
    ...place.tool('A'),
    validate: () => {
      throw new Error('no such table')
    },
  }
  await using holdpoint = await place.open({
    script: [{ calls: [call('A'), call('B')] }, 'Done.'],
    tools: [broken, place.tool('B')],
  })
  const view = await advanced(holdpoint, (await started(holdpoint)).id)
  expect(results(view)).toEqual([
    ['A', expect.stringMatching(/^INVALID_ARGUMENTS: .*no such table/)],
    ['B', 'B done'],
  ])
})

test('a cancel does not wait for a check of arguments that never ends', async () => {
  await using place = await aWorkplace()
  const checking = Promise.withResolvers<void>()
  const hung: Tool = {
    ...place.tool('A'),
    validate: () => {
      checking.resolve()
      return new Promise(() => {})
    },
  }
  await using holdpoint = await place.open({ script: [{ calls: [call('A')] }, 'Done.'], tools: [hung] })
  const run = await started(holdpoint)
  const advancing = advanced(holdpoint, run.id)
  await checking.promise
  await holdpoint.cancel(run.id, { by: 'ben' })
  expect(await advancing).toMatchObject({ status: 'done', termination: { type: 'cancelled' } })
})

test('P9: what a tool does to its arguments changes neither what is shown nor what is approved', async () => {
  const seen: Json[] = []
  const before = { amount: 5 }
  await using place = await aWorkplace()
  const greedy = place.tool('pay', {
    needsApproval: args => {
      Object.assign(args as object, { amount: 50 })
      return false
    },
    execute: async (args: Record<string, Json>, { decision, suspend }: ToolContext) => {
      seen.push({ ...args })
      args['amount'] = 500
      return decision ? 'paid' : suspend({ message: 'May it?' })
    },
  })
  await using holdpoint = await place.open({
    script: [{ calls: [call('A', 'pay', before)] }, 'Done.'],
    tools: [greedy],
  })
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  const hold = await onlyHold(holdpoint)
  expect(hold.arguments).toEqual(before)
  await holdpoint.decide(hold.id, approve)
  expect(await advanced(holdpoint, run.id)).toMatchObject({ status: 'done' })
  expect(seen).toEqual([before, before])
})
