/** `holdpoint serve` as its clients and its operators see it. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Holdpoint } from 'holdpoint'
import { openStore, Served, settle, timesToListen, tokensOf } from './served.ts'
import { median, percentile, type Row } from './table.ts'

const ROUNDS = 15
const DECISIONS = 200
const STREAMS = 1_000
const PER_CALLER = 20
const COMMITS = 500
/** A hundred a second. */
const PAUSE_MS = 10
const KB = 1024
/** A young generation of one size: how far V8 lets it grow says how fast streams were opened, not how many there are. */
const SETTLED = ['--max-semi-space-size=1']

const SCRIPT = [{ text: 'now', calls: [{ id: 'tc_1', name: 'run_command', args: { command: 'true' } }] }, 'done']

export async function measureServer(directory: string): Promise<Row[]> {
  const own = join(directory, 'server')
  mkdirSync(join(own, '.holdpoint'), { recursive: true })
  writeFileSync(join(own, 'script.json'), JSON.stringify(SCRIPT))
  writeFileSync(join(own, '.holdpoint', 'policy.json'), '{ "default": "prompt" }')
  const { serve, node } = await timesToListen(own, ROUNDS)
  await using holdpoint = await openStore(own)
  const tokens = await tokensOf(holdpoint, STREAMS / PER_CALLER)
  const decided = await decisions(own, tokens)
  const streams = await idleStreams(own, holdpoint, tokens)
  return [
    { figure: 'spawn to listening, x node -e 0', value: median(serve) / median(node), wanted: '4' },
    { figure: 'decision POST to call.started on a stream, p50 ms', value: percentile(decided, 0.5), wanted: '' },
    { figure: 'the same, p99 ms', value: percentile(decided, 0.99), wanted: '25' },
    { figure: `KB for each of ${STREAMS} idle streams`, value: streams.kb, wanted: '60' },
    { figure: `CPU % with ${STREAMS} followed threads and 100 commits/s`, value: streams.cpu, wanted: '30' },
  ]
}

async function decisions(directory: string, tokens: readonly string[]): Promise<number[]> {
  await using served = await Served.start(directory)
  const times: number[] = []
  for (let n = 0; n < DECISIONS; n += 1) times.push(await decision(served, tokens[n % tokens.length] ?? ''))
  return times
}

async function decision(served: Served, token: string): Promise<number> {
  const started = await served.request('/v1/threads', { token, body: { input: 'go' } })
  const { thread_id, run_id } = (await started.json()) as { thread_id: string; run_id: string }
  const stop = new AbortController()
  const stream = await served.request(`/v1/threads/${thread_id}/events`, { token, signal: stop.signal })
  const events = textOf(stream)
  await seen(events, 'event: hold.opened')
  const listed = await served.request(`/v1/holds?run_id=${run_id}`, { token })
  const { holds } = (await listed.json()) as { holds: readonly { id: string }[] }
  const clicked = performance.now()
  const posted = served.request(`/v1/holds/${holds[0]?.id}/decisions`, { token, body: { verdict: 'approve' } })
  await seen(events, 'event: call.started')
  const ms = performance.now() - clicked
  await (await posted).arrayBuffer()
  await seen(events, 'event: run.finished')
  stop.abort()
  return ms
}

async function idleStreams(
  directory: string,
  holdpoint: Holdpoint,
  tokens: readonly string[],
): Promise<{ readonly kb: number; readonly cpu: number }> {
  const [first] = await holdpoint.runs({ limit: 1 })
  const { profile } = await holdpoint.run(first?.id ?? '')
  const threads: string[] = []
  for (let n = 0; n < STREAMS; n += 1)
    threads.push((await holdpoint.start({ profile, input: 'go', author: null })).thread_id)
  await using served = await Served.start(directory, { node: SETTLED, args: ['--no-work'] })
  await settle()
  const before = await served.figure('process_resident_memory_bytes')
  const stop = new AbortController()
  const open: Promise<void>[] = []
  for (const [n, thread] of threads.entries()) {
    const token = tokens[Math.floor(n / PER_CALLER)] ?? ''
    const response = await served.request(`/v1/threads/${thread}/events`, { token, signal: stop.signal })
    open.push(drained(response))
  }
  await settle()
  const bytes = (await served.figure('process_resident_memory_bytes')) - before
  const cpu = await cpuUnderCommits(served, holdpoint, threads)
  stop.abort()
  await Promise.all(open)
  return { kb: bytes / KB / STREAMS, cpu }
}

/** Of one core, while this process writes to the threads that the server follows. */
async function cpuUnderCommits(served: Served, holdpoint: Holdpoint, threads: readonly string[]): Promise<number> {
  const cpu = 'process_cpu_seconds_total'
  const [before, began] = [await served.figure(cpu), performance.now()]
  for (let n = 0; n < COMMITS; n += 1) {
    const next = delay(PAUSE_MS)
    await holdpoint.send(threads[(n * 7) % threads.length] ?? '', { text: 'more' }, { whileWaiting: 'queue' })
    await next
  }
  const seconds = (performance.now() - began) / 1_000
  return (((await served.figure(cpu)) - before) / seconds) * 100
}

async function drained(response: Response): Promise<void> {
  try {
    for await (const _ of response.body ?? []);
  } catch {
    // Its reader left.
  }
}

async function* textOf(response: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) yield decoder.decode(chunk as Uint8Array, { stream: true })
}

/** Reads on until the text comes, which may be in what was read before. */
const rests = new WeakMap<object, string>()
async function seen(events: AsyncGenerator<string>, text: string): Promise<void> {
  for (let rest = rests.get(events) ?? ''; ; ) {
    const at = rest.indexOf(text)
    if (at >= 0) {
      rests.set(events, rest.slice(at + text.length))
      return
    }
    const { value, done } = await events.next()
    if (done) throw new Error(`the stream ended before ${text}`)
    rest += value
  }
}
