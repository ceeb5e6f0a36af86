import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ModelError } from '../../core/errors.ts'
import { NO_USAGE } from '../../core/run/usage/usage.ts'
import { defineAgent } from '../../hosts/agents/define-agent.ts'
import { agentRegistry } from '../../hosts/compose/compose.ts'
import { systemIds } from '../../hosts/process/system-ids.ts'
import type { Store } from '../../ports/store/store.ts'
import { openStore } from '../../stores/open-store.ts'
import { type HandClock, handClock } from '../../testing/kit/hand-clock.ts'
import { validateJson } from '../../tools/define/json-schema.ts'
import type { Holdpoint } from '../face/holdpoint.ts'
import { EmbeddedHoldpoint } from '../holdpoint.ts'

const noTasks = () => Promise.reject(new Error('there are no tasks here'))

let clock: HandClock
let store: Store
/** The minutes in which the model was asked. */
let asked: number[] = []
/** The minute in which the test began. */
let begun = 0
/** The minute of the test from which the model answers. */
let answersFrom: number
/** What the provider names as the time of the next try, in milliseconds. */
let retryAfterMs: number | null

const minute = () => Math.floor(clock.steady() / 60_000) - begun

beforeEach(async () => {
  clock = handClock()
  store = await openStore('memory:', { clock, directory: '/' })
  begun = 0
  retryAfterMs = null
})
afterEach(() => store[Symbol.asyncDispose]())

const model = {
  id: 'test/model',
  answer: async () => {
    asked.push(minute())
    if (minute() < answersFrom)
      throw new ModelError('model_overloaded', 'Overloaded.', { retryable: true, hint: null, retryAfterMs })
    return { text: 'Done.', calls: [], usage: NO_USAGE, finish_reason: 'stop' }
  },
}

function opened(modelSettings: { giveUpAfterSeconds?: number } = {}): Holdpoint {
  const agent = defineAgent({ name: 'asker', model, ...modelSettings })
  return new EmbeddedHoldpoint(
    {
      ...{ store, clock, ids: systemIds, checkSchema: validateJson, tell: () => {} },
      agents: agentRegistry({ agents: [agent], directory: '/', env: {} }),
      liveness: { self: 'one', isGone: () => false, isAlive: () => true },
    },
    noTasks,
  )
}

async function pass(ms: number, step = 500): Promise<void> {
  for (let left = ms; left > 0; left -= step) {
    clock.advance(Math.min(step, left))
    for (let turns = 0; turns < 12; turns += 1) await turn()
  }
}

async function during(holdpoint: Holdpoint, work: () => Promise<void>): Promise<void> {
  const drain = new AbortController()
  const ended = holdpoint.work({ signal: drain.signal, concurrency: 8 })
  await work()
  drain.abort()
  await passUntil(ended)
}

async function passUntil(over: Promise<unknown>): Promise<void> {
  let isOver = false
  void over.finally(() => {
    isOver = true
  })
  while (!isOver) await pass(500)
  await over
}

/** A face that has loaded all that its work needs: loading takes real time. */
async function aFace(settings: { giveUpAfterSeconds?: number } = {}): Promise<Holdpoint> {
  const holdpoint = opened(settings)
  answersFrom = 0
  await holdpoint.start({ agent: 'asker', input: 'go' })
  await passUntil(holdpoint.work({ once: true }))
  asked = []
  begun = minute()
  answersFrom = 10
  return holdpoint
}

test('P6: fifty runs outlast ten minutes without a provider: none is lost, and none asks in a storm', async () => {
  const holdpoint = await aFace()
  const ids: string[] = []
  for (let made = 0; made < 50; made += 1) ids.push((await holdpoint.start({ agent: 'asker', input: 'go' })).id)
  await during(holdpoint, async () => {
    await pass(5 * 60_000)
    const rows = await store.runs({ status: 'running' })
    expect(rows).toHaveLength(50)
    expect(rows.filter(({ lease, retry_at }) => lease === null && retry_at !== null).length).toBeGreaterThan(40)
    await pass(11 * 60_000)
  })
  const ends = await Promise.all(ids.map(async id => (await holdpoint.run(id)).termination?.type))
  expect(ends).toEqual(ids.map(() => 'natural_end'))
  const inMinute = (at: number) => asked.filter(each => each === at).length
  const counts = Array.from({ length: 15 }, (_, at) => inMinute(at))
  // The longer it lasts the fewer ask, and they are spread, also once the provider is back.
  expect(Math.max(...counts.slice(5))).toBeLessThan(30)
})

test('a run rests until the time that the provider names, and who speaks to it has the model asked at once', async () => {
  const holdpoint = await aFace()
  const { id } = await holdpoint.start({ agent: 'asker', input: 'go' })
  retryAfterMs = 3 * 3_600_000
  answersFrom = 60
  await during(holdpoint, async () => {
    await pass(20_000)
    expect(asked).toHaveLength(1)
    expect(await holdpoint.run(id)).toMatchObject({
      status: 'running',
      stuck: null,
      outage: {
        failures: 1,
        message: expect.stringContaining('Overloaded.'),
        since: expect.stringMatching(/^2030-01-01T00:00:0/),
      },
    })
    await holdpoint.send((await holdpoint.run(id)).thread_id, { text: 'Are you there?', author: 'ana' })
    await pass(2_000)
    expect(asked, 'it is asked, and rests again').toHaveLength(2)
    clock.step(-60_000)
    await pass(4 * 3_600_000, 60_000)
    expect((await holdpoint.run(id)).termination).toEqual({ type: 'natural_end' })
  })
})

test('a run gives up after the time of its settings, with the error of the provider', async () => {
  const holdpoint = await aFace({ giveUpAfterSeconds: 120 })
  const { id } = await holdpoint.start({ agent: 'asker', input: 'go' })
  await during(holdpoint, () => pass(4 * 60_000))
  expect((await holdpoint.run(id)).termination).toMatchObject({ type: 'error', code: 'model_overloaded' })
  expect(asked.every(at => at <= 2)).toBe(true)
})

test('whoever waits for a run is told after a minute', async () => {
  const holdpoint = await aFace()
  const { id } = await holdpoint.start({ agent: 'asker', input: 'go' })
  const advanced = holdpoint.advance(id)
  await pass(59_000)
  expect((await store.run(id))?.status).toBe('running')
  await pass(3_000)
  expect((await advanced).status).toBe('done')
  expect(asked).toHaveLength(8)
})
