import { expect, test } from 'vitest'
import { RefusedError } from '../core/errors.ts'
import { connectHoldpoint } from './connect-holdpoint.ts'

const EVENTS = [1, 2, 3, 4].map(seq => ({ seq, thread_id: 'th_1', run_id: 'run_1', kind: 'step.ended', data: { seq } }))
const HEAD = 'retry: 1000\n: open\n\n'
const PIECE = 'event: text.delta\ndata: {"after":2,"run_id":"run_1","data":{"id":"t","delta":"ä"}}\n\n'

function frames(after: number): string {
  const texts = EVENTS.filter(({ seq }) => seq > after).map(event => {
    const frame = `id: ${event.seq}\nevent: ${event.kind}\ndata: ${JSON.stringify(event)}\n\n`
    return event.seq === 2 ? `${frame}: beat\n\n${PIECE}` : frame
  })
  return `${HEAD}${texts.join('')}`
}

/** A server whose first connections end after so many bytes. */
function cutAt(cuts: readonly number[]): { readonly fetch: typeof fetch; readonly asked: (string | null)[] } {
  const asked: (string | null)[] = []
  const answer = async (_: unknown, init?: RequestInit) => {
    const after = new Headers(init?.headers).get('last-event-id')
    const bytes = new TextEncoder().encode(frames(Number(after))).slice(0, cuts[asked.length])
    asked.push(after)
    return new Response(bytes, { headers: { 'content-type': 'text/event-stream' } })
  }
  return { fetch: answer, asked }
}

async function followed(server: typeof fetch): Promise<{ readonly durable: number[]; readonly pieces: unknown[] }> {
  const client = connectHoldpoint({ url: 'http://127.0.0.1:1', token: 't', fetch: server })
  const durable: number[] = []
  const pieces: unknown[] = []
  for await (const event of client.follow('th_1')) {
    if ('ephemeral' in event) pieces.push(event)
    else durable.push(event.seq)
    if (durable.length === EVENTS.length) break
  }
  return { durable, pieces }
}

test('of a stream that is cut at any byte the client has each event once, in order', async () => {
  const whole = new TextEncoder().encode(frames(0)).length
  const cuts = Array.from({ length: whole }, (_, at) => at)
  await Promise.all(
    cuts.map(async at => {
      const server = cutAt([at])
      expect((await followed(server.fetch)).durable).toEqual([1, 2, 3, 4])
    }),
  )
})

test('it goes on behind the last event that came, and a piece comes with its thread', async () => {
  const server = cutAt([new TextEncoder().encode(frames(0).split('id: 4')[0]).length])
  const { pieces } = await followed(server.fetch)
  expect(server.asked).toEqual(['0', '3'])
  const data = { id: 't', delta: 'ä' }
  expect(pieces).toEqual([{ kind: 'text.delta', thread_id: 'th_1', run_id: 'run_1', after: 2, ephemeral: true, data }])
})

test('a server that says bye is asked again, one that refuses is not', async () => {
  const answers = [
    () => new Response(`${HEAD}event: bye\ndata: {}\n\n`),
    () =>
      Response.json(
        { code: 'unknown_session', detail: 'There is no session "th_1".', hint: null },
        { status: 404, headers: { 'content-type': 'application/problem+json' } },
      ),
  ]
  const answer = async () => answers.shift()?.() ?? new Response('')
  await expect(followed(answer)).rejects.toThrow(RefusedError)
  expect(answers).toEqual([])
})

test('an abort ends it, also while it waits to connect again', async () => {
  const over = new AbortController()
  const answer = async () => {
    over.abort()
    return new Response(HEAD)
  }
  const client = connectHoldpoint({ url: 'http://127.0.0.1:1', token: 't', fetch: answer })
  const events: unknown[] = []
  for await (const event of client.follow('th_1', { signal: over.signal })) events.push(event)
  expect(events).toEqual([])
})

test('changes begin at the position that the server tells, and go on behind the last one after a break', async () => {
  const asked: (string | null)[] = []
  const change = (seq: number) => `id: ${seq}\nevent: hold.opened\ndata: ${JSON.stringify({ seq })}\n\n`
  const answers = [
    `${HEAD}id: 7\nevent: position\ndata: {"seq":7}\n\n`,
    `${HEAD}id: 7\nevent: position\ndata: {"seq":7}\n\n${change(8)}`,
    `${HEAD}id: 8\nevent: position\ndata: {"seq":8}\n\n${change(9)}`,
  ]
  const answer = async (_: unknown, init?: RequestInit) => {
    asked.push(new Headers(init?.headers).get('last-event-id'))
    return new Response(answers.shift() ?? HEAD)
  }
  const client = connectHoldpoint({ url: 'http://127.0.0.1:1', token: 't', fetch: answer })
  const seqs: number[] = []
  for await (const { seq } of client.changes()) {
    seqs.push(seq)
    if (seq === 9) break
  }
  expect([seqs, asked]).toEqual([
    [8, 9],
    [null, '7', '8'],
  ])
})

test('a token goes unencrypted to this machine, and to another one only if it is allowed by name', () => {
  const connect = (url: string, plainHttpTo?: string) =>
    connectHoldpoint({ url, token: 't', ...(plainHttpTo !== undefined && { plainHttpTo }) })
  for (const url of [
    'http://127.0.0.1:4747',
    'http://localhost:4747/',
    'http://[::1]:1',
    'https://holds.example.com',
    '',
  ])
    expect(() => connect(url)).not.toThrow()
  const refused = expect.objectContaining({ code: 'unsafe_address' })
  for (const url of ['http://holds.example.com', 'http://10.0.0.7:4747', 'http://127.0.0.1.example.com'])
    expect(() => connect(url)).toThrow(refused)
  expect(() => connect('http://holds.internal:4747', 'Holds.internal')).not.toThrow()
  expect(() => connect('http://holds.example.com', 'holds.internal')).toThrow(refused)
})
