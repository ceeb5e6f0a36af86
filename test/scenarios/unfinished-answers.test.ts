import { expect, test } from 'vitest'
import { ModelError } from '../../src/core/errors.ts'
import type { Message, Model } from '../../src/index.ts'
import { handClock } from '../../src/testing/kit/hand-clock.ts'
import { openAnthropicServer } from '../../src/testing/servers/anthropic-server.ts'
import { openOpenAiServer } from '../../src/testing/servers/openai-server.ts'
import { until } from './processes.ts'
import { aProject, effect } from './project.ts'
import { effectsOf, quickTools, startWorker } from './slow-worker.ts'
import { ALL_WIRES, messagesOf } from './wires.ts'
import { advanced, aWorkplace, call, onlyHold, started } from './workplace.ts'

const CUT = [
  ['length', 'length', 'limit of output tokens'],
  ['content-filter', 'content_filter', 'content filter'],
] as const

test.each(CUT)(
  'a run whose last answer ends with %s is not completed, and a text goes on',
  async (reason, code, words) => {
    const half = { text: 'The first half of', finish_reason: reason }
    const script = [half, half, 'The rest.']
    await using project = await aProject({ script })
    const stopped = await project.holdpoint('-o', 'json', 'go')
    const { checkpoint_id } = stopped.json
    expect(stopped).toMatchObject({
      exit: 1,
      json: {
        outcome: 'stopped',
        steps_taken: 2,
        final_message: 'The first half of',
        termination: { type: 'stopped', code, detail: expect.stringContaining(words) },
        error: {
          code,
          message: expect.stringContaining(words),
          hint: expect.stringContaining(`-c ${checkpoint_id} "`),
        },
      },
    })
    // To ask the model again about its own half answer would be a request that providers refuse.
    expect(await project.holdpoint('-c', checkpoint_id, '-o', 'json')).toMatchObject({
      exit: 2,
      json: { error: { code: 'nothing_pending', hint: expect.stringContaining('go on') } },
    })
    expect(await project.holdpoint('-c', checkpoint_id, '-o', 'json', 'go on')).toMatchObject({
      exit: 0,
      json: { outcome: 'completed', final_message: 'The rest.' },
    })
  },
)

test.each(ALL_WIRES)(
  'no call of an answer of $model that was cut off runs, and the model is asked again',
  async wire => {
    const cut = { id: 'tc_2', name: 'run_command', raw_args: '{"command": "echo two >> effe' }
    const begun = { id: 'tc_3', name: 'list_files', raw_args: '' }
    await using server = await wire.open({
      turns: [
        { text: 'I do three things.', calls: [effect('tc_1', 'one'), cut, begun], finish_reason: 'length' },
        { calls: [effect('tc_4', 'one')] },
        'Done.',
      ],
    })
    const env = { HOLDPOINT_MODEL: wire.model, ...wire.env(server.url) }
    await using project = await aProject({ env, config: { max_output_tokens: 500 }, policy: { default: 'auto' } })
    const done = await project.run(['-a', '-o', 'json', 'go'])
    expect(done).toMatchObject({ exit: 0, json: { outcome: 'completed', steps_taken: 3, final_message: 'Done.' } })
    expect(await project.effects()).toEqual(['one'])
    expect(server.requests.flatMap(({ violations }) => violations)).toEqual([])
    const [first, again, third] = server.requests.map(({ body }) => body)
    const messages = JSON.stringify(messagesOf(again))
    expect(messages).toContain('no call of it ran')
    // Google sends a call whole or not at all.
    const cancelled = wire.model.startsWith('google/') ? 1 : 3
    expect(messages.match(/TOOL_CALL_CANCELLED: [^"]*no call of this answer ran/g)).toHaveLength(cancelled)
    const limitOf = (body: Record<string, unknown>) =>
      body['max_tokens'] ??
      body['max_completion_tokens'] ??
      body['max_output_tokens'] ??
      (body['generationConfig'] as { maxOutputTokens?: number } | undefined)?.maxOutputTokens
    expect([first, again, third].map(limitOf)).toEqual([500, 1000, 500])
  },
)

test('a larger limit that the model does not take is not insisted on', async () => {
  await using server = await openOpenAiServer({
    turns: [{ text: 'Half', finish_reason: 'length' }, 'Done.'],
    fail: [null, { status: 400, body: { error: { message: 'max_tokens is too large' } } }],
  })
  await using project = await aProject({
    env: { HOLDPOINT_MODEL: 'openai/gpt-test', OPENAI_BASE_URL: server.url, OPENAI_API_KEY: 'test' },
    config: { max_output_tokens: 500 },
  })
  expect(await project.holdpoint('-o', 'json', 'go')).toMatchObject({ exit: 0, json: { final_message: 'Done.' } })
})

test('a process that dies between a cut answer and the next one leaves the same question to another', async () => {
  const asked: (readonly Message[])[] = []
  const answers = [
    { text: 'Half', finish_reason: 'length', calls: [{ id: 'a', name: 'A', arguments: '{}', metadata: null }] },
    new Error('The process dies.'),
    { text: 'Done.', finish_reason: 'stop', calls: [] },
  ]
  const model: Model = {
    id: 'test/dies',
    answer: async ({ messages }) => {
      asked.push(messages)
      const next = answers.shift()
      if (!next || next instanceof Error) throw next
      return { ...next, usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0 } }
    },
  }
  await using place = await aWorkplace(it => ({ model, tools: [it.tool('A')] }))
  await using first = await place.open()
  const { id } = await started(first)
  await expect(advanced(first, id)).rejects.toThrow('The process dies.')
  await using second = await place.open()
  expect(await advanced(second, id)).toMatchObject({ steps: 2, termination: { type: 'natural_end' } })
  expect(place.effects).toEqual([])
  expect(asked[2]).toEqual(asked[1])
  expect(asked[1]?.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
})

test('P4: after a kill the model is asked once more, and not twice, and the calls of the cut answer have not run', async () => {
  const cut = { calls: [call('A', 'slow')], finish_reason: 'length' }
  await using place = await aWorkplace(it => ({ script: [cut, 'Done.'], tools: quickTools(it) }))
  await using holdpoint = await place.open()
  const { id, thread_id } = await started(holdpoint)
  const again = async () => (await holdpoint.journal(thread_id)).filter(({ kind }) => kind === 'answer.asked_again')
  const worker = startWorker(place, id, { script: [cut, { text: 'Never.', delay_ms: 3_600_000 }] })
  await until(async () => (await again()).length > 0)
  worker.child.kill('SIGKILL')
  expect(await worker.finished).toMatchObject({ signal: 'SIGKILL' })
  expect(await advanced(holdpoint, id)).toMatchObject({ answer: 'Done.', termination: { type: 'natural_end' } })
  expect(await again()).toHaveLength(1)
  expect([...place.effects, ...effectsOf(place)]).toEqual([])
})

test('an empty answer is made good by the next one, and a person is asked only after two', async () => {
  const usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0 }
  const answers = ['', 'Here.', ' ', '', 'There.']
  const model: Model = {
    id: 'test/empty',
    answer: async () => ({ text: answers.shift() ?? '', calls: [], usage, finish_reason: 'stop' }),
  }
  await using place = await aWorkplace({ model, pauseOn: ['input'] })
  await using holdpoint = await place.open()
  const { id, thread_id } = await started(holdpoint)
  expect(await advanced(holdpoint, id)).toMatchObject({ status: 'waiting', answer: 'Here.', steps: 2 })
  await holdpoint.send(thread_id, { text: 'and?' })
  expect(await advanced(holdpoint, id)).toMatchObject({ status: 'waiting', steps: 4 })
  expect((await onlyHold(holdpoint)).message).toContain('empty answer twice')
  await holdpoint.send(thread_id, { text: 'hello?' })
  expect(await advanced(holdpoint, id)).toMatchObject({ status: 'waiting', answer: 'There.', steps: 5 })
})

test('a pause of Anthropic in its turn is gone on with, as often as it pauses', async () => {
  const paused = (text: string) => ({ text, finish_reason: 'pause_turn' })
  await using server = await openAnthropicServer({ turns: [paused('I search, '), paused('and search, '), 'and find.'] })
  await using project = await aProject({
    env: { HOLDPOINT_MODEL: 'anthropic/claude-test', ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'test' },
  })
  expect(await project.holdpoint('-o', 'json', 'go')).toMatchObject({
    exit: 0,
    json: { steps_taken: 3, final_message: 'I search, and search, and find.' },
  })
  expect(server.requests.flatMap(({ violations }) => violations)).toEqual([])
})

test('a person who is asked about a text that was cut off is told so, and may accept it', async () => {
  const half = { text: 'Half', finish_reason: 'length' }
  await using place = await aWorkplace({ script: [half, half], pauseOn: ['input'] })
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  const hold = await onlyHold(holdpoint)
  expect(hold.message).toContain('its end is missing')
  await holdpoint.decide(hold.id, { verdict: 'approve', decided_by: 'ana', surface: 'test' })
  expect(await advanced(holdpoint, run.id)).toMatchObject({ termination: { type: 'natural_end' } })
})

test('under an input provider a person goes on after an answer that was cut off; without more it is no natural end', async () => {
  const half = { text: 'Half', finish_reason: 'length' }
  await using place = await aWorkplace({ script: [half, half, half, half] })
  await using holdpoint = await place.open()
  const left = ['go on']
  const view = await advanced(holdpoint, (await started(holdpoint)).id, {
    inputProvider: async () => {
      const text = left.shift()
      return text === undefined ? null : { text }
    },
  })
  expect(view).toMatchObject({ steps: 4, termination: { type: 'stopped', code: 'length' } })
})

test('a provider that asks to wait for longer than a run waits is not asked again: the run says when it may go on', async () => {
  await using server = await openOpenAiServer({
    turns: ['Hello.'],
    fail: [{ status: 429, headers: { 'retry-after': '3600' } }],
  })
  await using project = await aProject({
    env: { HOLDPOINT_MODEL: 'openai/gpt-test', OPENAI_BASE_URL: server.url, OPENAI_API_KEY: 'test' },
  })
  const before = Date.now()
  const failed = await project.holdpoint('-o', 'json', 'go')
  const { error, termination, checkpoint_id } = failed.json
  expect(failed).toMatchObject({ exit: 1, json: { outcome: 'failed', error: { code: 'retry_later' } } })
  expect(Date.parse(error.retry_at)).toBeGreaterThanOrEqual(before + 3_600_000)
  expect(termination).toMatchObject({ code: 'retry_later', retryable: true, retry_at: error.retry_at })
  expect(error.message).toContain(error.retry_at)
  expect(server.requests).toHaveLength(1)
  expect(await project.holdpoint('-c', checkpoint_id, '-o', 'json')).toMatchObject({ exit: 0 })
})

test('a wait that is longer than the time that is left is not begun', async () => {
  const clock = handClock()
  await using place = await aWorkplace()
  const busy = async () => {
    clock.advance(5_000)
    throw new ModelError('rate_limited', 'Busy.', { retryable: true, retryAfterMs: 30_000 })
  }
  await using holdpoint = await place.open({
    model: { id: 'busy', answer: busy },
    stop: [{ type: 'timeout', seconds: 20 }],
    open: { clock },
  })
  const view = await advanced(holdpoint, (await started(holdpoint)).id)
  expect(view.termination).toMatchObject({
    type: 'error',
    code: 'retry_later',
    retry_at: new Date(clock.now() + 30_000).toISOString(),
  })
})
