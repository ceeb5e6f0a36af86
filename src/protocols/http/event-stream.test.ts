import { expect, test } from 'vitest'
import { eventStream, type StreamEvent } from './event-stream.ts'

async function* counted(count: number): AsyncGenerator<StreamEvent> {
  for (let id = 1; id <= count; id += 1) yield { event: 'counted', data: { text: `line\n${id}` }, id }
}

test('each event is a frame of its own, and only durable ones have an id', async () => {
  const response = eventStream(async function* () {
    yield* counted(1)
    yield { event: 'text.delta', data: 'I am' }
  })
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  expect(await response.text()).toBe(
    'retry: 3000\n: open\n\nid: 1\nevent: counted\ndata: {"text":"line\\n1"}\n\nevent: text.delta\ndata: "I am"\n\n',
  )
})

test('a client that does not read makes nobody wait, and no memory grows', async () => {
  let given = 0
  const { body } = eventStream(async function* () {
    for await (const event of counted(1_000)) {
      given += 1
      yield event
    }
  })
  await new Promise(resolve => setTimeout(resolve, 20))
  expect(given).toBeLessThan(3)
  await body?.cancel()
})

test.each([
  ['is given', 0],
  ['is waited for', 20],
])('the events end when the client is gone while one %s', async (_when, ms) => {
  let ended = false
  const { body } = eventStream(async function* (signal) {
    try {
      yield { event: 'first', data: null }
      await new Promise<void>(resolve => signal.addEventListener('abort', () => resolve()))
    } finally {
      ended = true
    }
  })
  const reader = body?.getReader()
  await reader?.read()
  await reader?.read()
  await new Promise(resolve => setTimeout(resolve, ms))
  await reader?.cancel()
  expect(ended).toBe(true)
})

test('while nothing happens, beats keep the connection open', async () => {
  const { body } = eventStream(async function* (signal) {
    await new Promise<void>(resolve => signal.addEventListener('abort', () => resolve()))
    yield { event: 'never', data: null }
  }, 5)
  const reader = body?.getReader()
  await reader?.read()
  expect(new TextDecoder().decode((await reader?.read())?.value)).toBe(': beat\n\n')
  await reader?.cancel()
})

test('a failure ends the stream', async () => {
  const response = eventStream(async function* () {
    yield* counted(1)
    throw new Error('lost')
  })
  await expect(response.text()).rejects.toThrow('lost')
})
