import { expect, test } from 'vitest'
import { openAnthropicServer } from './anthropic-server.ts'

const ask = (url: string, messages: object[]) =>
  fetch(`${url}/v1/messages`, {
    method: 'POST',
    body: JSON.stringify({ model: 'm', max_tokens: 9, stream: true, messages }),
  })

const eventsOf = (text: string) =>
  text
    .split('\n\n')
    .filter(Boolean)
    .map(event => JSON.parse(event.split('\ndata: ')[1] ?? '{}'))

test('a turn is streamed as the events of its blocks', async () => {
  await using server = await openAnthropicServer({
    turns: [
      { text: 'Hello there', calls: [{ id: 'a', name: 'refund', args: { order: 7 } }], usage: { input: 3, output: 2 } },
    ],
  })
  const events = eventsOf(await (await ask(server.url, [{ role: 'user', content: 'hello' }])).text())
  expect(events[0]).toMatchObject({ type: 'message_start', message: { usage: { input_tokens: 3 } } })
  const deltas = events.filter(event => event.type === 'content_block_delta').map(event => event.delta)
  expect(deltas.map(delta => delta.text ?? '').join('')).toBe('Hello there')
  expect(deltas.map(delta => delta.partial_json ?? '').join('')).toBe('{"order":7}')
  expect(events.at(-2)).toMatchObject({ delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 2 } })
  expect(events.at(-1)).toEqual({ type: 'message_stop' })
})

test('messages out of order are answered with 400 and what is wrong', async () => {
  await using server = await openAnthropicServer({ turns: ['a'] })
  const response = await ask(server.url, [{ role: 'assistant', content: 'hello' }])
  expect([response.status, await response.json()]).toMatchObject([
    400,
    { type: 'error', error: { type: 'invalid_request_error', message: expect.stringContaining('from the user') } },
  ])
})

test('failures have the shape that Anthropic gives them', async () => {
  await using server = await openAnthropicServer({ turns: ['a'], fail: [{ status: 529 }] })
  const response = await ask(server.url, [{ role: 'user', content: 'hello' }])
  expect([response.status, await response.json()]).toMatchObject([529, { error: { type: 'overloaded_error' } }])
})
