import { expect, test } from 'vitest'
import { openOpenAiServer } from './openai-server.ts'

const ask = (url: string, body: object, signal: AbortSignal | null = null) =>
  fetch(`${url}/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: 'm', stream: true, ...body }),
    signal,
  })

const messages = [{ role: 'user', content: 'hello' }]

const dataOf = (text: string) =>
  text
    .split('\n\n')
    .filter(Boolean)
    .map(line => line.replace('data: ', ''))

test('a turn is streamed as chunks that end with [DONE]', async () => {
  await using server = await openOpenAiServer({
    turns: [{ text: 'Hello there', calls: [{ id: 'a', name: 'refund', args: { order: 7 } }] }],
  })
  const data = dataOf(await (await ask(server.url, { messages })).text())
  expect(data.at(-1)).toBe('[DONE]')
  const deltas = data.slice(0, -1).map(text => JSON.parse(text).choices[0])
  expect(deltas.map(({ delta }) => delta.content ?? '').join('')).toBe('Hello there')
  expect(
    deltas
      .flatMap(({ delta }) => delta.tool_calls ?? [])
      .map(call => call.function.arguments)
      .join(''),
  ).toBe('{"order":7}')
  expect(deltas.at(-1).finish_reason).toBe('tool_calls')
})

test('the turn is chosen by the assistant messages of the request', async () => {
  await using server = await openOpenAiServer({ turns: ['first', 'second'] })
  const second = [...messages, { role: 'assistant', content: 'first' }, { role: 'user', content: 'go on' }]
  expect(await (await ask(server.url, { messages: second })).text()).toContain('"content":"se"')
})

test('usage is sent where it is asked for', async () => {
  await using server = await openOpenAiServer({ turns: [{ text: 'a', usage: { input: 3, output: 2 } }] })
  const without = await (await ask(server.url, { messages })).text()
  const including = await (await ask(server.url, { messages, stream_options: { include_usage: true } })).text()
  expect([without, including].map(text => text.includes('"prompt_tokens":3'))).toEqual([false, true])
})

test('messages out of order are answered with 400 and what is wrong', async () => {
  await using server = await openOpenAiServer({ turns: ['a'] })
  const response = await ask(server.url, { messages: [...messages, { role: 'tool', tool_call_id: 'x', content: '' }] })
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining('which nobody called') } })
  expect(server.requests[0]?.violations).toHaveLength(1)
})

test('each request is recorded with its headers', async () => {
  await using server = await openOpenAiServer({ turns: ['a'] })
  await ask(server.url, { messages, temperature: 1 }).then(response => response.text())
  expect(server.requests).toMatchObject([
    {
      path: '/v1/chat/completions',
      body: { temperature: 1 },
      headers: { 'content-type': 'text/plain;charset=UTF-8' },
      aborted: false,
    },
  ])
})

test('failures are consumed one per request, and null behaves', async () => {
  await using server = await openOpenAiServer({
    turns: ['fine'],
    fail: [
      null,
      { status: 429, headers: { 'retry-after': '2' } },
      { status: 500, body: 'oops' },
      'cut',
      'garble',
      'overload',
    ],
  })
  const answers: [number, string][] = []
  for (let count = 0; count < 7; count++) {
    const response = await ask(server.url, { messages })
    answers.push([response.status, await response.text()])
  }
  expect(answers.map(([status]) => status)).toEqual([200, 429, 500, 200, 200, 200, 200])
  expect(answers.map(([, text]) => text.includes('[DONE]'))).toEqual([true, false, false, false, true, false, true])
  expect(answers[1]?.[1]).toContain('told to fail')
  expect(answers[2]?.[1]).toBe('oops')
  expect(answers[5]?.[1]).toContain('overloaded')
})

test.each(['reset', 'break'] as const)('%s breaks the connection', async failure => {
  await using server = await openOpenAiServer({ turns: ['fine'], fail: [failure] })
  await expect(ask(server.url, { messages }).then(response => response.text())).rejects.toThrow()
})

test.each(['hang', 'stall'] as const)('%s waits until the client goes away', async failure => {
  await using server = await openOpenAiServer({ turns: ['fine'], fail: [failure] })
  const giveUp = new AbortController()
  const answer = ask(server.url, { messages }, giveUp.signal).then(response => response.text())
  await expect.poll(() => server.requests.length).toBe(1)
  giveUp.abort()
  await expect(answer).rejects.toThrow('aborted')
  await expect.poll(() => server.requests[0]?.aborted).toBe(true)
})

test('a turn with an error is answered with a status, and one that lasts answers later', async () => {
  await using server = await openOpenAiServer({
    turns: [{ error: { message: 'no luck', retryable: true, times: 1 }, text: 'at last', delay_ms: 1 }],
  })
  const first = await ask(server.url, { messages })
  expect([first.status, await first.text()]).toEqual([503, expect.stringContaining('no luck')])
  expect((await ask(server.url, { messages })).status).toBe(200)
})

test('a request that does not stream, or goes elsewhere, is refused', async () => {
  await using server = await openOpenAiServer({ turns: ['a'] })
  expect((await ask(server.url, { messages, stream: false })).status).toBe(400)
  expect((await ask(`${server.url}/v1`, { messages })).status).toBe(404)
})

test('turns that are no script are refused', async () => {
  // @ts-expect-error: a typing error on purpose
  await expect(openOpenAiServer({ turns: [{ txt: 'a' }] })).rejects.toMatchObject({ code: 'invalid_script' })
})
