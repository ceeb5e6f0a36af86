/** `holdpoint serve` with as many followers as it can bear, and people who decide meanwhile: how long does one more wait? */
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { openStore, Served, tokensOf } from './served.ts'
import { percentile, type Row } from './table.ts'

const FOLLOWERS = 500
const PER_CALLER = 20
const DECISIONS = 500
/** Fifty a second. */
const PAUSE_MS = 20
/** A client that got no answer by then counts with this time. */
const GIVE_UP_MS = 120_000
const STARTS_AT_ONCE = 25

const SCRIPT = [{ text: 'now', calls: [{ id: 'tc_1', name: 'run_command', args: { command: 'true' } }] }, 'done']

export async function measureOverload(directory: string): Promise<Row[]> {
  const own = join(directory, 'overload')
  mkdirSync(join(own, '.holdpoint'), { recursive: true })
  writeFileSync(join(own, 'script.json'), JSON.stringify(SCRIPT))
  writeFileSync(join(own, '.holdpoint', 'policy.json'), '{ "default": "prompt" }')
  await using holdpoint = await openStore(own)
  const tokens = await tokensOf(holdpoint, FOLLOWERS / PER_CALLER)
  await using served = await Served.start(own)
  const holds = await openHolds(served, tokens)
  const followers = await followAll(served, tokens)
  const cpu = await served.figure('process_cpu_seconds_total')
  const began = performance.now()
  const answers = await decideAll(served, tokens, holds)
  const seconds = (performance.now() - began) / 1_000
  const used = (await served.figure('process_cpu_seconds_total')) - cpu
  for (const follower of followers) follower.destroy()
  const times = answers.map(({ ms }) => ms)
  const count = (wanted: (status: number) => boolean) => answers.filter(({ status }) => wanted(status)).length
  return [
    { figure: `an answer on a new connection, ${FOLLOWERS} followers, p50 ms`, value: percentile(times, 0.5) },
    { figure: 'the same, p99 ms', value: percentile(times, 0.99) },
    { figure: 'recorded', value: count(status => status === 200) },
    { figure: 'told to come again (429, 503)', value: count(status => status === 429 || status === 503) },
    { figure: 'not answered', value: count(status => status === 0) },
    { figure: 'CPU % of the server', value: (used / seconds) * 100 },
  ]
}

async function openHolds(served: Served, tokens: readonly string[]): Promise<readonly string[]> {
  for (let n = 0; n < DECISIONS; n += STARTS_AT_ONCE) {
    const starts = tokens
      .slice(0, STARTS_AT_ONCE)
      .map(token => served.request('/v1/threads', { token, body: { input: 'go' } }))
    for (const started of await Promise.all(starts)) await started.arrayBuffer()
  }
  for (;;) {
    const listed = await served.request('/v1/holds?status=open&limit=500', { token: tokens[0] ?? '' })
    const { holds } = (await listed.json()) as { holds: readonly { id: string }[] }
    if (holds.length >= DECISIONS) return holds.map(({ id }) => id)
    await delay(200)
  }
}

/** Each reads whatever comes, and does nothing with it. */
async function followAll(served: Served, tokens: readonly string[]): Promise<readonly Socket[]> {
  const sockets: Socket[] = []
  for (let n = 0; n < FOLLOWERS; n += 1) {
    const socket = asking(served, `GET /v1/changes HTTP/1.1`, tokens[Math.floor(n / PER_CALLER)] ?? '')
    await once(socket, 'data')
    sockets.push(socket.resume())
  }
  return sockets
}

interface Answer {
  readonly ms: number
  /** 0 if there was none. */
  readonly status: number
}

async function decideAll(
  served: Served,
  tokens: readonly string[],
  holds: readonly string[],
): Promise<readonly Answer[]> {
  const answers: Promise<Answer>[] = []
  for (const [n, hold] of holds.entries()) {
    const next = delay(PAUSE_MS)
    answers.push(decide(served, tokens[n % tokens.length] ?? '', hold))
    await next
  }
  return Promise.all(answers)
}

async function decide(served: Served, token: string, hold: string): Promise<Answer> {
  const began = performance.now()
  const body = '{"verdict":"approve"}'
  const head = `POST /v1/holds/${hold}/decisions HTTP/1.1\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`
  const socket = asking(served, head, token, body)
  const status = await statusOf(socket)
  return { ms: performance.now() - began, status }
}

async function statusOf(socket: Socket): Promise<number> {
  try {
    const [bytes] = await once(socket, 'data', { signal: AbortSignal.timeout(GIVE_UP_MS) })
    return Number(String(bytes).split(' ')[1])
  } catch {
    return 0
  } finally {
    socket.destroy()
  }
}

function asking({ url }: Served, head: string, token: string, body = ''): Socket {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.write(`${head}\r\nHost: ${hostname}\r\nAuthorization: Bearer ${token}\r\n\r\n${body}`)
  socket.on('error', () => {})
  return socket
}
