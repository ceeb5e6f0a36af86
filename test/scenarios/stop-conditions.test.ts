import { expect, test } from 'vitest'
import { type AgentOptions, defineAgent, type Json, type JsonObject, type StopCondition } from '../../src/index.ts'
import type { Script } from '../../src/models/script.ts'
import { type HandClock, handClock } from '../../src/testing/index.ts'
import { historyFaults } from './history-faults.ts'
import { isAlive, until } from './processes.ts'
import { aProject, command, effect, type Finished, type Project } from './project.ts'
import { advanced, ana, aWorkplace, call, gated, onlyHold, results, started, type Workplace } from './workplace.ts'

const approve = { verdict: 'approve', ...ana } as const

interface Story {
  readonly stop: StopCondition
  readonly script: Script
  /** How many rounds were run when it stopped. */
  readonly rounds: number
  readonly detail: RegExp
  readonly answer: string
}

/** Each turn says its number; without end. */
function turns(calls: (n: number) => readonly { name: string; args?: JsonObject }[]): Script {
  return Array.from({ length: 12 }, (_, index) => ({
    text: `Round ${index + 1}.`,
    calls: calls(index + 1),
    usage: { input: 60, output: 40 },
  }))
}

/** A round of `WORK` costs 8 millionths of a dollar. */
const PRICES = { 'script:turns': { input: 0.1, output: 0.05 } }

const WORK = turns(n => [{ name: 'work', args: { n } }])

/** Read at the end of a step; `max-pauses.test.ts` has the other one. */
type AtStepEnd = Exclude<StopCondition['type'], 'max_pauses'>

const STORIES: Readonly<Record<AtStepEnd, Story>> = {
  max_rounds: {
    stop: { type: 'max_rounds', rounds: 3 },
    script: WORK,
    rounds: 3,
    detail: /3 of 3 rounds/,
    answer: 'Round 3.',
  },
  timeout: {
    stop: { type: 'timeout', seconds: 25 },
    script: WORK,
    rounds: 3,
    detail: /30 of 25 seconds/,
    answer: 'Round 3.',
  },
  token_budget: {
    stop: { type: 'token_budget', max_total: 350 },
    script: WORK,
    rounds: 4,
    detail: /400 of 350 tokens/,
    answer: 'Round 4.',
  },
  budget: {
    stop: { type: 'budget', usd: 0.00002 },
    script: WORK,
    rounds: 3,
    detail: /^\$0\.000024 of \$0\.000020 were used$/,
    answer: 'Round 3.',
  },
  consecutive_errors: {
    stop: { type: 'consecutive_errors', max: 3 },
    script: turns(n => [{ name: n === 2 ? 'work' : 'fail', args: { n } }]),
    rounds: 5,
    detail: /3 calls in a row failed/,
    answer: 'Round 5.',
  },
  stop_on_tool: {
    stop: { type: 'stop_on_tool', tool_name: 'finish' },
    script: turns(n => [{ name: n === 2 ? 'finish' : 'work', args: { n } }]),
    rounds: 2,
    detail: /finish ran/,
    answer: 'Round 2.',
  },
  content_match: {
    stop: { type: 'content_match', pattern: '^Round [4-9]' },
    script: WORK,
    rounds: 4,
    detail: /matches/,
    answer: 'Round 4.',
  },
  loop_detection: {
    stop: { type: 'loop_detection', window: 3 },
    script: turns(n => [{ name: 'work', args: n < 3 ? { n } : n % 2 ? { a: 1, b: [2] } : { b: [2], a: 1 } }]),
    rounds: 5,
    detail: /last 3 calls were the same/,
    answer: 'Round 5.',
  },
}

const stories = Object.entries(STORIES) as [AtStepEnd, Story][]

/** `work` takes ten seconds, `fail` fails, `finish` finishes. */
function tools(place: Workplace, clock: HandClock, needsApproval = false): NonNullable<AgentOptions['tools']> {
  const work = place.tool('work', { needsApproval, execute: () => clock.advance(10_000) })
  const fail = place.tool('fail', {
    needsApproval,
    execute: () => {
      throw new Error('boom')
    },
  })
  return [work, fail, place.tool('finish', { needsApproval })]
}

function expectStopped(view: Awaited<ReturnType<typeof advanced>>, { stop, rounds, detail, answer }: Story): void {
  expect(view).toMatchObject({
    status: 'done',
    termination: { type: 'stopped', code: stop.type, detail: expect.stringMatching(detail) },
    steps: rounds,
    answer,
  })
  expect(view.messages.findLast(({ role }) => role === 'assistant')).toMatchObject({ content: answer })
  expect(results(view)).toHaveLength(rounds)
  expect(historyFaults(view.messages)).toEqual([])
}

test.for(stories)('%s stops a run, and the final assistant message is kept with its results', async ([, story]) => {
  const clock = handClock()
  await using place = await aWorkplace(place => ({
    script: story.script,
    stop: [story.stop],
    tools: tools(place, clock),
    open: { clock, prices: PRICES },
  }))
  await using holdpoint = await place.open()
  expectStopped(await advanced(holdpoint, (await started(holdpoint)).id), story)
})

test.for(stories)('%s counts over every restart, and waiting changes nothing', async ([, story]) => {
  const clock = handClock()
  await using place = await aWorkplace(place => ({
    script: story.script,
    stop: [story.stop],
    tools: tools(place, clock, true),
    open: { clock, prices: PRICES },
  }))
  const first = await place.open()
  const { id } = await started(first)
  await advanced(first, id)
  await first[Symbol.asyncDispose]()
  for (let round = 1; round <= story.rounds; round += 1) {
    clock.advance(3_600_000)
    await using next = await place.open()
    await next.decide((await onlyHold(next)).id, approve)
    await advanced(next, id)
  }
  await using last = await place.open()
  expectStopped(await last.run(id), story)
})

test.for(stories)('%s does not spoil an answer that is complete', async ([type, story]) => {
  const clock = handClock()
  const before = story.rounds - 1
  await using place = await aWorkplace(place => ({
    script: [...story.script.slice(0, before), 'All done.'],
    stop: [story.stop],
    tools: tools(place, clock),
    open: { clock, prices: PRICES },
  }))
  await using holdpoint = await place.open()
  const view = await advanced(holdpoint, (await started(holdpoint)).id)
  expect(view, type).toMatchObject({ termination: { type: 'natural_end' }, answer: 'All done.', steps: story.rounds })
})

test('a pattern that JavaScript would try for ever costs a run nothing', async () => {
  const answer = `${'a'.repeat(50_000)}!`
  await using project = await aStoppingProject({ type: 'content_match', pattern: '(a+)+$' }, [answer])
  expect(await project.holdpoint('-o', 'json', 'go')).toMatchObject({ exit: 0, json: { final_message: answer } })
})

test('content_match also ends a run at a final text that matches', async () => {
  await using place = await aWorkplace({
    script: ['TASK COMPLETE'],
    stop: [{ type: 'content_match', pattern: 'COMPLETE$' }],
  })
  await using holdpoint = await place.open()
  expect(await advanced(holdpoint, (await started(holdpoint)).id)).toMatchObject({
    termination: { type: 'stopped', code: 'content_match' },
    answer: 'TASK COMPLETE',
  })
})

const BOTH = [
  [
    { type: 'max_rounds', rounds: 1 },
    { type: 'stop_on_tool', tool_name: 'work' },
  ],
  [
    { type: 'stop_on_tool', tool_name: 'work' },
    { type: 'max_rounds', rounds: 1 },
  ],
] as const

test.for(BOTH)('of two conditions that hold at once the first in the list wins: %o', async stop => {
  const clock = handClock()
  await using place = await aWorkplace(place => ({
    script: WORK,
    stop,
    tools: tools(place, clock),
    open: { clock, prices: PRICES },
  }))
  await using holdpoint = await place.open()
  expect(await advanced(holdpoint, (await started(holdpoint)).id)).toMatchObject({
    termination: { code: stop[0].type },
  })
})

test('stop_on_tool with on success is about a tool that ran, not about a call that was rejected', async () => {
  const clock = handClock()
  await using place = await aWorkplace(place => ({
    script: [{ calls: [call('A', 'finish', { n: 1 })] }, { calls: [call('B', 'finish', { n: 2 })] }, 'Done.'],
    stop: [{ type: 'stop_on_tool', tool_name: 'finish', on: 'success' }],
    tools: tools(place, clock, true),
  }))
  await using holdpoint = await place.open()
  const { id } = await started(holdpoint)
  await advanced(holdpoint, id)
  await holdpoint.decide((await onlyHold(holdpoint)).id, { verdict: 'reject', ...ana })
  expect(await advanced(holdpoint, id)).toMatchObject({ status: 'waiting', steps: 2 })
  await holdpoint.decide((await onlyHold(holdpoint)).id, approve)
  expect(await advanced(holdpoint, id)).toMatchObject({ termination: { code: 'stop_on_tool' }, steps: 2 })
})

test('what people reject is no error in a row', async () => {
  const clock = handClock()
  await using place = await aWorkplace(place => ({
    script: [{ calls: [call('A', 'fail', { n: 1 })] }, { calls: [call('B', 'work', { n: 2 })] }, 'Done.'],
    stop: [{ type: 'consecutive_errors', max: 2 }],
    tools: tools(place, clock, true),
  }))
  await using holdpoint = await place.open()
  const { id } = await started(holdpoint)
  await advanced(holdpoint, id)
  await holdpoint.decide((await onlyHold(holdpoint)).id, approve)
  await advanced(holdpoint, id)
  await holdpoint.decide((await onlyHold(holdpoint)).id, { verdict: 'reject', ...ana })
  expect(await advanced(holdpoint, id)).toMatchObject({ termination: { type: 'natural_end' } })
})

test('timeout aborts a tool that runs, and the call has a result that says so', async () => {
  const clock = handClock()
  await using place = await aWorkplace()
  const slow = gated(place, 'slow')
  await using holdpoint = await place.open({
    script: [{ text: 'Now.', calls: [call('A', 'slow'), call('B', 'quick')] }, 'Done.'],
    stop: [{ type: 'timeout', seconds: 60 }],
    tools: [slow.tool, place.tool('quick')],
    open: { clock, prices: PRICES },
  })
  const { id } = await started(holdpoint)
  const advancing = advanced(holdpoint, id)
  await slow.begun
  clock.advance(59_000)
  expect(slow.aborted).toBe(false)
  clock.advance(1_000)
  const view = await advancing
  expect(view).toMatchObject({ status: 'done', termination: { type: 'stopped', code: 'timeout' }, answer: 'Now.' })
  expect(slow.aborted).toBe(true)
  expect(results(view)).toEqual([
    ['A', expect.stringMatching(/time/)],
    ['B', 'quick done'],
  ])
})

test('timeout does not wait for a tool that is deaf to it for longer than its grace', async () => {
  const clock = handClock()
  await using place = await aWorkplace()
  const deaf = gated(place, 'deaf', { deaf: true })
  await using holdpoint = await place.open({
    script: [{ calls: [call('A', 'deaf')] }, 'Done.'],
    stop: [{ type: 'timeout', seconds: 60 }],
    tools: [deaf.tool],
    open: { clock, prices: PRICES },
  })
  const { id } = await started(holdpoint)
  const advancing = advanced(holdpoint, id)
  await deaf.begun
  clock.advance(60_000)
  await until(() => deaf.aborted && clock.sleeping > 0)
  clock.advance(10_000)
  const view = await advancing
  expect(view).toMatchObject({ termination: { code: 'timeout' } })
  expect(results(view)).toEqual([
    ['A', expect.stringMatching(/^OUTCOME_UNKNOWN: .*did not stop in time; it had started/)],
  ])
  deaf.finish()
})

test('timeout cuts off a model that does not answer', async () => {
  const clock = handClock()
  const asked = Promise.withResolvers<void>()
  await using place = await aWorkplace({
    stop: [{ type: 'timeout', seconds: 60 }],
    model: {
      id: 'silent',
      answer: ({ signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason))
          asked.resolve()
        }),
    },
    open: { clock, prices: PRICES },
  })
  await using holdpoint = await place.open()
  const advancing = advanced(holdpoint, (await started(holdpoint)).id)
  await asked.promise
  clock.advance(60_000)
  expect(await advancing).toMatchObject({ status: 'done', termination: { type: 'stopped', code: 'timeout' }, steps: 0 })
})

test('the time in which an input provider waits for a person does not count', async () => {
  const clock = handClock()
  await using place = await aWorkplace(place => ({
    script: ['What next?', { calls: [call('A', 'work')] }, 'Done.'],
    stop: [{ type: 'timeout', seconds: 15 }],
    tools: tools(place, clock),
    open: { clock, prices: PRICES },
  }))
  await using holdpoint = await place.open()
  let inputs = 0
  const view = await advanced(holdpoint, (await started(holdpoint)).id, {
    inputProvider: async () => {
      inputs += 1
      clock.advance(3_600_000)
      return inputs === 1 ? { text: 'Go on.' } : null
    },
  })
  expect(view).toMatchObject({ status: 'done', termination: { type: 'natural_end' }, answer: 'Done.' })
  expect(view.counters.active_ms).toBe(10_000)
})

test('timeout leaves alone who is asked for input, and holds again for the work after that', async () => {
  const clock = handClock()
  await using place = await aWorkplace()
  const slow = gated(place, 'slow')
  await using holdpoint = await place.open({
    script: ['What next?', { calls: [call('A', 'slow')] }, 'Done.'],
    stop: [{ type: 'timeout', seconds: 15 }],
    tools: [slow.tool],
    open: { clock, prices: PRICES },
  })
  const asked = Promise.withResolvers<AbortSignal>()
  const answer = Promise.withResolvers<{ text: string }>()
  const { id } = await started(holdpoint)
  const advancing = advanced(holdpoint, id, {
    inputProvider: (_view, signal) => {
      asked.resolve(signal)
      return answer.promise
    },
  })
  const signal = await asked.promise
  clock.advance(3_600_000)
  expect(signal.aborted).toBe(false)
  answer.resolve({ text: 'Go on.' })
  await slow.begun
  clock.advance(14_000)
  expect(slow.aborted).toBe(false)
  clock.advance(1_000)
  expect(await advancing).toMatchObject({ termination: { code: 'timeout' }, counters: { active_ms: 15_000 } })
})

const UNUSABLE: readonly [problem: string, stop: Json, message: RegExp][] = [
  ['a pattern that is none', { type: 'content_match', pattern: '(' }, /content_match/],
  [
    'a pattern that looks around',
    { type: 'content_match', pattern: '^(?!no)' },
    /looks around: write what stands there/,
  ],
  ['a pattern that refers back', { type: 'content_match', pattern: '(a)\\1' }, /refers back to a group: write out/],
  ['a kind that is none', { type: 'max_steps', rounds: 1 }, /max_steps/],
  ['no number', { type: 'max_rounds' }, /max_rounds/],
]

test.for(UNUSABLE)('a stop condition with %s is refused when the agent is defined', ([, stop, message]) => {
  const define = () => defineAgent({ name: 'worker', stop: [stop as unknown as StopCondition] })
  expect(define).toThrow(expect.objectContaining({ code: 'invalid_agent', message: expect.stringMatching(message) }))
})

/** The same on the command line, with an agent in Markdown. */
async function aStoppingProject(stop: Json, script: Script): Promise<Project> {
  const front = JSON.stringify({ policy: { default: 'auto' }, stop: [stop] }).slice(1, -1)
  return aProject({
    script,
    config: { prices: { 'script:*': { input: 10, output: 10 } } },
    files: { 'agent.md': `---\n{${front}}\n---\nYou work.\n` },
  })
}

const RUN = ['-a', '--agent', 'agent.md', '-o', 'json', 'go']

const COMMANDS: readonly { stop: StopCondition; exit: number; script: Script; effects: string[] }[] = [
  {
    stop: { type: 'max_rounds', rounds: 1 },
    exit: 1,
    script: [{ text: 'First.', calls: [effect('tc_1', 'one')] }, 'Done.'],
    effects: ['one'],
  },
  {
    stop: { type: 'timeout', seconds: 0.2 },
    exit: 1,
    script: [{ text: 'First.', calls: [command('tc_1', 'echo one >> effects.log; sleep 300')] }, 'Done.'],
    effects: ['one'],
  },
  {
    stop: { type: 'token_budget', max_total: 10 },
    exit: 1,
    script: [{ text: 'First.', calls: [effect('tc_1', 'one')], usage: { input: 7, output: 3 } }, 'Done.'],
    effects: ['one'],
  },
  {
    stop: { type: 'budget', usd: 0.01 },
    exit: 1,
    script: [{ text: 'First.', calls: [effect('tc_1', 'one')], usage: { input: 700, output: 300 } }, 'Done.'],
    effects: ['one'],
  },
  {
    stop: { type: 'consecutive_errors', max: 1 },
    exit: 1,
    script: [{ text: 'First.', calls: [{ id: 'tc_1', name: 'read_file', args: { path: 'missing.txt' } }] }, 'Done.'],
    effects: [],
  },
  {
    stop: { type: 'loop_detection', window: 2 },
    exit: 1,
    script: [{ text: 'First.', calls: [effect('tc_1', 'one'), effect('tc_2', 'one')] }, 'Done.'],
    effects: ['one', 'one'],
  },
  {
    stop: { type: 'stop_on_tool', tool_name: 'run_command' },
    exit: 0,
    script: [{ text: 'First.', calls: [effect('tc_1', 'one')] }, 'Done.'],
    effects: ['one'],
  },
  {
    stop: { type: 'content_match', pattern: 'First' },
    exit: 0,
    script: [{ text: 'First.', calls: [effect('tc_1', 'one')] }, 'Done.'],
    effects: ['one'],
  },
]

test.for(COMMANDS)('on the command line $stop.type of an agent in Markdown exits with $exit', async story => {
  await using project = await aStoppingProject(story.stop as unknown as Json, story.script)
  const finished = await project.run(RUN)
  const { type: code } = story.stop
  expect(finished).toMatchObject({
    exit: story.exit,
    stderr: '',
    json: {
      outcome: story.exit === 0 ? 'completed' : 'stopped',
      termination: { type: 'stopped', code, detail: expect.any(String) },
      final_message: 'First.',
      steps_taken: 1,
    },
  })
  if (story.exit === 0) expect(finished.json).not.toHaveProperty('error')
  else expect(finished.json.error).toMatchObject({ code })
  expect(await project.effects()).toEqual(story.effects)
})

test('loop_detection ends a run that goes in a circle of two calls', async () => {
  const script = ['a', 'b', 'a', 'b'].map((name, n) => ({ calls: [effect(`tc_${n}`, name)] }))
  await using project = await aStoppingProject({ type: 'loop_detection', window: 4 }, [...script, 'Done.'])
  expect(await project.run(RUN)).toMatchObject({
    exit: 1,
    json: { termination: { code: 'loop_detection', detail: 'the last 4 calls repeat 2 calls' }, steps_taken: 4 },
  })
})

test('timeout stops a command with all that it started', async () => {
  const started = command('tc_1', 'sleep 300 & echo $! >> pids; echo $$ >> pids; wait')
  await using project = await aStoppingProject({ type: 'timeout', seconds: 1 }, [{ calls: [started] }, 'Done.'])
  expect(await project.run(RUN)).toMatchObject({ exit: 1, json: { error: { code: 'timeout' } } })
  const pids = (await project.read('pids')).trim().split('\n').map(Number)
  expect(pids).toHaveLength(2)
  expect(pids.filter(isAlive)).toEqual([])
})

test('an agent in Markdown with a pattern that is none is refused before anything happens', async () => {
  await using project = await aStoppingProject({ type: 'content_match', pattern: '(' }, ['Done.'])
  expect(await project.run(RUN)).toMatchObject({
    exit: 2,
    json: { outcome: 'refused', error: { code: 'invalid_agent', message: expect.stringContaining('content_match') } },
  })
})

async function resumed(project: Project, { json }: Finished, ...more: string[]): Promise<Finished> {
  return project.holdpoint('-c', json.checkpoint_id, ...more, '-o', 'json')
}

const GATED = `export const agent = {
  name: 'gated',
  policy: { default: 'prompt' },
  stop: [{ type: 'max_rounds', rounds: 2 }],
}`

test('-c after a pause does not reset the budget of a run', async () => {
  const script = [1, 2, 3].map(n => ({ text: `Round ${n}.`, calls: [effect(`tc_${n}`, `effect-${n}`)] }))
  await using project = await aProject({ script, files: { 'agent.mjs': GATED } })
  const first = await project.holdpoint('--agent', 'agent.mjs', '--pause-on', 'approval', '-o', 'json', 'go')
  const second = await resumed(project, first, '--approve', 'tc_1')
  expect([first.exit, second.exit]).toEqual([10, 10])
  expect(await resumed(project, second, '--approve', 'tc_2')).toMatchObject({
    exit: 1,
    json: { termination: { code: 'max_rounds' }, steps_taken: 2, final_message: 'Round 2.' },
  })
  expect(await project.effects()).toEqual(['effect-1', 'effect-2'])
})

test('-c after a limit stops at it again without asking the model, and goes on once the limit is higher', async () => {
  const script = [1, 2].map(n => ({ text: `Round ${n}.`, calls: [effect(`tc_${n}`, `effect-${n}`)] }))
  await using project = await aProject({ script: [...script, 'Done.'], policy: { default: 'auto' } })
  const stopped = await project.holdpoint('-a', '--max-steps', '1', '-o', 'json', 'go')
  expect(stopped).toMatchObject({ exit: 1, json: { termination: { code: 'max_rounds' } } })
  const again = await resumed(project, stopped)
  expect(again).toMatchObject({ exit: 1, json: { termination: { code: 'max_rounds' }, steps_taken: 1 } })
  expect(await project.effects()).toEqual(['effect-1'])
  expect(await resumed(project, again, '--max-steps', '5')).toMatchObject({
    exit: 0,
    json: { outcome: 'completed', final_message: 'Done.', steps_taken: 3 },
  })
  expect(await project.effects()).toEqual(['effect-1', 'effect-2'])
})
