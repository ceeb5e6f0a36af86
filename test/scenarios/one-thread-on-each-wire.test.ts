/** The same thread with each provider, whose server refuses what the provider refuses. */
import { describe, expect, test } from 'vitest'
import { type ContentPart, toolParts } from '../../src/index.ts'
import type { ModelServer } from '../../src/testing/servers/model-server.ts'
import { aProject, effect } from './project.ts'
import { ALL_WIRES, expectInOrder, type Wire } from './wires.ts'
import { advanced, ana, aWorkplace, call, onlyHold, type Workplace } from './workplace.ts'

const THOUGHT = 'Is it safe?'
const PIXELS = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x01\0\0\0\x01\x08\x02', 'latin1').toString('base64')
const PICTURE: ContentPart = { type: 'image', media_type: 'image/png', data: PIXELS }

const TURNS = [
  { text: 'I look first.', calls: [call('c1', 'look'), call('c2', 'deploy')] },
  { calls: [call('c3', 'deploy')] },
  'It is deployed once.',
  'Yes, I am sure.',
]

const worker = (wire: Wire, server: ModelServer) => (it: Workplace) => ({
  model: wire.object(server.url),
  tools: [it.tool('look', { execute: () => toolParts([{ type: 'text', text: 'seen' }, PICTURE]) }), it.held('deploy')],
})

const sentTo = (server: ModelServer, request: number) => JSON.stringify(server.requests[request]?.body)

describe.each(ALL_WIRES)('with $model', wire => {
  test('thought, text, picture, approval, effect, a refusal by a person and a fork are taken back, each from another process', async () => {
    await using server = await wire.open({ turns: TURNS, thought: THOUGHT })
    await using place = await aWorkplace(worker(wire, server))
    await using first = await place.open()
    const { id, thread_id } = await first.start({ agent: 'worker', input: [{ type: 'text', text: 'go' }, PICTURE] })
    expect(await advanced(first, id)).toMatchObject({ status: 'waiting' })
    await using second = await place.open()
    await second.decide((await onlyHold(second)).id, { verdict: 'approve', ...ana })
    expect(await advanced(second, id)).toMatchObject({ status: 'waiting' })
    expect(place.effects).toEqual(['deploy'])
    await using third = await place.open()
    await third.decide((await onlyHold(third)).id, { verdict: 'reject', reason: 'once is enough', ...ana })
    const done = await advanced(third, id)
    expect(done).toMatchObject({ answer: 'It is deployed once.', termination: { type: 'natural_end' }, warnings: [] })
    const fork = await third.fork(done.checkpoint_id ?? '')
    for (const thread of [thread_id, fork.thread_id]) {
      const next = await third.send(thread, { text: 'Sure?' })
      expect(await advanced(third, next.run_id)).toMatchObject({ answer: 'Yes, I am sure.', warnings: [] })
    }
    expect(place.effects).toEqual(['deploy'])
    expectInOrder(server, 5)
    expect(sentTo(server, 4)).toBe(sentTo(server, 3))
    for (const told of ['once is enough', 'deploy done', 'seen', 'I look first.'])
      expect(sentTo(server, 4)).toContain(told)
    expect(sentTo(server, 4).split(PIXELS)).toHaveLength(3)
  })

  test('a thread that another provider began goes on, and comes back to that one', async () => {
    const [other] = ALL_WIRES.filter(each => each !== wire)
    await using began = await other!.open({ turns: [...TURNS, 'And done.'], thought: THOUGHT })
    await using place = await aWorkplace(it => ({
      ...worker(other!, began)(it),
      tools: [it.tool('look', { execute: () => toolParts([PICTURE]) }), it.tool('deploy')],
    }))
    await using first = await place.open()
    const { id, thread_id } = await first.start({ agent: 'worker', input: 'go' })
    expect(await advanced(first, id)).toMatchObject({ answer: 'It is deployed once.' })
    await using server = await wire.open({ turns: TURNS, thought: THOUGHT })
    await using second = await place.open({ model: wire.object(server.url) })
    const next = await second.send(thread_id, { text: 'Sure?' })
    expect(await advanced(second, next.run_id)).toMatchObject({ answer: 'Yes, I am sure.', warnings: [] })
    await using third = await place.open()
    const last = await third.send(thread_id, { text: 'And?' })
    expect(await advanced(third, last.run_id)).toMatchObject({ answer: 'And done.', warnings: [] })
    expectInOrder(server, 1)
    expectInOrder(began, 4)
  })

  test('the command line plays it with the model by its name', async () => {
    const turns = [{ text: 'I apply it now.', calls: [effect('call_1', 'applied')] }, 'It is applied.', 'Yes.']
    await using server = await wire.open({ turns, thought: THOUGHT })
    await using project = await aProject({ env: { HOLDPOINT_MODEL: wire.model, ...wire.env(server.url) } })
    const paused = await project.holdpoint('-a', '--pause-on-approval', '-o', 'json', 'Apply it.')
    expect(paused).toMatchObject({ exit: 10, stderr: '', json: { agent_message: 'I apply it now.' } })
    const done = await project.holdpoint('-c', paused.json.checkpoint_id, '--approve', 'call_1', '-o', 'json')
    expect(done).toMatchObject({ exit: 0, stderr: '', json: { final_message: 'It is applied.' } })
    expect(done.json.warnings).toBeUndefined()
    const more = await project.holdpoint('-c', done.json.checkpoint_id, '-o', 'json', 'Sure?')
    expect(more).toMatchObject({ exit: 0, stderr: '', json: { final_message: 'Yes.' } })
    expect(await project.effects()).toEqual(['applied'])
    expectInOrder(server, 3)
  })
})
