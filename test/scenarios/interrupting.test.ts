import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { NO_USAGE } from '../../src/core/run/usage/usage.ts'
import { handClock } from '../../src/testing/index.ts'
import { historyFaults } from './history-faults.ts'
import { until } from './processes.ts'
import { begunCalls, effectsOf, quickTools, startWorker } from './slow-worker.ts'
import { advanced, aWorkplace, call, gated, openHold, results, started } from './workplace.ts'

const STOP = { text: 'Stop that.', author: 'cleo' }
const INTERRUPT = { whileWaiting: 'interrupt' } as const
const INTERRUPTED = expect.stringMatching(/interrupt/)

test('a message that interrupts stops the tools that run, and the model hears it next', async () => {
  await using place = await aWorkplace()
  const slow = gated(place, 'slow')
  await using holdpoint = await place.open({
    script: [{ calls: [call('A', 'slow'), call('B', 'held')] }, 'Stopped.'],
    tools: [slow.tool, place.held('held')],
  })
  const run = await started(holdpoint)
  const advancing = advanced(holdpoint, run.id)
  await slow.begun
  expect(await holdpoint.send(run.thread_id, STOP, INTERRUPT)).toMatchObject({ run_id: run.id })
  const view = await advancing
  expect(slow.aborted).toBe(true)
  expect(view).toMatchObject({ status: 'done', answer: 'Stopped.' })
  expect(results(view)).toEqual([
    ['A', INTERRUPTED],
    ['B', expect.stringMatching(/^TOOL_CALL_CANCELLED: .*it did not run/)],
  ])
  expect(historyFaults(view.messages)).toEqual([])
  expect(await holdpoint.holds({ status: 'open' })).toEqual([])
})

test('one from another process stops them as well, and what comes after it runs', async () => {
  const script = [{ calls: [call('A', 'slow')] }, { calls: [call('B', 'quick')] }, 'Done.']
  await using place = await aWorkplace(place => ({ script, tools: quickTools(place) }))
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  const worker = startWorker(place, run.id, { script })
  await begunCalls(place, 1)
  await holdpoint.send(run.thread_id, STOP, INTERRUPT)
  expect((await worker.finished).json).toMatchObject({ status: 'done' })
  expect(effectsOf(place)).toContain('stopped slow A')
  const view = await holdpoint.run(run.id)
  expect(results(view)).toEqual([
    ['A', INTERRUPTED],
    ['B', expect.not.stringMatching(/TOOL_CALL/)],
  ])
})

test('a model that is about to answer is asked again, with the message', async () => {
  const asked = Promise.withResolvers<void>()
  let turns = 0
  await using place = await aWorkplace({
    model: {
      id: 'slow at first',
      answer: async ({ signal }) => {
        turns += 1
        if (turns > 1) return { text: 'Heard.', calls: [], usage: NO_USAGE, finish_reason: 'stop' }
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
  await holdpoint.send(run.thread_id, STOP, INTERRUPT)
  const view = await advancing
  expect(view).toMatchObject({ status: 'done', answer: 'Heard.', steps: 1 })
  expect(view.messages.map(({ content }) => content)).toEqual(['go', 'Stop that.', 'Heard.'])
})

test('a tool that is deaf to it holds the message up for its grace alone, and its later result does not count', async () => {
  const clock = handClock()
  await using place = await aWorkplace()
  const deaf = gated(place, 'deaf', { deaf: true })
  await using holdpoint = await place.open({
    script: [{ calls: [call('A', 'deaf')] }, 'Heard.'],
    tools: [deaf.tool],
    open: { clock },
  })
  const run = await started(holdpoint)
  const advancing = advanced(holdpoint, run.id)
  await deaf.begun
  await holdpoint.send(run.thread_id, STOP, INTERRUPT)
  await until(() => deaf.aborted && clock.sleeping > 0)
  clock.advance(10_000)
  const view = await advancing
  expect(view).toMatchObject({ status: 'done', answer: 'Heard.' })
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

test('to a run that waits it takes the place of the calls, and one whose process was killed asks nobody what happened', async () => {
  const script = [{ calls: [call('A', 'slow')] }, 'Heard.']
  await using place = await aWorkplace(place => ({ script, tools: [...quickTools(place), place.held('held')] }))
  await using holdpoint = await place.open({ script: [{ calls: [call('H', 'held')] }, 'Heard.'] })
  const waits = await started(holdpoint)
  await advanced(holdpoint, waits.id)
  const hold = await openHold(holdpoint, 'H')
  expect(await holdpoint.send(waits.thread_id, STOP, INTERRUPT)).toMatchObject({ outcome: 'superseded' })
  expect(await holdpoint.hold(hold.id)).toMatchObject({ status: 'withdrawn' })

  await using other = await place.open({ script })
  const run = await started(other)
  const worker = startWorker(place, run.id, { script })
  await begunCalls(place, 1)
  worker.child.kill('SIGKILL')
  await worker.finished
  await other.send(run.thread_id, STOP, INTERRUPT)
  const view = await advanced(other, run.id)
  expect(view).toMatchObject({ status: 'done' })
  expect(results(view)).toEqual([
    ['A', expect.stringMatching(/^OUTCOME_UNKNOWN: .*it had started, so it may have had its effect/)],
  ])
  expect(await other.holds({ kind: 'in_doubt' })).toEqual([])
})
