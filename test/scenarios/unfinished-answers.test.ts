import { expect, test } from 'vitest'
import { ModelError } from '../../src/core/errors.ts'
import { handClock } from '../../src/testing/kit/hand-clock.ts'
import { openOpenAiServer } from '../../src/testing/servers/openai-server.ts'
import { aProject } from './project.ts'
import { advanced, aWorkplace, onlyHold, started } from './workplace.ts'

const CUT = [
  ['length', 'length', 'limit of output tokens'],
  ['content-filter', 'content_filter', 'content filter'],
] as const

test.each(CUT)(
  'a run whose last answer ends with %s is not completed, and a text goes on',
  async (reason, code, words) => {
    const script = [{ text: 'The first half of', finish_reason: reason }, 'The rest.']
    await using project = await aProject({ script })
    const stopped = await project.holdpoint('-o', 'json', 'go')
    const { checkpoint_id } = stopped.json
    expect(stopped).toMatchObject({
      exit: 1,
      json: {
        outcome: 'stopped',
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

test('an answer that was cut off and asks for calls goes on with them', async () => {
  const script = [{ calls: [{ id: 'tc_1', name: 'list_files', args: {} }], finish_reason: 'length' }, 'Done.']
  await using project = await aProject({ script })
  expect(await project.holdpoint('-o', 'json', 'go')).toMatchObject({ exit: 0, json: { final_message: 'Done.' } })
})

test('a person who is asked about a text that was cut off is told so, and may accept it', async () => {
  await using place = await aWorkplace({ script: [{ text: 'Half', finish_reason: 'length' }], pauseOn: ['input'] })
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
  await using place = await aWorkplace({ script: [half, half] })
  await using holdpoint = await place.open()
  const left = ['go on']
  const view = await advanced(holdpoint, (await started(holdpoint)).id, {
    inputProvider: async () => {
      const text = left.shift()
      return text === undefined ? null : { text }
    },
  })
  expect(view).toMatchObject({ steps: 2, termination: { type: 'stopped', code: 'length' } })
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
