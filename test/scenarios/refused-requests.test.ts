/** P12: what a provider refuses is left out of what it is sent, on record, and the run goes on. */
import { describe, expect, test } from 'vitest'
import { type ContentPart, toolParts } from '../../src/index.ts'
import type { ModelServer } from '../../src/testing/servers/model-server.ts'
import { until } from './processes.ts'
import { aProject } from './project.ts'
import { ALL_WIRES, WIRES, type Wire } from './wires.ts'
import { advanced, aWorkplace, call, type Workplace } from './workplace.ts'

const pixels = (mark: string) =>
  Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x01\0\0\0\x01\x08\x02', 'latin1'),
    Buffer.from(mark.repeat(30)),
  ]).toString('base64')

const picture = (mark: string, name?: string): ContentPart => ({
  ...{ type: 'image', media_type: 'image/png', data: pixels(mark) },
  ...(name !== undefined && { name }),
})
const [bad, good] = [picture('b', 'a.png'), picture('g', 'b.png')]

/** A refusal by a provider, in its shape. */
const refusal = (message: string, status = 400) => ({
  status,
  body: { type: 'error', error: { type: 'invalid_request_error', message } },
})

const sent = (server: ModelServer) => server.requests.map(({ body }) => JSON.stringify(body))

const events = async (place: Workplace, threadId: string) => {
  await using holdpoint = await place.open()
  const seen = []
  for await (const event of holdpoint.follow(threadId, { since: 0, signal: AbortSignal.timeout(20_000) })) {
    if ('ephemeral' in event) continue
    seen.push(event)
    if (event.kind === 'run.finished') break
  }
  return seen
}

const worker = (wire: Wire, server: ModelServer) => (it: Workplace) => ({
  model: wire.object(server.url),
  tools: [it.tool('look', { execute: () => toolParts([bad, good]) }), it.held('deploy')],
})

describe.each(ALL_WIRES)('with $model', wire => {
  test('a picture that is refused for no known reason is left out, and the other one arrives byte for byte', async () => {
    const fail = [null, refusal('The request could not be processed.')]
    await using server = await wire.open({ turns: [{ calls: [call('look')] }, 'One.', 'Two.'], fail })
    await using place = await aWorkplace(worker(wire, server))
    await using holdpoint = await place.open()
    const { id, thread_id } = await holdpoint.start({ agent: 'worker', input: 'go' })
    const view = await advanced(holdpoint, id)
    expect(view).toMatchObject({ answer: 'One.', termination: { type: 'natural_end' } })
    expect(view.warnings).toMatchObject([
      { code: 'context_repaired', parts: ['the picture b.png in the result of look'] },
    ])
    expect(view.messages[2]).toMatchObject({ parts: [bad, good] })
    const next = await holdpoint.send(thread_id, { text: 'Go on.' })
    expect(await advanced(holdpoint, next.run_id)).toMatchObject({ answer: 'Two.', warnings: [] })
    const [, refused, repaired, later] = sent(server)
    expect([refused, repaired, later].map(body => body?.includes(pixels('g')))).toEqual([true, false, false])
    expect([refused, repaired, later].map(body => body?.includes(pixels('b')))).toEqual([true, true, true])
    expect(repaired).toContain('left out of what you see')
  })

  test('a picture that the provider names is left out, though an older one was never refused', async () => {
    const place_of = wire.model.startsWith('anthropic')
      ? 'messages.0.content.1.image.source.base64'
      : 'messages[0].content[1].image_url'
    await using server = await wire.open({ turns: ['One.'], fail: [refusal(`${place_of}: Could not process image`)] })
    await using place = await aWorkplace(worker(wire, server))
    await using holdpoint = await place.open()
    const { id } = await holdpoint.start({ agent: 'worker', input: [{ type: 'text', text: 'See.' }, bad, good] })
    const view = await advanced(holdpoint, id)
    expect(view).toMatchObject({ answer: 'One.', warnings: [{ parts: ['the picture a.png in a message'] }] })
    const [, repaired] = sent(server)
    expect([repaired?.includes(pixels('b')), repaired?.includes(pixels('g'))]).toEqual([false, true])
  })

  test('a tool whose schema is refused is left out alone, by its name', async () => {
    const words = wire.model.startsWith('anthropic')
      ? 'tools.1.custom.input_schema: JSON schema is invalid'
      : "Invalid schema for function 'deploy': something."
    await using server = await wire.open({ turns: ['One.'], fail: [refusal(words)] })
    await using place = await aWorkplace(worker(wire, server))
    await using holdpoint = await place.open()
    const { id } = await holdpoint.start({ agent: 'worker', input: 'go' })
    expect(await advanced(holdpoint, id)).toMatchObject({ answer: 'One.', warnings: [{ parts: ['the tool deploy'] }] })
    expect(sent(server).map(body => [body.includes('"look"'), body.includes('"deploy"')])).toEqual([
      [true, true],
      [true, false],
    ])
  })

  test('a conversation that is too long goes on with its long results shortened', async () => {
    const fail = [null, null, refusal('prompt is too long: 213462 tokens > 200000 maximum')]
    await using server = await wire.open({
      turns: [{ calls: [call('one', 'read')] }, { calls: [call('two', 'read')] }, 'One.'],
      fail,
    })
    await using place = await aWorkplace(it => ({
      model: wire.object(server.url),
      tools: [it.tool('read', { execute: () => `head${'x'.repeat(20_000)}tail` })],
    }))
    await using holdpoint = await place.open()
    const { id } = await holdpoint.start({ agent: 'worker', input: 'go' })
    expect(await advanced(holdpoint, id)).toMatchObject({
      answer: 'One.',
      warnings: [{ parts: ['a long result of a tool'] }],
    })
    const [, , refused, repaired] = sent(server)
    expect(repaired).toContain('18008 characters left out')
    expect(refused!.length - repaired!.length).toBeGreaterThan(17_000)
  })

  test('a refusal that no repair mends ends the run after five, and what was left out in vain is sent again', async () => {
    const fail = Array.from({ length: 7 }, () => refusal('No.'))
    await using server = await wire.open({ turns: ['One.'], fail: fail.slice(0, 6) })
    await using place = await aWorkplace(worker(wire, server))
    await using holdpoint = await place.open()
    const input = Array.from({ length: 6 }, (_, index) => picture(String(index)))
    const { id, thread_id } = await holdpoint.start({ agent: 'worker', input })
    expect(await advanced(holdpoint, id)).toMatchObject({ termination: { type: 'error', code: 'model_rejected' } })
    expect(server.requests).toHaveLength(6)
    const next = await holdpoint.send(thread_id, { text: 'Again.' })
    expect(await advanced(holdpoint, next.run_id)).toMatchObject({ answer: 'One.' })
    expect(sent(server).at(-1)?.split('image/png').length).toBe(7)
  })

  test('files that the model does not read take no try from a request that is refused', async () => {
    const file = (index: number) => ({
      type: 'file',
      media_type: 'application/zip',
      data: 'UEsDBA==',
      name: `${index}.zip`,
    })
    const files = Array.from({ length: 6 }, (_, index) => file(index)) as ContentPart[]
    await using server = await wire.open({ turns: ['One.'], fail: [refusal('Could not process image')] })
    await using place = await aWorkplace(worker(wire, server))
    await using holdpoint = await place.open()
    const { id } = await holdpoint.start({ agent: 'worker', input: [...files, good] })
    expect(await advanced(holdpoint, id)).toMatchObject({ answer: 'One.', termination: { type: 'natural_end' } })
  })

  test('another model of the run gets what one provider refused', async () => {
    await using server = await wire.open({ turns: ['One.'], fail: [refusal('Could not process image')] })
    const [other] = WIRES.filter(each => each !== wire)
    await using second = await other!.open({ turns: ['One.', 'Two.'] })
    await using place = await aWorkplace(worker(wire, server))
    await using holdpoint = await place.open()
    const { id, thread_id } = await holdpoint.start({ agent: 'worker', input: [bad] })
    expect(await advanced(holdpoint, id)).toMatchObject({ answer: 'One.' })
    expect(sent(server)[1]).not.toContain(pixels('b'))
    await using later = await place.open({ model: other!.object(second.url) })
    const next = await later.send(thread_id, { text: 'Go on.' })
    expect(await advanced(later, next.run_id)).toMatchObject({ answer: 'Two.' })
    expect(sent(second)[0]).toContain(pixels('b'))
  })

  test('a thread that every request had poisoned comes back to life', async () => {
    const fail = [
      refusal('temperature: Extra inputs are not permitted'),
      refusal('The request could not be processed.'),
    ]
    await using server = await wire.open({ turns: ['One.'], fail })
    await using place = await aWorkplace(worker(wire, server))
    await using holdpoint = await place.open()
    const { id, thread_id } = await holdpoint.start({ agent: 'worker', input: [bad] })
    // As an older Holdpoint left it: refused, and nothing left out.
    expect(await advanced(holdpoint, id)).toMatchObject({ termination: { code: 'model_rejected' }, warnings: [] })
    const next = await holdpoint.send(thread_id, { text: 'Go on.' })
    expect(await advanced(holdpoint, next.run_id)).toMatchObject({
      answer: 'One.',
      warnings: [{ code: 'context_repaired' }],
    })
  })

  test('a process that stops before the repaired request is answered leaves the repair to the next one', async () => {
    await using server = await wire.open({ turns: ['One.'], fail: [refusal('Could not process image'), 'hang'] })
    await using place = await aWorkplace(worker(wire, server))
    const stop = new AbortController()
    await using first = await place.open()
    const { id, thread_id } = await first.start({ agent: 'worker', input: [bad] })
    const advancing = first.advance(id, { signal: stop.signal })
    await until(() => server.requests.length === 2)
    stop.abort()
    await advancing
    await using second = await place.open()
    expect(await advanced(second, id)).toMatchObject({ answer: 'One.' })
    expect(sent(server).map(body => body.includes(pixels('b')))).toEqual([true, false, false])
    const kinds = (await events(place, thread_id)).map(({ kind }) => kind)
    expect(kinds.filter(kind => kind === 'context.repaired')).toHaveLength(1)
  })

  test('the journal has the repair before the request is made again', async () => {
    await using server = await wire.open({ turns: ['One.'], fail: [refusal('Could not process image')] })
    await using place = await aWorkplace(worker(wire, server))
    await using holdpoint = await place.open()
    const { id, thread_id } = await holdpoint.start({ agent: 'worker', input: [bad] })
    await advanced(holdpoint, id)
    const kinds = (await events(place, thread_id)).map(({ kind }) => kind)
    expect(kinds.filter(kind => kind === 'context.repaired' || kind === 'model.answered')).toEqual([
      'context.repaired',
      'model.answered',
    ])
  })
})

describe('a person leaves out what a provider refuses', () => {
  const [wire] = WIRES as readonly [Wire]

  test('context drop lists what can go, and the session goes on without it', async () => {
    await using server = await wire.open({ turns: ['One.', 'Two.'], fail: [null, refusal('It is not allowed.')] })
    await using project = await aProject({ env: { HOLDPOINT_MODEL: wire.model, ...wire.env(server.url) } })
    const { json: first } = await project.holdpoint('-o', 'json', 'Hello.')
    const { exit, json } = await project.holdpoint('-o', 'json', '-c', first.checkpoint_id, 'What is FORBIDDEN?')
    expect([exit, json.error.code]).toEqual([1, 'model_rejected'])
    expect(json.error.hint).toContain('context drop')
    const session = json.session_id
    const listed = await project.holdpoint('context', 'drop', session, '--json')
    expect(listed.json.map(({ place, what }: { place: string; what: string }) => [place, what])).toEqual([
      ['2', expect.stringMatching(/^a message.*: What is FORBIDDEN\?$/)],
      ['0', expect.stringMatching(/^a message.*: Hello\.$/)],
    ])
    expect(await project.holdpoint('context', 'drop', session, '7')).toMatchObject({ exit: 2 })
    expect(await project.holdpoint('context', 'drop', session, '2')).toMatchObject({ exit: 0 })
    expect((await project.holdpoint('context', 'drop', session, '--json')).json).toHaveLength(1)
    const next = await project.holdpoint('-o', 'json', '-c', json.checkpoint_id, 'Go on.')
    expect(next).toMatchObject({ exit: 0, json: { final_message: 'Two.' } })
    const last = sent(server).at(-1)
    expect([last?.includes('FORBIDDEN'), last?.includes('dropped it')]).toEqual([false, true])
    expect((await project.holdpoint('threads', 'show', session, '--human')).stdout).toContain('FORBIDDEN')
  })

  test('the result of a call that a person decided about stays', async () => {
    await using server = await wire.open({ turns: [{ calls: [call('dep', 'deploy')] }, 'One.'] })
    await using place = await aWorkplace(worker(wire, server))
    await using holdpoint = await place.open()
    const { id, thread_id } = await holdpoint.start({ agent: 'worker', input: 'go' })
    await holdpoint.advance(id)
    const drop = (message: number, part?: number) =>
      holdpoint
        .compact(thread_id, { by: 'ana', drop: { message, ...(part !== undefined && { part }) } })
        .then(({ seq }) => seq > 0)
        .catch(thrown => thrown.code)
    // Also while the call waits.
    expect(await drop(0)).toBe(true)
    const [hold] = await holdpoint.holds({ status: 'open' })
    await holdpoint.decide(hold!.id, { verdict: 'reject', reason: 'Not now.', decided_by: 'ana', surface: 'test' })
    expect(await advanced(holdpoint, id)).toMatchObject({ answer: 'One.' })
    expect([await drop(0), await drop(1), await drop(2), await drop(9), await drop(0, 1)]).toEqual(
      Array.from({ length: 5 }, () => 'invalid_arguments'),
    )
    expect(sent(server).at(-1)).toContain('Not now.')
  })
})
