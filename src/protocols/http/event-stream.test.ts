import { expect, test } from 'vitest'
import { nextTurn } from '../../async/next-turn.ts'
import { eventStream, type StreamEvent, type StreamOptions } from './event-stream.ts'
import { NO_PLACE, type StreamEnd, type StreamPlace } from './stream-places.ts'

async function* counted(count: number): AsyncGenerator<StreamEvent> {
  for (let id = 1; id <= count; id += 1) yield { event: 'counted', data: { text: `line\n${id}` }, id }
}

function streamOf(open: Parameters<typeof eventStream>[1], options?: StreamOptions): Response {
  return eventStream(NO_PLACE, open, options)
}

/** A place that tells what it hears. */
function aPlace(): StreamPlace & { readonly end: (why: StreamEnd) => void; readonly heard: string[] } {
  const over = new AbortController()
  const heard: string[] = []
  return {
    signal: over.signal,
    turn: nextTurn,
    failed: ({ message }) => heard.push(message),
    [Symbol.dispose]: () => heard.push('free'),
    end: why => over.abort(why),
    heard,
  }
}

async function* forever(signal: AbortSignal): AsyncGenerator<StreamEvent> {
  yield* counted(1)
  await new Promise<void>(resolve => signal.addEventListener('abort', () => resolve()))
}

test('each event is a frame of its own, and only durable ones have an id', async () => {
  const events = async function* () {
    yield* counted(1)
    yield { event: 'text.delta', data: 'I am' }
    yield { data: { type: 'finish' } }
    yield { text: '[DONE]' }
  }
  const response = streamOf(events, { retryMs: 1000, headers: { 'x-protocol': 'v1' } })
  expect(response.headers.get('x-protocol')).toBe('v1')
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  expect(await response.text()).toBe(
    'retry: 1000\n: open\n\nid: 1\nevent: counted\ndata: {"text":"line\\n1"}\n\nevent: text.delta\ndata: "I am"\n\n' +
      'data: {"type":"finish"}\n\ndata: [DONE]\n\n',
  )
})

test('E5: what there is when the turn of a stream comes goes out in one piece, in order', async () => {
  const waiting: (() => void)[] = []
  const turn = () => new Promise<void>(resolve => waiting.push(resolve))
  const { body } = eventStream({ ...aPlace(), turn }, () => counted(3))
  const reader = body?.getReader()
  const read = async () => new TextDecoder().decode((await reader?.read())?.value)
  expect(await read()).toBe(': open\n\n')
  const piece = read()
  while (waiting.length === 0) await nextTurn()
  waiting.shift()?.()
  expect((await piece).match(/^id: \d$/gm)).toEqual(['id: 1', 'id: 2', 'id: 3'])
  await reader?.cancel()
})

test('a client that does not read makes nobody wait, and no memory grows', async () => {
  let given = 0
  const { body } = streamOf(async function* () {
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
  const { body } = streamOf(async function* (signal) {
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
  const { body } = streamOf(
    async function* (signal) {
      await new Promise<void>(resolve => signal.addEventListener('abort', () => resolve()))
      yield { event: 'never', data: null }
    },
    { beatMs: 5 },
  )
  const reader = body?.getReader()
  await reader?.read()
  expect(new TextDecoder().decode((await reader?.read())?.value)).toBe(': beat\n\n')
  await reader?.cancel()
})

test('E4: a failure ends the stream, the host is told of it, and the client is not', async () => {
  const place = aPlace()
  const response = eventStream(place, async function* () {
    yield* counted(1)
    throw new Error('lost')
  })
  expect(await response.text()).not.toContain('lost')
  expect(place.heard).toEqual(['lost', 'free'])
})

test.each(['server_ending', 'token_ended'] as const)(
  'E3: a stream whose place ends (%s) says so and is over',
  async why => {
    const place = aPlace()
    const response = eventStream(place, forever, { farewell: reason => ({ event: 'bye', data: { reason } }) })
    const text = response.text()
    await new Promise(resolve => setTimeout(resolve, 10))
    expect(place.heard).toEqual([])
    place.end(why)
    expect((await text).endsWith(`event: bye\ndata: {"reason":"${why}"}\n\n`)).toBe(true)
    expect(place.heard).toEqual(['free'])
  },
)

test('E3: events that hang keep no place', async () => {
  const place = aPlace()
  const hanging = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) }
  const text = eventStream(place, () => hanging).text()
  place.end('server_ending')
  expect(await text).toBe(': open\n\n')
  expect(place.heard).toEqual(['free'])
})

test('E3: a client that is gone gives its place back', async () => {
  const place = aPlace()
  const { body } = eventStream(place, forever)
  const reader = body?.getReader()
  await reader?.read()
  await reader?.cancel()
  expect(place.heard).toEqual(['free'])
})
