import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describeEffect } from '../../src/core/deadlines/describe-due.ts'
import {
  type DecidersOptions,
  type DueOptions,
  defineAgent,
  type FinalAction,
  type Hold,
  type Holdpoint,
  type OnDue,
  openHoldpoint,
  type Tool,
  toTool,
} from '../../src/index.ts'
import { scriptedModel } from '../../src/models/scripted-model.ts'
import { type HandClock, handClock } from '../../src/testing/kit/hand-clock.ts'
import { askHuman } from '../../src/tools/ask-human.ts'
import { runs } from '../runs.ts'
import { until } from './processes.ts'
import { aProject, command } from './project.ts'
import {
  advanced,
  ana,
  aWorkplace,
  call,
  gated,
  journalOfThread,
  onlyHold,
  results,
  started,
  type Workplace,
} from './workplace.ts'

const START = '2030-01-01T00:00:00.000Z'
const at = (seconds: number) => new Date(Date.parse(START) + seconds * 1000).toISOString()
const SCRIPT = [{ calls: [call('a', 'deploy', { to: 'production' })] }, 'Done.']

interface Scene extends AsyncDisposable {
  readonly place: Workplace
  readonly clock: HandClock
  /** Another face on the same file, with the same clock. */
  open(): Promise<Holdpoint>
}

interface Suspending {
  suspend(asked: object): never
}

type Usual = Parameters<Workplace['open']>[0]

/** `deploy` must be approved; `due` is what its tool says of time. */
async function aScene(due: object | null = null, more: Usual = {}, tool: object = {}): Promise<Scene> {
  const clock = handClock(START)
  const place = await aWorkplace(it => ({
    script: SCRIPT,
    tools: [it.held('deploy', { ...(due && { due }), ...tool })],
    ...more,
    open: { clock, ...more?.open },
  }))
  return { place, clock, open: () => place.open(), [Symbol.asyncDispose]: () => place[Symbol.asyncDispose]() }
}

async function paused(holdpoint: Holdpoint): Promise<{ id: string; thread_id: string; hold: Hold }> {
  const run = await started(holdpoint)
  expect(await advanced(holdpoint, run.id)).toMatchObject({ status: 'waiting' })
  const [hold] = await holdpoint.holds({ run_id: run.id, status: 'open' })
  if (!hold) throw new Error('nothing is held')
  return { ...run, hold }
}

const kindsIn = async (holdpoint: Holdpoint, thread: string) =>
  (await journalOfThread(holdpoint, thread)).map(({ kind }) => kind).filter(kind => kind.startsWith('hold.'))

const minutes = (n: number) => n * 60_000

describe('a clock that is set', () => {
  const jumped = async (on_due: OnDue, ms: number) => {
    const scene = await aScene({ seconds: 1_800, on_due })
    const holdpoint = await scene.open()
    const run = await paused(holdpoint)
    scene.clock.step(ms)
    return { scene, holdpoint, ...run }
  }

  test('P1: approves nothing that only time would approve, until a worker has watched it for a minute', async () => {
    const { scene, holdpoint, id, hold } = await jumped('auto_approve', 3_600_000)
    await using _scene = scene
    await using _holdpoint = holdpoint
    expect(await holdpoint.expireHolds()).toEqual([])
    expect(await advanced(holdpoint, id)).toMatchObject({ status: 'waiting' })
    expect(scene.place.effects).toEqual([])

    // Its code is loaded before the clock moves.
    await holdpoint.work({ once: true })
    const drain = new AbortController()
    const work = holdpoint.work({ signal: drain.signal })
    const passed = async (ms: number) => {
      for (let left = ms; left > 0; left -= 500) {
        scene.clock.advance(500)
        for (let turn = 0; turn < 5; turn += 1) await new Promise(resolve => setImmediate(resolve))
      }
    }
    await passed(55_000)
    expect(await holdpoint.hold(hold.id)).toMatchObject({ status: 'open' })
    await passed(15_000)
    drain.abort()
    await passed(30_000)
    await work
    expect(await holdpoint.hold(hold.id)).toMatchObject({ status: 'expired', decision: { verdict: 'approve' } })
  })

  test.each([
    ['approve', ['deploy']],
    ['reject', []],
  ] as const)('P1: leaves what only time would approve to people: %s', async (verdict, effects) => {
    const { scene, holdpoint, id, hold } = await jumped('auto_approve', 3_600_000)
    await using _scene = scene
    await using _holdpoint = holdpoint
    expect(await holdpoint.expireHolds()).toEqual([])
    expect(await holdpoint.decide(hold.id, { verdict, ...ana })).toMatchObject({ outcome: 'recorded' })
    expect(await advanced(holdpoint, id)).toMatchObject({ status: 'done' })
    expect(scene.place.effects).toEqual(effects)
  })

  test.each(['reject', 'cancel'] as const)('%ss at once what it makes due', async on_due => {
    const { scene, holdpoint } = await jumped(on_due, 3_600_000)
    await using _scene = scene
    await using _holdpoint = holdpoint
    expect(await holdpoint.expireHolds()).toMatchObject([{ kind: 'hold.expired', data: { on_due } }])
  })

  test('back and then forward to where it was approves in time', async () => {
    const { scene, holdpoint } = await jumped('auto_approve', -3_600_000)
    await using _scene = scene
    await using _holdpoint = holdpoint
    scene.clock.advance(1_800_000)
    expect(await holdpoint.expireHolds()).toEqual([])
    scene.clock.step(3_600_000)
    expect(await holdpoint.expireHolds()).toMatchObject([{ kind: 'hold.expired', data: { on_due: 'auto_approve' } }])
  })
})

describe('each thing happens once', () => {
  const ENDS: readonly (readonly [OnDue, effects: readonly string[], told: string, end: string])[] = [
    ['cancel', [], 'TOOL_CALL_CANCELLED', 'cancelled'],
    ['reject', [], 'TOOL_CALL_REJECTED', 'natural_end'],
    ['auto_approve', ['deploy'], 'deploy done', 'natural_end'],
  ]

  test.each(ENDS)('to %s, whoever sweeps and however often', async (on_due, effects, told, end) => {
    await using scene = await aScene({ seconds: 60, on_due })
    await using one = await scene.open()
    await using two = await scene.open()
    await using three = await scene.open()
    const run = await paused(one)
    scene.clock.advance(59_999)
    expect(await one.expireHolds()).toEqual([])
    scene.clock.advance(1)
    const swept = await Promise.all([one, two, three].map(each => each.expireHolds()))
    expect(swept.flat()).toMatchObject([{ kind: 'hold.expired', data: { hold_id: run.hold.id, on_due } }])
    for (let n = 0; n < 10; n += 1) {
      scene.clock.advance(minutes(60))
      expect(await [one, two, three][n % 3]?.expireHolds()).toEqual([])
    }
    expect(await two.nextDue()).toBeNull()
    const done = await advanced(two, run.id)
    expect(done).toMatchObject({ status: 'done', termination: { type: end } })
    expect(JSON.stringify(results(done))).toContain(told)
    expect(scene.place.effects).toEqual(effects)
    expect(await kindsIn(one, run.thread_id)).toEqual(['hold.opened', 'hold.expired'])
    expect(await three.hold(run.hold.id)).toMatchObject({ status: 'expired', decision: { decided_by: 'holdpoint' } })
  })

  test('a deadline that cancels ends the run, and its other holds are withdrawn', async () => {
    const calls = [call('a', 'deploy', { to: 'a' }), call('b', 'wait', {})]
    await using scene = await aScene({ seconds: 60 }, { script: [{ calls }, 'Done.'], holdScope: 'batch' }, {})
    await using holdpoint = await scene.place.open({
      tools: [scene.place.held('wait'), scene.place.held('deploy', { due: { seconds: 60 } })],
      open: { clock: scene.clock },
    })
    const run = await started(holdpoint)
    expect(await advanced(holdpoint, run.id)).toMatchObject({ status: 'waiting' })
    scene.clock.advance(minutes(1))
    await holdpoint.expireHolds()
    expect(await holdpoint.holds({ run_id: run.id, status: 'open' })).toEqual([])
    expect(await holdpoint.holds({ run_id: run.id, status: 'withdrawn' })).toMatchObject([{ tool: 'wait' }])
    expect((await holdpoint.runs())[0]).toMatchObject({ status: 'running' })
    expect(await advanced(holdpoint, run.id)).toMatchObject({
      status: 'done',
      termination: { type: 'cancelled', by: 'holdpoint', reason: expect.stringContaining('nobody decided until') },
    })
    expect(scene.place.effects).toEqual([])
  })

  test('a deadline that cancels stops the calls of the run that are under way', async () => {
    await using scene = await aScene()
    const slow = gated(scene.place, 'work')
    await using holdpoint = await scene.place.open({
      script: [{ calls: [call('a', 'deploy'), call('b', 'work')] }, 'Done.'],
      tools: [scene.place.held('deploy', { due: { seconds: 60 } }), slow.tool],
      holdScope: 'call',
      open: { clock: scene.clock },
    })
    const run = await started(holdpoint)
    const advancing = advanced(holdpoint, run.id)
    await slow.begun
    await until(async () => (await holdpoint.holds({ status: 'open' })).length === 1)
    scene.clock.advance(minutes(1))
    await holdpoint.expireHolds()
    expect(await advancing).toMatchObject({ termination: { type: 'cancelled', by: 'holdpoint' } })
    expect(slow.aborted).toBe(true)
    expect(scene.place.effects).toEqual(['work'])
  })

  test('in many runs at once, each of them by one of three', async () => {
    await using scene = await aScene({ seconds: 60 })
    await using one = await scene.open()
    await using two = await scene.open()
    await using three = await scene.open()
    const runs = []
    for (let n = 0; n < 20; n += 1) runs.push(await paused(one))
    scene.clock.advance(minutes(2))
    const swept = (await Promise.all([one, two, three].map(each => each.expireHolds()))).flat()
    expect(swept.map(({ data }) => data.hold_id).toSorted()).toEqual(runs.map(({ hold }) => hold.id).toSorted())
  })

  test('also where nobody sweeps: whoever advances the run finds it expired', async () => {
    await using scene = await aScene({ seconds: 60, on_due: 'reject' })
    await using holdpoint = await scene.open()
    const run = await paused(holdpoint)
    expect(await advanced(holdpoint, run.id)).toMatchObject({ status: 'waiting' })
    scene.clock.advance(minutes(1))
    expect(await advanced(holdpoint, run.id)).toMatchObject({ status: 'done' })
    expect(await kindsIn(holdpoint, run.thread_id)).toEqual(['hold.opened', 'hold.expired'])
  })

  test('in scope batch the batch goes on once all of it is decided, by people or by time', async () => {
    const calls = [call('a', 'deploy', { to: 'a' }), call('b', 'deploy', { to: 'b' })]
    await using scene = await aScene(
      { seconds: 60, on_due: 'reject' },
      { script: [{ calls }, 'Done.'], holdScope: 'batch' },
    )
    await using holdpoint = await scene.open()
    const run = await started(holdpoint)
    const { holds } = await advanced(holdpoint, run.id)
    await holdpoint.decide(holds[1]?.id ?? '', { verdict: 'approve', ...ana })
    expect(await advanced(holdpoint, run.id)).toMatchObject({ status: 'waiting' })
    scene.clock.advance(minutes(1))
    await holdpoint.expireHolds()
    const done = await advanced(holdpoint, run.id)
    expect(results(done)).toMatchObject([
      ['a', expect.stringContaining('TOOL_CALL_REJECTED')],
      ['b', 'deploy done'],
    ])
    expect(scene.place.effects).toEqual(['deploy'])
  })
})

describe('an answer that races the deadline', () => {
  let scene: Scene
  let faces: readonly [Holdpoint, Holdpoint]

  beforeAll(async () => {
    scene = await aScene({ seconds: 60, on_due: 'reject' })
    faces = [await scene.open(), await scene.open()]
  })
  afterAll(async () => {
    for (const face of faces) await face[Symbol.asyncDispose]()
    await scene[Symbol.asyncDispose]()
  })

  /** The clock strikes after a few turns of whoever is quicker. */
  async function strike(turns: number): Promise<void> {
    for (let n = 0; n < turns; n += 1) await Promise.resolve()
    scene.clock.advance(1)
  }

  /** One answer and one or two sweeps; resolves to what the answer came to. */
  async function race(round: number): Promise<string> {
    const [answers, sweeps] = faces
    const run = await started(answers)
    await answers.advance(run.id)
    const hold = await onlyHold(answers)
    scene.clock.advance(Date.parse(hold.due_at ?? '') - scene.clock.now() - 1)
    const [receipt] = await Promise.all([
      answers.decide(hold.id, { verdict: 'approve', ...ana }),
      strike(round % 40),
      sweeps.expireHolds(),
      round % 2 === 0 ? sweeps.expireHolds() : null,
    ])
    await sweeps.expireHolds()
    const isAnswered = receipt.outcome === 'recorded'
    await agree(sweeps, { hold: hold.id, run: run.id, thread: run.thread_id, isAnswered })
    return receipt.outcome === 'refused' ? receipt.error.code : receipt.outcome
  }

  test('P2: has exactly one outcome each time, and thread, hold and journal agree', async () => {
    const rounds = runs(1_000)
    const outcomes: string[] = []
    for (let round = 0; round < rounds; round += 1) outcomes.push(await race(round))
    const answered = outcomes.filter(outcome => outcome === 'recorded').length
    const late = outcomes.filter(outcome => outcome === 'hold_expired' || outcome === 'hold_overdue').length
    expect(answered + late).toBe(rounds)
    expect(answered).toBeGreaterThan(rounds / 20)
    expect(late).toBeGreaterThan(rounds / 20)
    expect(scene.place.effects).toHaveLength(answered)
  })
})

interface Raced {
  readonly hold: string
  readonly run: string
  readonly thread: string
  readonly isAnswered: boolean
}

async function agree(holdpoint: Holdpoint, { hold, run, thread, isAnswered }: Raced): Promise<void> {
  const kinds = await kindsIn(holdpoint, thread)
  expect(kinds).toEqual(['hold.opened', isAnswered ? 'hold.decided' : 'hold.expired'])
  const row = await holdpoint.hold(hold)
  expect(row).toMatchObject(
    isAnswered
      ? { status: 'decided', decision: { verdict: 'approve', decided_by: 'ana' } }
      : { status: 'expired', decision: { verdict: 'reject', decided_by: 'holdpoint' } },
  )
  const { run: folded } = await holdpoint.thread(thread)
  expect(folded?.holds.get(hold)?.decision).toEqual(row?.decision)
  const done = await advanced(holdpoint, run)
  expect(results(done)).toMatchObject([
    [expect.any(String), isAnswered ? 'deploy done' : expect.stringContaining('TOOL_CALL_REJECTED')],
  ])
}

describe('the most specific setting wins', () => {
  const HOLD = { message: 'May it?', dueAt: at(10), onDue: 'reject' } as const
  const tool = { seconds: 20, onDue: 'auto_approve' } as const
  const agent = { seconds: 30, onDue: 'cancel' } as const
  const project = { seconds: 40, onDue: 'reject' } as const
  interface Said {
    readonly hold?: object
    readonly tool?: object
    readonly agent?: DueOptions
    readonly project?: DueOptions
  }
  /** A tool that asks by itself, where its hold says something. */
  const asks = (request: object | undefined) =>
    request
      ? { needsApproval: false, execute: async (_: unknown, context: Suspending) => context.suspend(request) }
      : {}

  const SETTINGS: readonly (readonly [who: string, said: Said, timing: Pick<Hold, 'due_at' | 'on_due'>])[] = [
    ['of the hold', { hold: HOLD, tool, agent, project }, { due_at: at(10), on_due: 'reject' }],
    ['of the tool', { tool, agent, project }, { due_at: at(20), on_due: 'auto_approve' }],
    ['of the agent', { agent, project }, { due_at: at(30), on_due: 'cancel' }],
    ['of the project', { project }, { due_at: at(40), on_due: 'reject' }],
    ['of nobody: it waits without limit', {}, { due_at: null, on_due: null }],
    ['of the tool: never', { tool: { seconds: null }, agent, project }, { due_at: null, on_due: null }],
    ['of the hold: never', { hold: { ...HOLD, dueAt: null }, tool, agent }, { due_at: null, on_due: null }],
    [
      'of each for itself',
      { hold: { message: 'May it?', onDue: 'reject' }, agent: { seconds: 30 }, project },
      { due_at: at(30), on_due: 'reject' },
    ],
  ]

  test.each(SETTINGS)('%s', async (_who, said, timing) => {
    const agentSays = said.agent ? { due: said.agent } : {}
    const projectSays = said.project ? { open: { due: said.project } } : {}
    await using scene = await aScene(said.tool ?? null, { ...agentSays, ...projectSays }, asks(said.hold))
    await using holdpoint = await scene.open()
    expect((await paused(holdpoint)).hold).toMatchObject(timing)
    expect(await holdpoint.nextDue()).toBe(timing.due_at)
  })

  test('a setting that says nothing of escalation keeps that of the tool', async () => {
    const escalation = [{ assignee: 'mia', seconds: 60 }]
    await using scene = await aScene({ escalation }, { due: { seconds: 30, onDue: 'reject' } })
    await using holdpoint = await scene.open()
    expect((await paused(holdpoint)).hold).toMatchObject({
      due_at: at(30),
      on_due: 'escalate',
      escalation: [{ assignee: 'mia' }],
    })
  })

  test('a text pause waits for as long as it takes', async () => {
    await using scene = await aScene(null, { script: ['What now?'], pauseOn: ['input'], tools: [] })
    await using holdpoint = await scene.open()
    expect((await paused(holdpoint)).hold).toMatchObject({ kind: 'input', due_at: null })
  })

  test.each<[FinalAction, string]>([
    ['cancel', 'cancelled'],
    ['auto_approve', 'natural_end'],
  ])('a text pause whose agent says when ends by %s as %s', async (onDue, type) => {
    await using scene = await aScene(null, {
      script: ['What now?'],
      pauseOn: ['input'],
      tools: [],
      due: { seconds: 60, onDue },
    })
    await using holdpoint = await scene.open()
    const run = await paused(holdpoint)
    scene.clock.advance(minutes(1))
    await holdpoint.expireHolds()
    expect(await advanced(holdpoint, run.id)).toMatchObject({ status: 'done', termination: { type } })
  })
})

describe('auto_approve', () => {
  test.each([
    ['the tool', { seconds: 60, onDue: 'auto_approve' }, {}],
    [
      'the end of its escalation',
      { onDue: 'escalate', escalation: [{ assignee: 'mia', seconds: 9 }], finally: 'auto_approve' },
      {},
    ],
    ['the agent', null, { due: { onDue: 'auto_approve' } }],
    ['the project', null, { open: { due: { onDue: 'auto_approve' } } }],
  ] as const)('P1: of %s is refused for a destructive tool when its agent is loaded', async (_who, due, more) => {
    await using scene = await aScene(due, more as Usual, { destructive: true })
    const starting = (async () => {
      await using holdpoint = await scene.open()
      await started(holdpoint)
    })()
    await expect(starting).rejects.toMatchObject({
      code: 'invalid_agent',
      message: expect.stringContaining('deploy is destructive'),
    })
  })

  test('P1: of one hold never lets a destructive tool run', async () => {
    await using scene = await aScene(
      null,
      {},
      {
        destructive: true,
        needsApproval: false,
        execute: async (_: unknown, context: Suspending) =>
          context.suspend({ message: 'May it?', dueAt: at(60), onDue: 'auto_approve', resumeMode: 'replay_tool_call' }),
      },
    )
    await using holdpoint = await scene.open()
    const run = await paused(holdpoint)
    expect(run.hold).toMatchObject({ on_due: 'cancel' })
    scene.clock.advance(minutes(1))
    expect(await holdpoint.expireHolds()).toMatchObject([{ data: { on_due: 'cancel' } }])
  })
})

describe('where time may approve nothing', () => {
  const DUE = { seconds: 60, onDue: 'auto_approve' } as const
  const client = toTool('pick', { inputSchema: { type: 'object' } })
  const own = (changes: object) => ({ ...askHuman(), name: 'own', ...changes })

  test.each<readonly [string, readonly (string | Tool)[], RegExp]>([
    ['questions', ['ask_human'], /ask_human waits for an answer/],
    ['built-in commands', ['run_command'], /run_command is destructive/],
    ['both, and files', ['ask_human', 'run_command', 'write_file', 'edit_file'], /edit_file is destructive/],
    ['tools of a client', [client], /pick waits for an answer/],
    ['a tool of its own that asks', [own({})], /own waits for an answer/],
  ])('an agent whose deadline approves is refused: %s', async (_of, tools, why) => {
    const message = { code: 'invalid_agent', message: expect.stringMatching(why) }
    for (const due of [
      DUE,
      { onDue: 'escalate', escalation: [{ assignee: 'mia', seconds: 9 }], finally: 'auto_approve' } as const,
    ])
      await expect(
        openHoldpoint({ store: 'memory:', agents: [defineAgent({ name: 'worker', tools, due })] }),
      ).rejects.toMatchObject(message)
    await expect(
      openHoldpoint({ store: 'memory:', due: DUE, agents: [defineAgent({ name: 'worker', tools })] }),
    ).rejects.toMatchObject(message)
  })

  test('the setting of a tool that asks is refused when its agent is loaded', async () => {
    const tools = ['read_file', own({ due: { seconds: 60, on_due: 'auto_approve' } })]
    const model = scriptedModel([{ calls: [call('a', 'own', { question: 'Which?' })] }])
    await using holdpoint = await openHoldpoint({
      store: 'memory:',
      agents: [defineAgent({ name: 'worker', model, tools })],
    })
    await expect(started(holdpoint)).rejects.toMatchObject({
      code: 'invalid_agent',
      message: expect.stringContaining('own waits for an answer'),
    })
  })

  test.each([[['read_file', 'ask_human']], [['request_approval', 'run_command']], [[]]])(
    'an agent with %j is not refused: time may approve some of it, or there is nothing to approve',
    async tools => {
      await using _ = await openHoldpoint({
        store: 'memory:',
        due: DUE,
        agents: [defineAgent({ name: 'worker', tools })],
      })
    },
  )

  test.each([
    ['choices', { choices: ['a', 'b'] }],
    ['a schema', { responseSchema: { type: 'string' } }],
    ['a kind', { kind: 'question' }],
    ['a result that comes from elsewhere', { kind: 'client_tool', finally: 'auto_approve', onDue: 'cancel' }],
  ])('a question with %s that time would approve is refused to the tool that asks it', async (_of, request) => {
    await using scene = await aScene(
      null,
      {},
      {
        needsApproval: false,
        execute: async (_: unknown, context: Suspending) =>
          context.suspend({ message: 'Which?', dueAt: at(60), onDue: 'auto_approve', ...request } as never),
      },
    )
    await using holdpoint = await scene.open()
    const { id } = await started(holdpoint)
    expect(results(await advanced(holdpoint, id))).toEqual([['a', expect.stringContaining('no deadline gives one')]])
  })

  test('a hold says why it is cancelled, and not approved', async () => {
    await using scene = await aScene(null, {
      script: [{ calls: [call('a', 'ask_human', { question: 'Which?' })] }],
      tools: ['ask_human', 'read_file'],
      due: DUE,
    })
    await using holdpoint = await scene.open()
    const { hold } = await paused(holdpoint)
    expect(hold).toMatchObject({ on_due: 'cancel', not_by_time: 'it waits for an answer, and time has none' })
    expect(describeEffect(hold)).toBe('its run cancelled, and not approved: it waits for an answer, and time has none')
  })
})

test('P1: time may approve what is asked in words, and by that word no call passes that demands an approval', async () => {
  const asked = { action: 'wipe', reason: 'full', details: null }
  await using scene = await aScene(null, {
    script: [{ calls: [call('a', 'request_approval', asked)] }, { calls: [call('b', 'wipe')] }, 'So not.'],
    tools: ['request_approval'],
    due: { seconds: 60, onDue: 'auto_approve' },
  })
  const wipe = scene.place.tool('wipe', { demandsApproval: () => ({ action: 'wipe' }) })
  await using holdpoint = await scene.place.open({ tools: ['request_approval', wipe] })
  const { id, hold } = await paused(holdpoint)
  expect(describeEffect(hold)).toBe('approved, with nobody having looked')
  scene.clock.advance(minutes(1))
  await holdpoint.expireHolds()
  const view = await advanced(holdpoint, id)
  expect(results(view)).toEqual([
    [
      'a',
      expect.objectContaining({
        verdict: 'approve',
        decided_by: 'holdpoint',
        reason: expect.stringContaining('No call that needs an approval'),
      }),
    ],
    ['b', expect.stringContaining('APPROVAL_REQUIRED')],
  ])
  expect(scene.place.effects).toEqual([])
})

describe('P1: auto_approve does not stand in for the people who must decide', () => {
  const DUE = { seconds: 60, onDue: 'auto_approve' } as const
  const DECIDERS: readonly (readonly [what: string, deciders: DecidersOptions])[] = [
    ['named deciders', ['ana']],
    ['a quorum', { quorum: 2 }],
    ['four eyes', { notRequester: true }],
  ]

  test.each(DECIDERS)('%s: what the project sets does not approve what the tool demands', async (_what, deciders) => {
    await using scene = await aScene(null, { open: { due: DUE } }, { deciders })
    await using holdpoint = await scene.open()
    const run = await paused(holdpoint)
    expect(run.hold).toMatchObject({ on_due: 'cancel' })
    scene.clock.advance(minutes(1))
    await holdpoint.expireHolds()
    expect(await advanced(holdpoint, run.id)).toMatchObject({ status: 'done' })
    expect(scene.place.effects).toEqual([])
  })

  test.each(DECIDERS)('%s: settings of one place that say both are refused', async (_what, deciders) => {
    const both = { due: DUE, deciders }
    const why = { message: expect.stringContaining('auto_approve') }
    await expect(openHoldpoint({ store: 'memory:', ...both })).rejects.toMatchObject({
      code: 'invalid_options',
      ...why,
    })
    expect(() => defineAgent({ name: 'worker', ...both })).toThrow('auto_approve')
    await expect(aScene(DUE, {}, { deciders })).rejects.toMatchObject({ code: 'invalid_tool', ...why })
  })
})

test('P1: a project whose configuration says both auto_approve and deciders, is refused', async () => {
  await using project = await aProject({
    script: ['Done.'],
    config: { due: { seconds: 60, on_due: 'auto_approve' }, deciders: ['ana'] },
  })
  expect(await project.holdpoint('-o', 'json', 'go')).toMatchObject({
    exit: 2,
    json: { error: { code: 'invalid_config', message: expect.stringContaining('auto_approve') } },
  })
})

test('a project whose deciders could never decide is refused, and so is an agent file', async () => {
  await using project = await aProject({
    script: ['Done.'],
    config: { deciders: ['@ops'] },
    files: { 'agent.md': '---\nname: lone\ndeciders: ["@gone"]\n---\nWork.\n' },
  })
  const refused = await project.holdpoint('-o', 'json', 'go')
  expect(refused).toMatchObject({ exit: 2, json: { error: { code: 'invalid_config' } } })
  await project.write('.holdpoint/config.json', '{"groups":{"ops":["ana"]},"deciders":["@ops"]}')
  const agent = await project.holdpoint('--agent', 'agent.md', '-o', 'json', 'go')
  expect(agent).toMatchObject({
    exit: 2,
    json: { error: { code: 'invalid_agent', message: expect.stringContaining('@gone') } },
  })
  expect((await project.holdpoint('-o', 'json', 'go')).exit).toBe(0)
})

test('a pause has no deadline unless one is set, and then its hint says until when', async () => {
  const script = [{ calls: [command('tc_1', 'true')] }, 'Done.']
  await using project = await aProject({ script, policy: { tools: { run_command: 'prompt' } } })
  const free = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
  expect(free.json).toMatchObject({ outcome: 'paused', due_at: null })
  expect((await project.holdpoint('--pause-on-approval', 'go')).stdout).toContain('\nGo on with:\n')
  await project.write('.holdpoint/config.json', '{"due":{"seconds":3600}}')
  const { stdout } = await project.holdpoint('--pause-on-approval', 'go')
  expect(stdout).toMatch(/\nGo on with until \d{4}-.*Z:\n/)
})

describe('P1: nobody approves, whatever was set,', () => {
  const alwaysAsks = { readings: {}, protected: 'it always asks', unclear: null }
  const byNobody = { seconds: 60, onDue: 'auto_approve' } as const
  const never = { policy: { default: 'prompt', tools: { deploy: 'never' }, on_never: 'pause' } } as const

  test.each([
    ['what policy says never to', never, {}],
    ['what always asks', {}, { inspect: () => alwaysAsks }],
  ])('%s', async (_what, more, tool) => {
    await using scene = await aScene(byNobody, more as Usual, tool)
    await using holdpoint = await scene.open()
    const run = await paused(holdpoint)
    expect(run.hold).toMatchObject({ on_due: 'cancel' })
    scene.clock.advance(minutes(1))
    await holdpoint.expireHolds()
    expect(await advanced(holdpoint, run.id)).toMatchObject({ status: 'done' })
    expect(scene.place.effects).toEqual([])
  })

  test.each([
    ['became destructive', { destructive: true }],
    ['came to ask always', { inspect: () => alwaysAsks }],
  ])('what %s since it was asked about', async (_what, tool) => {
    await using scene = await aScene(byNobody)
    const run = await (async () => {
      await using holdpoint = await scene.open()
      return await paused(holdpoint)
    })()
    await using later = await scene.place.open({ tools: [scene.place.held('deploy', tool)] })
    scene.clock.advance(minutes(1))
    await later.expireHolds()
    const done = await advanced(later, run.id)
    expect(results(done)).toEqual([['a', expect.stringContaining('nobody approved it before it was due')]])
    expect(scene.place.effects).toEqual([])
  })
})

test('P2: an answer that comes late is told what happened, and the run is unharmed', async () => {
  await using scene = await aScene({ seconds: 60, on_due: 'reject' })
  await using holdpoint = await scene.open()
  const run = await paused(holdpoint)
  scene.clock.advance(minutes(5))
  const late = await holdpoint.decide(run.hold.id, { verdict: 'approve', ...ana })
  expect(late).toMatchObject({ outcome: 'refused', hold: { status: 'expired' } })
  expect(late.outcome === 'refused' && late.error).toMatchObject({
    code: 'hold_expired',
    message: expect.stringMatching(new RegExp(`due at ${at(60)}.*rejected`)),
    details: { winner: { decided_by: 'holdpoint', surface: 'deadline', verdict: 'reject' } },
  })
  const again = await holdpoint.advance(run.id, { decisions: [{ hold_id: run.hold.id, verdict: 'approve', ...ana }] })
  expect(again).toMatchObject({ status: 'refused', receipts: [{ outcome: 'refused' }] })
  expect(await advanced(holdpoint, run.id)).toMatchObject({ status: 'done', termination: { type: 'natural_end' } })
  expect(await kindsIn(holdpoint, run.thread_id)).toEqual(['hold.opened', 'hold.expired'])
  expect(scene.place.effects).toEqual([])
})

test('what time decided, the model is told with the reason', async () => {
  await using scene = await aScene({ seconds: 60, on_due: 'reject' })
  await using holdpoint = await scene.open()
  const run = await paused(holdpoint)
  scene.clock.advance(minutes(1))
  await holdpoint.expireHolds()
  const done = await advanced(holdpoint, run.id)
  expect(JSON.stringify(results(done))).toContain(`TOOL_CALL_REJECTED: nobody decided until ${at(60)}.`)
})

describe('escalation', () => {
  const LEVELS = [
    { assignee: '@managers', seconds: 120 },
    { assignee: 'zoe', seconds: 60 },
  ]
  const due = { seconds: 60, assignee: '@ops', remindAfter: [20, 40], escalation: LEVELS, finally: 'reject' }
  const people = { open: { groups: { ops: ['ana', 'otto'], managers: ['mia'] } } }

  test('walks its levels, reminds on the way, and ends with its final action', async () => {
    await using scene = await aScene(due, people)
    await using holdpoint = await scene.open()
    const run = await paused(holdpoint)
    expect(run.hold).toMatchObject({ assignee: '@ops', due_at: at(60), on_due: 'escalate' })
    const happened = []
    for (let second = 0; second < 300; second += 10) {
      happened.push(...(await holdpoint.expireHolds()))
      scene.clock.advance(10_000)
    }
    expect(happened).toMatchObject([
      { kind: 'hold.reminded', data: { number: 1, remind_at: at(20), assignee: '@ops' } },
      { kind: 'hold.reminded', data: { number: 2, remind_at: at(40) } },
      { kind: 'hold.escalated', data: { level: 1, assignee: '@managers', due_at: at(180) } },
      { kind: 'hold.escalated', data: { level: 2, assignee: 'zoe', due_at: at(240) } },
      { kind: 'hold.expired', data: { on_due: 'reject', decision: { at: at(240) } } },
    ])
    expect(await advanced(holdpoint, run.id)).toMatchObject({ status: 'done' })
    const told = (await holdpoint.messages(run.thread_id)).filter(({ role }) => role === 'system')
    expect(told.filter(({ hold_id }) => hold_id === run.hold.id)).toHaveLength(5)
  })

  test('leaves the question open to whoever may decide, and to whom it is escalated', async () => {
    await using scene = await aScene(due, people, { deciders: ['@ops'] })
    await using holdpoint = await scene.open()
    const run = await paused(holdpoint)
    const mia = { verdict: 'approve', decided_by: 'mia', surface: 'test' } as const
    expect(await holdpoint.decide(run.hold.id, mia)).toMatchObject({
      outcome: 'refused',
      error: { code: 'not_a_decider' },
    })
    scene.clock.advance(minutes(1))
    // Nobody swept: whoever decides finds out.
    expect(await holdpoint.decide(run.hold.id, mia)).toMatchObject({ outcome: 'recorded' })
    expect(await holdpoint.hold(run.hold.id)).toMatchObject({ status: 'decided', level: 1, assignee: '@managers' })
    expect(await advanced(holdpoint, run.id)).toMatchObject({ status: 'done' })
    expect(scene.place.effects).toEqual(['deploy'])
  })

  test('after nobody looked for long gives whoever is asked next the whole of their time', async () => {
    await using scene = await aScene(due, people)
    await using holdpoint = await scene.open()
    const run = await paused(holdpoint)
    scene.clock.advance(minutes(60))
    expect(await holdpoint.expireHolds()).toMatchObject([
      { kind: 'hold.reminded', data: { number: 1 } },
      { kind: 'hold.reminded', data: { number: 2 } },
      { kind: 'hold.escalated', data: { level: 1, due_at: at(3_600 + 120) } },
    ])
    expect(await advanced(holdpoint, run.id)).toMatchObject({ status: 'waiting', holds: [{ level: 1, reminded: 2 }] })
  })

  test('happens once, however the clock jumps', async () => {
    await using scene = await aScene(due, people)
    await using one = await scene.open()
    await using two = await scene.open()
    const run = await paused(one)
    for (const seconds of [25, -20, 25, -25, 70, -60, 60, 500, -500, 1_000, -900, 5_000]) {
      scene.clock.advance(seconds * 1000)
      await Promise.all([one.expireHolds(), two.expireHolds()])
    }
    expect(await kindsIn(one, run.thread_id)).toEqual([
      'hold.opened',
      'hold.reminded',
      'hold.reminded',
      'hold.escalated',
      'hold.escalated',
      'hold.expired',
    ])
  })
})

test('P4: a fork of what waited for long gives people their time anew', async () => {
  await using scene = await aScene({ seconds: 60, remindAfter: [30] })
  await using holdpoint = await scene.open()
  const run = await paused(holdpoint)
  const { checkpoint_id } = await holdpoint.run(run.id)
  scene.clock.advance(minutes(10))
  const fork = await holdpoint.fork(checkpoint_id ?? '')
  const [hold] = await holdpoint.holds({ run_id: fork.run_id })
  expect(hold).toMatchObject({
    status: 'open',
    due_at: at(660),
    remind_at: [at(630)],
    level: 0,
    reminded: 0,
    votes: [],
  })
  expect(await holdpoint.decide(hold?.id ?? '', { verdict: 'approve', ...ana })).toMatchObject({ outcome: 'recorded' })
  expect(await advanced(holdpoint, fork.run_id)).toMatchObject({ status: 'done' })
})

test('P8: whom a hold was escalated to may decide it in a fork too, and has the whole of their time', async () => {
  const due = { seconds: 60, escalation: [{ assignee: '@managers', seconds: 120 }] }
  const groups = { ops: ['ana'], managers: ['mia'] }
  await using scene = await aScene(due, { open: { groups } }, { deciders: ['@ops'] })
  await using holdpoint = await scene.open()
  const run = await paused(holdpoint)
  const { checkpoint_id } = await holdpoint.run(run.id)
  scene.clock.advance(minutes(1))
  await holdpoint.expireHolds()
  scene.clock.advance(minutes(1))
  const fork = await holdpoint.fork(checkpoint_id ?? '')
  const [hold] = await holdpoint.holds({ run_id: fork.run_id })
  expect(hold).toMatchObject({ assignee: '@managers', level: 1, due_at: at(240) })
  const mia = { verdict: 'approve', decided_by: 'mia', surface: 'test' } as const
  expect(await holdpoint.decide(hold?.id ?? '', mia)).toMatchObject({ outcome: 'recorded' })
  expect(await advanced(holdpoint, fork.run_id)).toMatchObject({ status: 'done' })
})

test('a run that is cancelled is left alone by its deadlines', async () => {
  await using scene = await aScene({ seconds: 60, remindAfter: [30] })
  await using holdpoint = await scene.open()
  const run = await paused(holdpoint)
  await holdpoint.cancel(run.id, { by: 'ana' })
  scene.clock.advance(minutes(10))
  expect(await holdpoint.expireHolds()).toEqual([])
  expect(await kindsIn(holdpoint, run.thread_id)).toEqual(['hold.opened', 'hold.withdrawn'])
})
