/** P12: thoughts that their provider cannot read any more are left out of what it is sent, and the thread goes on. */
import { describe, expect, test } from 'vitest'
import type { ModelServer } from '../../src/testing/servers/model-server.ts'
import { until } from './processes.ts'
import { aProject, effect, ended } from './project.ts'
import { expectInOrder, WIRES } from './wires.ts'
import { advanced, aWorkplace, call } from './workplace.ts'

const THOUGHT = 'Is it safe?'
const THINKING = WIRES.filter(({ model }) => !model.startsWith('openai/'))

const refusal = (message: string) => ({
  status: 400,
  body: { type: 'error', error: { type: 'invalid_request_error', message } },
})
const UNREADABLE = refusal('Invalid `signature` in `thinking` block')

const thoughtsIn = (server: ModelServer) =>
  server.requests.map(({ body }) => JSON.stringify(body.messages ?? body.input).split(`"${THOUGHT}"`).length - 1)

describe.each(THINKING)('with $model', wire => {
  const asks = Array.from({ length: 6 }, (_, index) => ({ calls: [call(`c${index}`, 'look')] }))
  const worker = (server: ModelServer) =>
    aWorkplace(it => ({ model: wire.object(server.url), tools: [it.tool('look')] }))

  test('a thread in which no thought can be read goes on after two repairs', async () => {
    const fail = [...asks.map(() => null), UNREADABLE, UNREADABLE]
    await using server = await wire.open({ turns: [...asks, 'Done.', 'Two.'], thought: THOUGHT, fail })
    await using place = await worker(server)
    await using holdpoint = await place.open()
    const { id, thread_id } = await holdpoint.start({ agent: 'worker', input: 'go' })
    expect(await advanced(holdpoint, id)).toMatchObject({
      answer: 'Done.',
      warnings: [
        {
          code: 'context_repaired',
          parts: ['thoughts in an answer of the model', 'the thoughts in earlier answers of the model'],
        },
      ],
    })
    expect(thoughtsIn(server).slice(6)).toEqual([6, 5, 0])
    const next = await holdpoint.send(thread_id, { text: 'Go on.' })
    expect(await advanced(holdpoint, next.run_id)).toMatchObject({ answer: 'Two.', warnings: [] })
    expectInOrder(server, 10)
    const { messages } = await holdpoint.run(id)
    expect(JSON.stringify(messages).split(THOUGHT).length).toBeGreaterThan(6)
  })

  test('one thought that cannot be read takes no other one with it', async () => {
    const fail = [null, null, UNREADABLE, null, UNREADABLE]
    await using server = await wire.open({ turns: [...asks.slice(0, 4), 'Done.'], thought: THOUGHT, fail })
    await using place = await worker(server)
    await using holdpoint = await place.open()
    const { id } = await holdpoint.start({ agent: 'worker', input: 'go' })
    expect(await advanced(holdpoint, id)).toMatchObject({ answer: 'Done.' })
    expect(thoughtsIn(server)).toEqual([0, 1, 2, 1, 2, 1, 2])
  })

  test('kill -9 between the refusal and the answer to the repaired request: the same request is sent after it', async () => {
    const turns = [{ text: 'I apply it now.', calls: [effect('call_1', 'applied')] }, 'It is applied.']
    await using server = await wire.open({ turns, thought: THOUGHT, fail: [null, UNREADABLE, 'hang'] })
    await using project = await aProject({ env: { HOLDPOINT_MODEL: wire.model, ...wire.env(server.url) } })
    const paused = await project.holdpoint('-a', '--pause-on-approval', '-o', 'json', 'Apply it.')
    const child = project.start(['-c', paused.json.checkpoint_id, '--approve', 'call_1', '-o', 'json'])
    const finished = ended(child)
    await until(() => server.requests.length === 3)
    child.kill('SIGKILL')
    expect(await finished).toMatchObject({ signal: 'SIGKILL', stdout: '' })
    const [{ checkpoint_id }] = (await project.holdpoint('runs', '--json')).json
    const done = await project.holdpoint('-c', checkpoint_id, '-o', 'json')
    expect(done).toMatchObject({ exit: 0, json: { final_message: 'It is applied.' } })
    expect(await project.effects()).toEqual(['applied'])
    const [, , repaired, again] = server.requests
    expect(again?.body).toEqual(repaired?.body)
    expectInOrder(server, 4)
  })
})
