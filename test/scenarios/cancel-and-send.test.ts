import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Holdpoint, ToolContext } from '../../src/index.ts'
import type { Script } from '../../src/models/script.ts'
import { handClock } from '../../src/testing/index.ts'
import { historyFaults } from './history-faults.ts'
import { isAlive, until } from './processes.ts'
import { aProject, command, ended } from './project.ts'
import { begunCalls, effectsOf, quickTools, startWorker } from './slow-worker.ts'
import { ALL_WIRES, expectInOrder, WIRES } from './wires.ts'
import {
  advanced,
  ana,
  aWorkplace,
  call,
  gated,
  journalOfThread,
  onlyHold,
  openHold,
  results,
  shapeOf,
  started,
  type Workplace,
} from './workplace.ts'

const approve = { verdict: 'approve', ...ana } as const
const CANCELLED = expect.stringMatching(/^TOOL_CALL_CANCELLED: /)
const TWO: Script = [{ text: 'Both.', calls: [call('A'), call('B')] }, 'Done.', 'And again.']

/** Two held calls, and a run that waits for them. */
async function waiting(place: Workplace, holdpoint: Holdpoint) {
  const run = await started(holdpoint)
  expect(await advanced(holdpoint, run.id)).toMatchObject({ status: 'waiting' })
  expect(place.effects).toEqual([])
  return run
}

async function twoHeld(more: object = {}): Promise<Workplace> {
  return aWorkplace(place => ({ script: TWO, tools: [place.held('A'), place.held('B')], ...more }))
}

test('a cancelled waiting run is done for good: its calls have results, its holds are withdrawn, decisions are refused', async () => {
  await using place = await twoHeld()
  await using holdpoint = await place.open()
  const run = await waiting(place, holdpoint)
  const [a, b] = [await openHold(holdpoint, 'A'), await openHold(holdpoint, 'B')]
  expect(await holdpoint.cancel(run.id, { by: 'ben', reason: 'wrong order' })).toMatchObject({
    outcome: 'cancelled',
    run: { status: 'done', termination: { type: 'cancelled', by: 'ben', reason: 'wrong order' } },
  })
  for (const hold of [a, b]) {
    expect(await holdpoint.hold(hold.id)).toMatchObject({ status: 'withdrawn', decision: null })
    const receipt = await holdpoint.decide(hold.id, approve)
    expect(receipt).toMatchObject({ outcome: 'refused', error: { code: 'hold_withdrawn', hint: expect.any(String) } })
  }
  const view = await advanced(holdpoint, run.id)
  expect(view).toMatchObject({ status: 'done', termination: { type: 'cancelled' } })
  expect(results(view)).toEqual([
    ['A', expect.stringMatching(/^TOOL_CALL_CANCELLED: ben cancelled the run \(wrong order\); it did not run/)],
    ['B', CANCELLED],
  ])
  expect(historyFaults(view.messages)).toEqual([])
  expect(place.effects).toEqual([])
})

const WAITING_FOR = {
  'a batch': { script: TWO, holdScope: 'batch' },
  'single calls': { script: TWO, holdScope: 'call' },
  'an answer': { script: [{ calls: [{ id: 'Q', name: 'ask_human', args: { question: 'Which?' } }] }] },
  input: { script: ['What next?'], pauseOn: ['input'] },
  'a tool that asks from inside': { script: [{ calls: [call('S')] }] },
} as const

test.for(Object.entries(WAITING_FOR))(
  'a run that waits for %s can be cancelled in another process',
  async ([, options]) => {
    await using place = await aWorkplace(place => ({
      ...options,
      tools: [
        place.held('A'),
        place.held('B'),
        place.tool('S', { execute: (_args: unknown, { suspend }: ToolContext) => suspend({ message: 'Really?' }) }),
        'ask_human',
      ],
    }))
    await using first = await place.open()
    const run = await waiting(place, first)
    await using second = await place.open()
    expect(await second.cancel(run.id, { by: 'ben' })).toMatchObject({ outcome: 'cancelled', run: { status: 'done' } })
    expect(await first.holds({ status: 'open' })).toEqual([])
    const view = await advanced(first, run.id)
    expect(view).toMatchObject({ status: 'done', termination: { type: 'cancelled', by: 'ben', reason: null } })
    expect(historyFaults(view.messages)).toEqual([])
  },
)

test.for(ALL_WIRES)('after a cancel $model takes the history with the next message', async wire => {
  await using server = await wire.open({ turns: TWO })
  await using place = await twoHeld({ model: wire.model, open: { env: wire.env(server.url) } })
  await using holdpoint = await place.open()
  const run = await waiting(place, holdpoint)
  await holdpoint.decide((await openHold(holdpoint, 'A')).id, approve)
  await holdpoint.cancel(run.id, { by: 'ben' })
  const { run_id, outcome } = await holdpoint.send(run.thread_id, { text: 'Never mind.' })
  expect(outcome).toBe('started')
  expect(await advanced(holdpoint, run_id)).toMatchObject({ status: 'done', answer: 'Done.' })
  expectInOrder(server, 2)
})

test('P2: a decision that was recorded before the cancel runs nothing any more', async () => {
  await using place = await twoHeld()
  await using holdpoint = await place.open()
  const run = await waiting(place, holdpoint)
  const { id } = await openHold(holdpoint, 'A')
  await holdpoint.decide(id, approve)
  await holdpoint.cancel(run.id, { by: 'ben' })
  expect(await holdpoint.hold(id)).toMatchObject({ status: 'decided', decision: { verdict: 'approve' } })
  expect(results(await advanced(holdpoint, run.id))).toEqual([
    ['A', CANCELLED],
    ['B', CANCELLED],
  ])
  expect(place.effects).toEqual([])
})

test('a running run that is cancelled tells its tools to stop, and ends', async () => {
  await using place = await aWorkplace()
  const slow = gated(place, 'slow')
  await using holdpoint = await place.open({
    script: [{ calls: [call('A', 'slow'), call('B', 'held'), call('C', 'quick')] }, 'Done.'],
    tools: [slow.tool, place.held('held'), place.tool('quick')],
  })
  const run = await started(holdpoint)
  const advancing = advanced(holdpoint, run.id)
  await slow.begun
  await until(async () => (await holdpoint.run(run.id)).calls.some(({ status }) => status === 'succeeded'))
  expect(await holdpoint.cancel(run.id, { by: 'ben' })).toMatchObject({ outcome: 'requested' })
  const view = await advancing
  expect(slow.aborted).toBe(true)
  expect(view).toMatchObject({ status: 'done', termination: { type: 'cancelled', by: 'ben' } })
  expect(results(view)).toEqual([
    ['A', expect.stringContaining('ben cancelled the run')],
    ['B', CANCELLED],
    ['C', 'quick done'],
  ])
})

test('a running run that is cancelled from another process tells its tools to stop, and ends', async () => {
  const script = [{ calls: [call('A', 'slow'), call('B', 'again')] }, 'Done.']
  await using place = await aWorkplace(place => ({ script, tools: quickTools(place) }))
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  const worker = startWorker(place, run.id, { script })
  await begunCalls(place, 2)
  expect(await holdpoint.cancel(run.id, { by: 'ben' })).toMatchObject({ outcome: 'requested' })
  expect((await worker.finished).json).toMatchObject({ status: 'done', termination: { type: 'cancelled', by: 'ben' } })
  expect(effectsOf(place).slice(2).toSorted()).toEqual(['stopped again B', 'stopped slow A'])
  expect(await holdpoint.run(run.id)).toMatchObject({ status: 'done', termination: { type: 'cancelled' } })
})

test('a command of the command line is stopped with all that it started when its run is cancelled from elsewhere', async () => {
  const slow = command('tc_1', 'sleep 300 & echo $! >> pids; echo $$ >> pids; wait')
  await using project = await aProject({ script: [{ calls: [slow] }, 'Done.'], policy: { default: 'auto' } })
  const finished = ended(project.start(['-a', '-o', 'json', 'go']))
  await until(async () => project.exists('pids') && (await project.read('pids')).split('\n').length === 3)
  await using place = await aWorkplace()
  const store = `sqlite:${project.path('.holdpoint', 'holdpoint.db')}`
  await using holdpoint = await place.open({ open: { store } })
  const [run] = await holdpoint.runs()
  await holdpoint.cancel(run?.id ?? '', { by: 'ben', reason: 'takes too long' })
  expect(await finished).toMatchObject({
    exit: 1,
    json: { outcome: 'stopped', termination: { type: 'cancelled', by: 'ben' }, error: { code: 'cancelled' } },
  })
  const pids = (await project.read('pids')).trim().split('\n').map(Number)
  expect(pids.filter(isAlive)).toEqual([])
})

test('a run whose process was killed can be cancelled, and nobody is asked what happened', async () => {
  const script = [{ calls: [call('A', 'slow')] }, 'Done.']
  await using place = await aWorkplace(place => ({ script, tools: quickTools(place) }))
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  const worker = startWorker(place, run.id, { script })
  await begunCalls(place, 1)
  worker.child.kill('SIGKILL')
  await worker.finished
  const { outcome, run: view } = await holdpoint.cancel(run.id, { by: 'ben' })
  expect(outcome).toBe('cancelled')
  expect(results(view)).toEqual([
    ['A', expect.stringMatching(/^OUTCOME_UNKNOWN: .*it had started, so it may have had its effect/)],
  ])
  expect(await holdpoint.holds()).toEqual([])
})

test('a cancel cuts off a model that does not answer', async () => {
  const asked = Promise.withResolvers<void>()
  await using place = await aWorkplace({
    model: {
      id: 'silent',
      answer: async ({ signal }) => {
        asked.resolve()
        await delay(60_000, undefined, { signal })
        throw new Error('nobody came')
      },
    },
  })
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  const advancing = advanced(holdpoint, run.id)
  await asked.promise
  await holdpoint.cancel(run.id, { by: 'ben' })
  expect(await advancing).toMatchObject({ status: 'done', termination: { type: 'cancelled' }, steps: 0 })
})

test('a cancel does not wait for a tool that is deaf to it for longer than its grace', async () => {
  const clock = handClock()
  await using place = await aWorkplace()
  const deaf = gated(place, 'deaf', { deaf: true })
  await using holdpoint = await place.open({
    script: [{ calls: [call('A', 'deaf')] }, 'Done.'],
    tools: [deaf.tool],
    open: { clock },
  })
  const run = await started(holdpoint)
  const advancing = advanced(holdpoint, run.id)
  await deaf.begun
  await holdpoint.cancel(run.id, { by: 'ben' })
  await until(() => deaf.aborted && clock.sleeping > 0)
  clock.advance(9_999)
  await delay(20)
  expect(await holdpoint.run(run.id)).toMatchObject({ status: 'running' })
  clock.advance(1)
  const view = await advancing
  expect(view).toMatchObject({ status: 'done', termination: { type: 'cancelled' } })
  expect(results(view)).toEqual([
    [
      'A',
      expect.stringMatching(/^OUTCOME_UNKNOWN: .*did not stop in time; it had started, so it may have had its effect/),
    ],
  ])
  deaf.finish()
  await delay(20)
  expect(await holdpoint.run(run.id)).toEqual(view)
})

test('to cancel a run that is done changes nothing', async () => {
  await using place = await aWorkplace({ script: ['Done.'] })
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  const before = await journalOfThread(holdpoint, run.thread_id)
  expect(await holdpoint.cancel(run.id, { by: 'ben' })).toMatchObject({
    outcome: 'done',
    run: { termination: { type: 'natural_end' } },
  })
  expect(await journalOfThread(holdpoint, run.thread_id)).toEqual(before)
})

test('of two who cancel, the first is on record, and the run ends once', async () => {
  await using place = await twoHeld()
  await using holdpoint = await place.open()
  await using elsewhere = await place.open()
  const run = await waiting(place, holdpoint)
  await Promise.all([holdpoint.cancel(run.id, { by: 'ben' }), elsewhere.cancel(run.id, { by: 'cleo' })])
  expect(await holdpoint.cancel(run.id, { by: 'dan' })).toMatchObject({ outcome: 'done' })
  const events = await journalOfThread(holdpoint, run.thread_id)
  const [first] = events.flatMap(event => (event.kind === 'cancel.requested' ? [event.data.by] : []))
  const ends = events.flatMap(event => (event.kind === 'run.finished' ? [event.data.termination] : []))
  expect(ends).toEqual([{ type: 'cancelled', by: first, reason: null }])
})

test('a run can be cancelled when its agent file is gone', async () => {
  await using project = await aProject({
    script: [{ calls: [command('tc_1', 'echo ran >> effects.log')] }, 'Done.'],
    files: {
      'agent.mjs': `export const agent = { name: 'short-lived', plugins: [{ name: 'p', hooks: { runEnd() {} } }] }`,
    },
  })
  const paused = await project.holdpoint('--agent', 'agent.mjs', '--pause-on', 'approval', '-o', 'json', 'go')
  const { rm } = await import('node:fs/promises')
  await rm(project.path('agent.mjs'))
  await using place = await aWorkplace()
  const store = `sqlite:${project.path('.holdpoint', 'holdpoint.db')}`
  await using holdpoint = await place.open({ open: { store } })
  expect(await holdpoint.cancel(paused.json.run_id, { by: 'ben' })).toMatchObject({
    outcome: 'cancelled',
    run: { status: 'done', termination: { type: 'cancelled' } },
  })
  const { thread_id } = await holdpoint.run(paused.json.run_id)
  const notes = (await journalOfThread(holdpoint, thread_id)).filter(({ kind }) => kind === 'note')
  expect(notes).toMatchObject([{ data: { about: 'run_end', message: expect.stringContaining('agent.mjs') } }])
})

test('a cancel by nobody and one of an unknown run are refused', async () => {
  await using place = await twoHeld()
  await using holdpoint = await place.open()
  const run = await waiting(place, holdpoint)
  await expect(holdpoint.cancel(run.id, { by: ' ' })).rejects.toMatchObject({ code: 'invalid_cancel' })
  await expect(holdpoint.cancel('run_none', { by: 'ben' })).rejects.toMatchObject({ code: 'unknown_run' })
  expect(await holdpoint.run(run.id)).toMatchObject({ status: 'waiting' })
})

test('a message to a run that waits is refused, and changes nothing, unless it says how', async () => {
  await using place = await twoHeld()
  await using holdpoint = await place.open()
  const run = await waiting(place, holdpoint)
  const before = await journalOfThread(holdpoint, run.thread_id)
  await expect(holdpoint.send(run.thread_id, { text: 'Hello?' })).rejects.toMatchObject({
    code: 'run_waiting',
    hint: expect.stringMatching(/queue.*supersede/),
  })
  expect(await journalOfThread(holdpoint, run.thread_id)).toEqual(before)
})

const SCOPES = ['batch', 'call'] as const

test.for(SCOPES)('a queued message is delivered behind the results once all is decided (scope %s)', async holdScope => {
  await using place = await twoHeld({ holdScope })
  await using holdpoint = await place.open()
  const run = await waiting(place, holdpoint)
  for (const text of ['First.', 'Second.']) {
    expect(await holdpoint.send(run.thread_id, { text, author: 'cleo' }, { whileWaiting: 'queue' })).toEqual({
      outcome: 'queued',
      run_id: run.id,
    })
  }
  expect(await advanced(holdpoint, run.id)).toMatchObject({ status: 'waiting', holds: [{}, {}] })
  await holdpoint.decide((await openHold(holdpoint, 'A')).id, approve)
  await holdpoint.decide((await openHold(holdpoint, 'B')).id, approve)
  const view = await advanced(holdpoint, run.id)
  expect(view).toMatchObject({ status: 'done' })
  expect(view.messages.map(({ role, content }) => [role, content])).toEqual([
    ['user', 'go'],
    ['assistant', 'Both.'],
    ['tool', 'A done'],
    ['tool', 'B done'],
    ['user', 'First.'],
    ['user', 'Second.'],
    ['assistant', 'Done.'],
  ])
  expect(view.messages.at(4)).toMatchObject({ author: 'cleo' })
})

test.for(SCOPES)(
  'a superseding message takes the place of what waits, and each call has a result (scope %s)',
  async holdScope => {
    await using place = await twoHeld({ holdScope })
    await using holdpoint = await place.open()
    const run = await waiting(place, holdpoint)
    const { id } = await openHold(holdpoint, 'B')
    expect(await holdpoint.send(run.thread_id, { text: 'Stop.' }, { whileWaiting: 'supersede' })).toEqual({
      outcome: 'superseded',
      run_id: run.id,
    })
    expect(await holdpoint.decide(id, approve)).toMatchObject({ outcome: 'refused', error: { code: 'hold_withdrawn' } })
    const view = await advanced(holdpoint, run.id)
    expect(view).toMatchObject({ status: 'done', answer: 'Done.' })
    expect(view.messages.map(({ role, content }) => [role, content])).toEqual([
      ['user', 'go'],
      ['assistant', 'Both.'],
      ['tool', CANCELLED],
      ['tool', CANCELLED],
      ['user', 'Stop.'],
      ['assistant', 'Done.'],
    ])
    expect(place.effects).toEqual([])
  },
)

test('P1: a superseding message also takes the place of a call that was approved and has not started', async () => {
  await using place = await twoHeld()
  await using holdpoint = await place.open()
  const run = await waiting(place, holdpoint)
  await holdpoint.decide((await openHold(holdpoint, 'A')).id, approve)
  await holdpoint.send(run.thread_id, { text: 'Stop.' }, { whileWaiting: 'supersede' })
  expect(results(await advanced(holdpoint, run.id))).toEqual([
    ['A', CANCELLED],
    ['B', CANCELLED],
  ])
  expect(place.effects).toEqual([])
})

test('a superseding message lets what runs come to its end', async () => {
  await using place = await aWorkplace()
  const slow = gated(place, 'A')
  await using holdpoint = await place.open({ script: TWO, tools: [slow.tool, place.held('B')] })
  const run = await started(holdpoint)
  const advancing = advanced(holdpoint, run.id)
  await slow.begun
  await holdpoint.send(run.thread_id, { text: 'Stop.' }, { whileWaiting: 'supersede' })
  await until(async () => (await holdpoint.run(run.id)).calls.some(({ status }) => status === 'cancelled'))
  expect(slow.aborted).toBe(false)
  slow.finish()
  const view = await advancing
  expect(view).toMatchObject({ status: 'done', answer: 'Done.' })
  expect(results(view)).toEqual([
    ['A', 'A done'],
    ['B', CANCELLED],
  ])
})

const WAYS = WIRES.flatMap(wire => (['queue', 'supersede'] as const).map(whileWaiting => ({ wire, whileWaiting })))

test.for(WAYS)('$wire.model takes the history with a message by $whileWaiting', async ({ wire, whileWaiting }) => {
  await using server = await wire.open({ turns: TWO })
  await using place = await twoHeld({ model: wire.model, open: { env: wire.env(server.url) } })
  await using holdpoint = await place.open()
  const run = await waiting(place, holdpoint)
  await holdpoint.send(run.thread_id, { text: 'By the way.' }, { whileWaiting })
  if (whileWaiting === 'queue') {
    const holds = await holdpoint.holds({ status: 'open' })
    await holdpoint.decideMany(holds.map(({ id }) => ({ hold_id: id, ...approve })))
  }
  expect(await advanced(holdpoint, run.id)).toMatchObject({ status: 'done', answer: 'Done.' })
  expectInOrder(server, 2)
})

test('a message to a run whose tools run is delivered at the next boundary', async () => {
  await using place = await aWorkplace()
  const slow = gated(place, 'A')
  const options = { script: TWO, tools: [slow.tool, place.tool('B')] }
  await using holdpoint = await place.open(options)
  await using elsewhere = await place.open(options)
  const run = await started(holdpoint)
  const advancing = advanced(holdpoint, run.id)
  await slow.begun
  expect(await elsewhere.send(run.thread_id, { text: 'By the way.' })).toEqual({ outcome: 'queued', run_id: run.id })
  slow.finish()
  const view = await advancing
  expect(view.messages.map(({ content }) => content)).toEqual([
    'go',
    'Both.',
    'A done',
    'B done',
    'By the way.',
    'Done.',
  ])
})

test('a message that comes while the model gives its last answer is answered too', async () => {
  await using place = await aWorkplace()
  let said = 0
  const holder: { holdpoint?: Holdpoint; thread?: string } = {}
  await using holdpoint = await place.open({
    model: {
      id: 'listener',
      answer: async () => {
        said += 1
        if (said === 1) await holder.holdpoint?.send(holder.thread ?? '', { text: 'One more thing.' })
        const usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0 }
        return { text: `Answer ${said}.`, calls: [], usage, finish_reason: 'stop' }
      },
    },
  })
  const run = await started(holdpoint)
  Object.assign(holder, { holdpoint, thread: run.thread_id })
  const view = await advanced(holdpoint, run.id)
  expect(view.messages.map(({ content }) => content)).toEqual(['go', 'Answer 1.', 'One more thing.', 'Answer 2.'])
  expect(view).toMatchObject({ status: 'done', termination: { type: 'natural_end' } })
})

test('a message to a thread whose run is done starts the next run there', async () => {
  await using place = await aWorkplace({ script: ['One.', 'Two.'] })
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  const sent = await holdpoint.send(run.thread_id, { text: 'More.', author: 'cleo' })
  expect(sent).toMatchObject({ outcome: 'started' })
  expect(sent.run_id).not.toBe(run.id)
  const view = await advanced(holdpoint, sent.run_id)
  expect(view).toMatchObject({ status: 'done', steps: 1 })
  expect(view.messages).toMatchObject([
    { content: 'go' },
    { content: 'One.' },
    { content: 'More.', author: 'cleo' },
    { content: 'Two.' },
  ])
  expect(await holdpoint.run(run.id)).toMatchObject({ answer: 'One.' })
})

test('what was queued when its run was cancelled is heard before what is said next', async () => {
  await using place = await twoHeld()
  await using holdpoint = await place.open()
  const run = await waiting(place, holdpoint)
  await holdpoint.send(run.thread_id, { text: 'First.' }, { whileWaiting: 'queue' })
  await holdpoint.cancel(run.id, { by: 'ben' })
  const { run_id } = await holdpoint.send(run.thread_id, { text: 'Second.' })
  const view = await advanced(holdpoint, run_id)
  expect(view.messages.filter(({ role }) => role === 'user').map(({ content }) => content)).toEqual([
    'go',
    'First.',
    'Second.',
  ])
})

test('a message to a run that waits for input is the answer', async () => {
  await using place = await aWorkplace({ script: ['What next?', 'Done.'], pauseOn: ['input'] })
  await using holdpoint = await place.open()
  const run = await waiting(place, holdpoint)
  const { id } = await onlyHold(holdpoint)
  expect(await holdpoint.send(run.thread_id, { text: 'This.', author: 'cleo' })).toEqual({
    outcome: 'answered',
    run_id: run.id,
  })
  expect(await holdpoint.hold(id)).toMatchObject({
    status: 'decided',
    decision: { value: 'This.', decided_by: 'cleo' },
  })
  const view = await advanced(holdpoint, run.id, { pauseOn: [] })
  expect(view.messages.map(({ content }) => content)).toEqual(['go', 'What next?', 'This.', 'Done.'])
})

const UNUSABLE = [
  ['an empty message', { text: '' }, {}, 'empty_message'],
  ['a blank message', { text: ' \n' }, {}, 'empty_message'],
  ['a message in a way that is none', { text: 'x' }, { whileWaiting: 'shout' }, 'invalid_arguments'],
] as const

test.for(UNUSABLE)('%s is refused, whatever the run does', async ([, message, options, code]) => {
  await using place = await twoHeld()
  await using holdpoint = await place.open()
  const run = await waiting(place, holdpoint)
  await expect(holdpoint.send(run.thread_id, message, options as never)).rejects.toMatchObject({ code })
  await holdpoint.cancel(run.id, { by: 'ben' })
  await expect(holdpoint.send(run.thread_id, message, options as never)).rejects.toMatchObject({ code })
})

test('a message to an unknown thread is refused', async () => {
  await using place = await twoHeld()
  await using holdpoint = await place.open()
  await expect(holdpoint.send('th_none', { text: 'Hello?' })).rejects.toMatchObject({ code: 'unknown_session' })
})

test('an input provider is asked each time the model stops, with the run as it stands, until it says null', async () => {
  await using place = await aWorkplace(place => ({
    script: ['One?', { calls: [call('A')] }, 'Two?', 'Three?'],
    tools: [place.tool('A')],
  }))
  await using holdpoint = await place.open()
  const asked: string[] = []
  const view = await advanced(holdpoint, (await started(holdpoint)).id, {
    inputProvider: async ({ answer }) => {
      asked.push(answer)
      return answer === 'Three?' ? null : { text: `Re: ${answer}` }
    },
  })
  expect(asked).toEqual(['One?', 'Two?', 'Three?'])
  expect(view).toMatchObject({ status: 'done', termination: { type: 'natural_end' } })
  expect(view.messages.filter(({ role }) => role === 'user').map(({ content }) => content)).toEqual([
    'go',
    'Re: One?',
    'Re: Two?',
  ])
})

/** Waits for the signal, as a prompt in a terminal does. */
function patientProvider() {
  const asked = Promise.withResolvers<void>()
  return {
    asked: asked.promise,
    provide: async (_view: unknown, signal: AbortSignal) => {
      asked.resolve()
      await delay(60_000, undefined, { signal })
      return null
    },
  }
}

test('an advance that is stopped while somebody is asked for input goes on later, and asks again', async () => {
  await using place = await aWorkplace({ script: ['What next?', 'Done.'] })
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  const { asked, provide } = patientProvider()
  const stop = new AbortController()
  const advancing = advanced(holdpoint, run.id, { signal: stop.signal, inputProvider: provide })
  await asked
  stop.abort(new Error('enough'))
  expect(await advancing).toMatchObject({ status: 'running', termination: null })
  await using later = await place.open()
  let inputs = 0
  const view = await advanced(later, run.id, {
    inputProvider: async () => {
      inputs += 1
      return inputs === 1 ? { text: 'This.' } : null
    },
  })
  expect(view.messages.map(({ content }) => content)).toEqual(['go', 'What next?', 'This.', 'Done.'])
})

test('a run that is cancelled while somebody is asked for input ends', async () => {
  await using place = await aWorkplace({ script: ['What next?'] })
  await using holdpoint = await place.open()
  await using elsewhere = await place.open()
  const run = await started(holdpoint)
  const { asked, provide } = patientProvider()
  const advancing = advanced(holdpoint, run.id, { inputProvider: provide })
  await asked
  await elsewhere.cancel(run.id, { by: 'ben' })
  expect(await advancing).toMatchObject({ status: 'done', termination: { type: 'cancelled', by: 'ben' } })
})

const HOOKS = ['runStart', 'stepStart', 'beforeInference', 'afterInference', 'beforeToolExecute', 'stepEnd'] as const

test.for(HOOKS)('a hook that waits in %s is told to stop when its run is cancelled in another process', async phase => {
  const waits = Promise.withResolvers<void>()
  const hook = async ({ signal }: { signal: AbortSignal }) => {
    waits.resolve()
    await delay(60_000, undefined, { signal })
  }
  await using place = await aWorkplace(place => ({
    script: TWO,
    tools: [place.tool('A'), place.tool('B')],
    plugins: [{ name: 'patient', hooks: { [phase]: hook } }],
  }))
  await using holdpoint = await place.open()
  await using elsewhere = await place.open({ plugins: [] })
  const run = await started(holdpoint)
  const advancing = advanced(holdpoint, run.id)
  await waits.promise
  await elsewhere.cancel(run.id, { by: 'ben' })
  const view = await advancing
  expect(view).toMatchObject({ status: 'done', termination: { type: 'cancelled', by: 'ben' } })
  expect(historyFaults(view.messages)).toEqual([])
})

test('a cancel does not wait for a hook that is deaf to it, and nothing that the hook says later counts', async () => {
  const waits = Promise.withResolvers<void>()
  const late = Promise.withResolvers<{ setState: string }>()
  const hook = () => {
    waits.resolve()
    return late.promise
  }
  await using place = await aWorkplace({
    script: ['Done.'],
    plugins: [{ name: 'deaf', initialState: null, hooks: { beforeInference: hook } }],
  })
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  const advancing = advanced(holdpoint, run.id)
  await waits.promise
  await holdpoint.cancel(run.id, { by: 'ben' })
  const view = await advancing
  expect(view).toMatchObject({ status: 'done', termination: { type: 'cancelled' } })
  late.resolve({ setState: 'too late' })
  await delay(20)
  expect(shapeOf(await journalOfThread(holdpoint, run.thread_id))).not.toContain('plugin.set')
})

test('a message that comes while a hook waits is delivered, and the hook goes on', async () => {
  const [waits, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const hook = async () => {
    waits.resolve()
    await go.promise
  }
  await using place = await aWorkplace({
    script: ['One.', 'Two.'],
    plugins: [{ name: 'patient', hooks: { afterInference: hook } }],
  })
  await using holdpoint = await place.open()
  await using elsewhere = await place.open({ plugins: [] })
  const run = await started(holdpoint)
  const advancing = advanced(holdpoint, run.id)
  await waits.promise
  await elsewhere.send(run.thread_id, { text: 'More.' })
  await delay(50)
  go.resolve()
  expect((await advancing).messages.map(({ content }) => content)).toEqual(['go', 'One.', 'More.', 'Two.'])
})

const INPUTS = {
  'an input provider': async (place: Workplace, holdpoint: Holdpoint, run: string) => {
    let inputs = 0
    await advanced(holdpoint, run, {
      inputProvider: async () => {
        inputs += 1
        return null
      },
    })
    expect([place.effects, inputs]).toEqual([[], 1])
  },
  'a pause for input': async (_place: Workplace, holdpoint: Holdpoint, run: string) => {
    expect(await advanced(holdpoint, run, { pauseOn: ['input'] })).toMatchObject({ status: 'waiting' })
  },
} as const

test.for(Object.entries(INPUTS))(
  'a message that comes while a plugin ends the step is answered before %s',
  async ([, live]) => {
    const [waits, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const hook = async ({ steps }: { steps: number }) => {
      if (steps > 1) return
      waits.resolve()
      await go.promise
    }
    await using place = await aWorkplace({
      script: ['One.', 'Two.'],
      plugins: [{ name: 'patient', hooks: { stepEnd: hook } }],
    })
    await using holdpoint = await place.open()
    await using elsewhere = await place.open({ plugins: [] })
    const run = await started(holdpoint)
    const living = live(place, holdpoint, run.id)
    await waits.promise
    await elsewhere.send(run.thread_id, { text: 'More.' })
    go.resolve()
    await living
    const { messages } = await holdpoint.run(run.id)
    expect(messages.map(({ content }) => content)).toEqual(['go', 'One.', 'More.', 'Two.'])
  },
)

test('a message that comes while somebody is asked for input is answered, also where they have nothing to say', async () => {
  await using place = await aWorkplace({ script: ['One.', 'Two.'] })
  await using holdpoint = await place.open()
  await using elsewhere = await place.open()
  const run = await started(holdpoint)
  let inputs = 0
  const view = await advanced(holdpoint, run.id, {
    inputProvider: async () => {
      inputs += 1
      if (inputs === 1) {
        await elsewhere.send(run.thread_id, { text: 'More.' })
        // Whoever advances the run hears of it before the answer.
        await delay(50)
      }
      return null
    },
  })
  expect(view.messages.map(({ content }) => content)).toEqual(['go', 'One.', 'More.', 'Two.'])
  expect(inputs).toBe(2)
})
