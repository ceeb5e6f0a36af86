import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { patienceMs } from '../../patience.ts'
import { aProject, command, effect } from '../project.ts'
import { aServer, doneRun, openHold, type ServerProcess, TOKEN } from './server-process.ts'
import { type Frame, FrameReader, openStream } from './stream-client.ts'

const policy = { default: 'prompt' }
const script = [
  {
    text: 'First I look around.',
    calls: [command('tc_1', 'for n in 1 2 3; do echo step $n; sleep 0.1; done')],
    delay_ms: 50,
  },
  { text: 'Now I deploy.', calls: [effect('tc_2', 'applied')], delay_ms: 50 },
  'Deployed.',
]

async function startedRun(server: ServerProcess): Promise<{ run_id: string; thread_id: string }> {
  return (await server.send('/v1/threads', { body: { input: 'deploy' } })).json
}

/** Approves whatever comes, in a connection of its own. */
async function approveAll(server: ServerProcess, runId: string, holds: number): Promise<void> {
  for (let n = 0; n < holds; n += 1) {
    const { id } = await openHold(server, runId)
    await server.send(`/v1/holds/${id}/decisions`, { body: { verdict: 'approve' } })
  }
}

interface Cut {
  /** The connection breaks after so many bytes, or after so many durable events. */
  readonly bytes?: number
  readonly events?: number
}

interface Got {
  readonly ids: number[]
  readonly isOver: boolean
}

/** One connection, until it is cut or the server ends it. What comes behind the cut never arrives. */
async function readCut(server: ServerProcess, path: string, last: number, cut: Cut): Promise<Got> {
  const stop = new AbortController()
  const headers = last > 0 ? { 'last-event-id': String(last) } : {}
  const response = await server.fetch(path, { headers }, { signal: stop.signal })
  if (response.status === 204) return { ids: [], isOver: true }
  if (response.status === 429) {
    await response.arrayBuffer()
    await new Promise(resolve => setTimeout(resolve, 50))
    return { ids: [], isOver: false }
  }
  const { bytes: most = Number.POSITIVE_INFINITY, events = Number.POSITIVE_INFINITY } = cut
  const reader = new FrameReader()
  const frames: Frame[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    frames.push(...reader.read(chunk.subarray(0, Math.max(most - bytes, 0))))
    bytes += chunk.byteLength
    if (bytes >= most || idsIn(frames).length >= events) break
  }
  stop.abort()
  const isOver = frames.some(({ event }) => event === 'rest')
  const ids = idsIn(frames).slice(0, events)
  return { ids, isOver: isOver && ids.length < events }
}

function idsIn(frames: readonly Frame[]): number[] {
  return frames.map(({ id }) => id).filter(id => id !== null)
}

/** Comes back after each cut until the stream is over; `null` once there are no more cuts: that connection stays. */
async function readAll(server: ServerProcess, path: string, next: () => Cut | null): Promise<number[]> {
  const ids: number[] = []
  for (;;) {
    const got = await readCut(server, path, ids.at(-1) ?? 0, next() ?? {})
    ids.push(...got.ids)
    if (got.isOver) return ids
  }
}

function upTo(seq: number): number[] {
  return Array.from({ length: seq }, (_, n) => n + 1)
}

test('a stream that is cut after every event in turn, and 200 times at any byte, gives each event once, in order, and the run never notices', {
  timeout: 6 * patienceMs(),
}, async () => {
  await using project = await aProject({ script, policy })
  await using server = await aServer(project)
  const { run_id, thread_id } = await startedRun(server)
  const path = `/v1/threads/${thread_id}/events?until=rest`
  await using whole = await openStream(server, `/v1/threads/${thread_id}/events`)
  const approved = approveAll(server, run_id, 2)
  // While it is live: a new connection for each event, and each rest on the way is one to come back from.
  const live: number[] = []
  while (!whole.frames.some(({ event }) => event === 'run.finished'))
    live.push(...(await readCut(server, path, live.at(-1) ?? 0, { events: 1 })).ids)
  await approved
  await doneRun(server, run_id)
  live.push(...(await readAll(server, path.replace('?', `?since=${live.at(-1)}&`), () => null)))
  const newest = (await server.send(`/v1/threads/${thread_id}`)).json.seq
  await whole.first(({ id }) => id === newest)
  expect(idsIn(whole.frames)).toEqual(upTo(newest))
  expect(live).toEqual(upTo(newest))

  for (let after = 1; after <= newest; after += 1) {
    const cuts: Cut[] = [{ events: after }]
    expect(await readAll(server, path, () => cuts.pop() ?? null)).toEqual(upTo(newest))
  }
  const cuts: Cut[] = fc.sample(fc.nat(6_000), 200).map(bytes => ({ bytes }))
  while (cuts.length > 0) expect(await readAll(server, path, () => cuts.pop() ?? null)).toEqual(upTo(newest))
  expect(await project.effects()).toEqual(['applied'])
  expect((await project.holdpoint('audit', 'verify')).exit).toBe(0)
})

/** A client that asks for a stream and never reads. */
async function deafClient(server: ServerProcess, path: string): Promise<Socket> {
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  await new Promise(resolve => socket.once('connect', resolve))
  socket.pause()
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`)
  return socket
}

/** Bytes that are in memory now, as Linux counts them. */
function memoryOf({ child }: ServerProcess): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024
}

const LOUD = `node -e "process.stdout.write(Buffer.alloc(900000, 'loud '))"`
const DEAF = 10
/** What the connections of one client may hold. */
const MOST_OF_ONE = 8 * 1024 * 1024

/** Each run prints 27 MB; kept for ten clients, that were 270 MB. */
test.skipIf(process.platform !== 'linux')(
  'P6: clients that never read hold up no run, and the server keeps nothing for them',
  async () => {
    const turns = Array.from({ length: 30 }, (_, n) => ({ text: `Turn ${n}.`, calls: [command(`tc_${n}`, LOUD)] }))
    await using project = await aProject({ script: [...turns, 'Done.'], policy: { default: 'auto' } })
    await using server = await aServer(project)
    const warm = await startedRun(server)
    await doneRun(server, warm.run_id)
    const { run_id, thread_id } = await startedRun(server)
    const sockets = await Promise.all(
      Array.from({ length: DEAF }, () => deafClient(server, `/v1/threads/${thread_id}/events`)),
    )
    const before = memoryOf(server)
    await doneRun(server, run_id)
    expect(memoryOf(server) - before).toBeLessThan(DEAF * MOST_OF_ONE)
    expect((await server.send('/v1/holds')).status).toBe(200)
    for (const socket of sockets) socket.destroy()
  },
)
