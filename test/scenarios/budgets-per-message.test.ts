import { expect, test } from 'vitest'
import type { InputProvider, RunView, StopCondition } from '../../src/index.ts'
import { handClock } from '../../src/testing/kit/hand-clock.ts'
import { until } from './processes.ts'
import { aProject, effect } from './project.ts'
import { advanced, aWorkplace, call, gated, started } from './workplace.ts'

const said = ({ messages }: RunView) => messages.filter(({ role }) => role !== 'tool').map(({ content }) => content)

/** Says these one after the other, then nothing more. */
function saying(...texts: readonly string[]): InputProvider {
  const left = [...texts]
  return async () => {
    const text = left.shift()
    return text === undefined ? null : { text }
  }
}

test('an input provider may return a text alone', async () => {
  const left = ['two', 'three']
  await using place = await aWorkplace(() => ({ script: ['Re: go', 'Re: two', 'Re: three'] }))
  await using holdpoint = await place.open()
  const view = await advanced(holdpoint, (await started(holdpoint)).id, {
    inputProvider: async () => left.shift() ?? null,
  })
  expect(said(view)).toEqual(['go', 'Re: go', 'two', 'Re: two', 'three', 'Re: three'])
})

const tokens = { input: 60, output: 40 }
const LIMITS: readonly StopCondition[] = [
  { type: 'max_rounds', rounds: 1 },
  { type: 'token_budget', max_total: 100 },
  { type: 'timeout', seconds: 10 },
]

test.each(LIMITS)('$type counts for each message of a person: each one is answered', async stop => {
  const clock = handClock()
  await using place = await aWorkplace()
  await using holdpoint = await place.open({
    model: {
      id: 'slow',
      answer: async ({ messages }) => {
        clock.advance(9_000)
        const usage = { input_tokens: 60, output_tokens: 40, total_tokens: 100 }
        return { text: `Re: ${String(messages.at(-1)?.content)}`, calls: [], usage, finish_reason: 'stop' }
      },
    },
    stop: [stop],
    open: { clock },
  })
  const view = await advanced(holdpoint, (await started(holdpoint)).id, { inputProvider: saying('two', 'three') })
  expect(view).toMatchObject({ status: 'done', termination: { type: 'natural_end' }, steps: 3 })
  expect(said(view)).toEqual(['go', 'Re: go', 'two', 'Re: two', 'three', 'Re: three'])
})

test('a limit that one message reaches stops the run, and says what was used for this message', async () => {
  const round = (id: string) => ({ calls: [call(id, 'work')], usage: tokens })
  await using place = await aWorkplace(place => ({
    script: ['First.', round('A'), round('B'), 'Never said.'],
    stop: [{ type: 'max_rounds', rounds: 2 }],
    tools: [place.tool('work')],
  }))
  await using holdpoint = await place.open()
  const view = await advanced(holdpoint, (await started(holdpoint)).id, { inputProvider: saying('more') })
  expect(view).toMatchObject({
    termination: { type: 'stopped', code: 'max_rounds', detail: '2 of 2 rounds were used' },
    steps: 3,
  })
})

test('what a plugin says to make the run go on has no budget of its own', async () => {
  let wishes = 0
  const plugin = {
    name: 'pushy',
    hooks: { stepEnd: () => (wishes++ < 2 ? { continueWith: 'Go on.' } : undefined) },
  }
  await using place = await aWorkplace({
    script: ['One.', 'Two.', 'Three.'],
    stop: [{ type: 'max_rounds', rounds: 2 }],
    plugins: [plugin],
  })
  await using holdpoint = await place.open()
  const view = await advanced(holdpoint, (await started(holdpoint)).id)
  expect(view).toMatchObject({ steps: 2, termination: { type: 'stopped', code: 'max_rounds' } })
  expect(said(view)).toEqual(['go', 'One.', 'Go on.', 'Two.', 'Go on.'])
})

test('a message that is sent wakes a run that waits in an input provider, and is answered', async () => {
  await using place = await aWorkplace({ script: ['One.', 'Two.'], stop: [{ type: 'max_rounds', rounds: 1 }] })
  await using holdpoint = await place.open()
  await using elsewhere = await place.open()
  const run = await started(holdpoint)
  const asked: AbortSignal[] = []
  const view = await advanced(holdpoint, run.id, {
    inputProvider: async (_view, signal) => {
      asked.push(signal)
      if (asked.length > 1) return null
      await elsewhere.send(run.thread_id, { text: 'More.', author: 'ben' })
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    },
  })
  expect(view).toMatchObject({ status: 'done', termination: { type: 'natural_end' } })
  expect(said(view)).toEqual(['go', 'One.', 'More.', 'Two.'])
  expect(asked.map(({ aborted }) => aborted)).toEqual([true, false])
})

test('what an input provider that does not stop brings later is answered too, and it is not asked twice at once', async () => {
  await using place = await aWorkplace({ script: ['One.', 'Two.', 'Three.'] })
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  const typed = Promise.withResolvers<{ text: string }>()
  let asked = 0
  const advancing = advanced(holdpoint, run.id, {
    inputProvider: async () => {
      asked += 1
      return asked === 1 ? typed.promise : null
    },
  })
  await until(async () => asked === 1)
  await holdpoint.send(run.thread_id, { text: 'More.' })
  await until(async () => (await holdpoint.run(run.id)).answer === 'Two.')
  typed.resolve({ text: 'And this.' })
  expect(said(await advancing)).toEqual(['go', 'One.', 'More.', 'Two.', 'And this.', 'Three.'])
  expect(asked).toBe(2)
})

test.each([false, true])(
  'when the time is up while a tool runs, a message that waits is answered (deaf tool: %s)',
  async deaf => {
    const clock = handClock()
    await using place = await aWorkplace()
    const slow = gated(place, 'slow', { deaf })
    await using holdpoint = await place.open({
      script: [{ calls: [call('A', 'slow')] }, { calls: [call('B', 'quick')] }, 'Done.'],
      stop: [{ type: 'timeout', seconds: 15 }],
      tools: [slow.tool, place.tool('quick')],
      open: { clock },
    })
    const run = await started(holdpoint)
    const advancing = advanced(holdpoint, run.id)
    await slow.begun
    await holdpoint.send(run.thread_id, { text: 'What takes so long?' })
    clock.advance(15_000)
    if (deaf) {
      await until(async () => slow.aborted && clock.sleeping > 0)
      clock.advance(10_000)
    }
    const view = await advancing
    slow.finish()
    expect(view).toMatchObject({ status: 'done', termination: { type: 'natural_end' }, answer: 'Done.' })
    const [cut] = view.messages.filter(({ role }) => role === 'tool')
    expect(cut).toMatchObject({ is_error: true, content: expect.stringContaining('OUTCOME_UNKNOWN') })
    expect(said(view)).toEqual(['go', '', 'What takes so long?', '', 'Done.'])
    expect(place.effects).toEqual(['slow', 'quick'])
  },
)

test('with -c a message goes on after a limit with new budgets; without one the limit holds', async () => {
  const script = [1, 2].map(n => ({ text: `Round ${n}.`, calls: [effect(`tc_${n}`, `effect-${n}`)] }))
  await using project = await aProject({ script, policy: { default: 'auto' } })
  const stopped = await project.holdpoint('-a', '--max-steps', '1', '-o', 'json', 'go')
  const again = await project.holdpoint('-c', stopped.json.checkpoint_id, '-o', 'json')
  expect(again.json).toMatchObject({ outcome: 'stopped', steps_taken: 1 })
  const next = await project.holdpoint('-c', again.json.checkpoint_id, '-o', 'json', 'go on')
  expect(next.json).toMatchObject({ outcome: 'stopped', termination: { code: 'max_rounds' }, steps_taken: 2 })
  expect(await project.effects()).toEqual(['effect-1', 'effect-2'])
})
