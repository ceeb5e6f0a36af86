import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { patienceMs } from '../../patience.ts'
import { aProject, type Project } from '../project.ts'
import { manyTokens } from './many-callers.ts'
import { scrape } from './scrape.ts'
import { aServer, type ServerProcess } from './server-process.ts'

/** All of it takes minutes: `HOLDPOINT_HOSTILE=all npx vitest run test/scenarios/server/hostile-load.test.ts`. */
const isAll = process.env['HOLDPOINT_HOSTILE'] === 'all'
const whole = isAll ? { timeout: 30 * patienceMs() } : {}
const MB = 1024 * 1024
/** A server grows by what V8 leaves uncollected for a while, whatever it is asked. */
const ROOM = 96 * MB
const STREAMS_PER_CALLER = 20

let project: Project
let server: ServerProcess
let tokens: readonly string[]
beforeAll(async () => {
  project = await aProject({ script: ['Done.'] })
  server = await aServer(project, '--metrics', '--no-work')
  tokens = await manyTokens(project, isAll ? 50 : 10, 'viewer')
  for (let n = 0; n < 50; n += 1) await server.fetch('/healthz')
})
afterAll(async () => {
  await server?.[Symbol.asyncDispose]()
  await project?.[Symbol.asyncDispose]()
})

async function memory(): Promise<number> {
  return (await scrape(server))['process_resident_memory_bytes'] ?? 0
}

async function expectServed(): Promise<void> {
  expect((await server.send('/v1/runs')).status).toBe(200)
}

/** A connection that sends the beginning of a request, and no more. */
async function dribble(text: string): Promise<Socket> {
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(text)
  return socket
}

const settled = () => new Promise(resolve => setTimeout(resolve, 100))

test('clients that dribble their requests take no place from others, and are cut off', whole, async () => {
  const before = await memory()
  const sockets: Socket[] = []
  for (let n = 0; n < (isAll ? 3_000 : 400); n += 1) {
    sockets.push(await dribble('GET /v1/runs HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: '))
    if (n % 100 === 99) await expectServed()
  }
  await settled()
  const open = sockets.filter(socket => !socket.destroyed && socket.readyState === 'open')
  expect(open.length).toBeLessThanOrEqual(256)
  await expectServed()
  for (const socket of sockets) socket.destroy()
  expect((await memory()) - before).toBeLessThan(ROOM)
})

test('a body that comes too slowly, or never ends, holds up no others', whole, async () => {
  const head = `POST /v1/threads HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${tokens[0]}\r\nContent-Type: application/json\r\n`
  const sockets = await Promise.all(
    Array.from({ length: 40 }, () => dribble(`${head}Content-Length: 1000\r\n\r\n{"input": "`)),
  )
  await expectServed()
  for (const socket of sockets) socket.destroy()
  await expectServed()
})

test('bodies of 10 MB are refused without being kept, and others are served meanwhile', whole, async () => {
  const before = await memory()
  const body = `{"input": "${'x'.repeat(10 * MB)}"}`
  const rounds = isAll ? 20 : 2
  for (let round = 0; round < rounds; round += 1) {
    const sent = tokens.slice(0, 10).map(token =>
      // A server that refuses to read on may close the connection before its answer is read.
      server.send('/v1/threads', { body, token }).then(
        ({ status }) => status,
        () => 413,
      ),
    )
    await expectServed()
    expect(new Set(await Promise.all(sent))).toEqual(new Set([413]))
  }
  expect((await memory()) - before).toBeLessThan(ROOM)
  expect((await server.send('/v1/runs')).json.runs).toEqual([])
})

test('P1: a client that guesses tokens never gets in, and the owner is served meanwhile', whole, async () => {
  const before = await memory()
  const statuses = new Set<number>()
  const guesses = isAll ? 10_000 : 500
  for (let n = 0; n < guesses; n += 100) {
    const sent = Array.from({ length: 100 }, (_, m) =>
      server.send('/v1/holds', { token: `guess-${n + m}-of-a-stranger` }),
    )
    await expectServed()
    for (const { status } of await Promise.all(sent)) statuses.add(status)
  }
  expect([...statuses]).toEqual([401])
  expect((await memory()) - before).toBeLessThan(ROOM)
})

test('as many streams as callers may have stay open, one more is refused, and others are served', whole, async () => {
  const before = await memory()
  const stop = new AbortController()
  const open = (token: string) => server.fetch('/v1/changes', { token }, { signal: stop.signal })
  // Kept, because an answer that is collected is closed.
  const answers: Response[] = []
  for (const token of tokens)
    answers.push(...(await Promise.all(Array.from({ length: STREAMS_PER_CALLER + 1 }, () => open(token)))))
  const count = (status: number) => answers.filter(answer => answer.status === status).length
  expect([count(200), count(429)]).toEqual([tokens.length * STREAMS_PER_CALLER, tokens.length])
  await expectServed()
  expect((await scrape(server))['holdpoint_streams']).toBe(tokens.length * STREAMS_PER_CALLER)
  expect((await memory()) - before).toBeLessThan(ROOM)
  stop.abort()
  while ((await scrape(server))['holdpoint_streams'] !== 0) await settled()
})

test('after all of that nothing is on the log of the server, and nothing was done', whole, async () => {
  expect(server.said.filter(line => !/clients send|runs are|people decide|listening/.test(line))).toEqual([])
  expect((await project.holdpoint('audit', 'verify')).exit).toBe(0)
})
