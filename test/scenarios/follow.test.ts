import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Holdpoint, JournalEvent } from '../../src/index.ts'
import type { Script } from '../../src/models/script.ts'
import { patienceMs } from '../patience.ts'
import { isAlive, until } from './processes.ts'
import { aProject, command, effect, ended } from './project.ts'
import { begunCalls, quickTools, startWorker } from './slow-worker.ts'
import {
  advanced,
  ana,
  aWorkplace,
  call,
  following,
  gated,
  isDurable,
  journalOfThread,
  onlyHold,
  shapeOf,
  started,
  type Told,
  type Workplace,
} from './workplace.ts'

const approve = { verdict: 'approve', ...ana } as const

const SCRIPT: Script = [
  { text: 'I am going to call A.', calls: [call('A')] },
  { text: 'And now B, which needs you.', calls: [call('B')] },
  'All of it is done.',
]

async function aPlace(): Promise<Workplace> {
  return aWorkplace(place => ({ script: SCRIPT, tools: [place.tool('A'), place.held('B')] }))
}

/** Runs to its end; somebody approves B. */
async function liveThrough(holdpoint: Holdpoint, run: string): Promise<void> {
  await advanced(holdpoint, run)
  await holdpoint.decide((await onlyHold(holdpoint)).id, approve)
  expect(await advanced(holdpoint, run)).toMatchObject({ status: 'done' })
}

const isLast = ({ kind }: Told) => kind === 'run.finished'

function seqs(events: readonly Told[]): number[] {
  return events.filter(isDurable).map(({ seq }) => seq)
}

function upTo(seq: number, since = 0): number[] {
  return Array.from({ length: seq - since }, (_, index) => since + index + 1)
}

test('a follower from the start gets each durable event once, in order, while it happens', async () => {
  await using place = await aPlace()
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await using follower = following(holdpoint, run.thread_id)
  await liveThrough(holdpoint, run.id)
  await follower.first(isLast)
  const { seq } = await holdpoint.thread(run.thread_id)
  expect(seqs(follower.told)).toEqual(upTo(seq))
  expect(follower.journal.every(({ thread_id }) => thread_id === run.thread_id)).toBe(true)
})

test('a run and its thread look the same to who follows them as to who does not, at each rest', async () => {
  await using place = await aPlace()
  await using holdpoint = await place.open()
  await using elsewhere = await place.open()
  const run = await started(holdpoint)
  await using follower = following(holdpoint, run.thread_id)
  await follower.first(({ kind }) => kind === 'run.started')
  const alike = async () => {
    const [thread, view] = [await holdpoint.thread(run.thread_id), await holdpoint.run(run.id)]
    expect(thread).toEqual(await elsewhere.thread(run.thread_id))
    expect(view).toEqual(await elsewhere.run(run.id))
    return { thread, seq: thread.seq, messages: thread.messages.length }
  }
  const first = await alike()
  await advanced(holdpoint, run.id)
  await alike()
  await elsewhere.decide((await onlyHold(holdpoint)).id, approve)
  await alike()
  await advanced(holdpoint, run.id)
  await alike()
  // What was given earlier stays as it was.
  expect([first.thread.seq, first.thread.messages.length]).toEqual([first.seq, first.messages])
})

test('who follows since any seq gets exactly what is behind it', async () => {
  await using place = await aPlace()
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await liveThrough(holdpoint, run.id)
  const journal = await journalOfThread(holdpoint, run.thread_id)
  for (let since = 0; since < journal.length; since += 1) {
    const told: JournalEvent[] = []
    for await (const event of holdpoint.follow(run.thread_id, { since })) {
      if (isDurable(event)) told.push(event)
      if (isLast(event)) break
    }
    expect(told).toEqual(journal.slice(since))
  }
})

test('P4: an event is durable before a follower gets it', async () => {
  await using place = await aPlace()
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  const found: boolean[] = []
  const stop = new AbortController()
  const reading = (async () => {
    for await (const event of holdpoint.follow(run.thread_id, { signal: stop.signal })) {
      if (!isDurable(event)) continue
      const rows = place.inFile(file => file.prepare('SELECT kind FROM events ORDER BY place').all())
      found.push(rows[event.seq - 1]?.['kind'] === event.kind)
      if (isLast(event)) break
    }
  })()
  await liveThrough(holdpoint, run.id)
  await reading
  expect(found.length).toBeGreaterThan(20)
  expect(found).not.toContain(false)
})

test('text comes piece by piece, marked as ephemeral, between the events where it belongs', async () => {
  await using place = await aPlace()
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await using follower = following(holdpoint, run.thread_id)
  await liveThrough(holdpoint, run.id)
  await follower.first(isLast)
  const said: string[] = []
  let text = ''
  for (const event of follower.told) {
    if (event.kind === 'text.delta') {
      expect(event).toMatchObject({ ephemeral: true, run_id: run.id })
      expect(event).not.toHaveProperty('seq')
      text += event.data.delta
    }
    if (event.kind === 'model.answered') {
      expect(text).toBe(event.data.text)
      said.push(text)
      text = ''
    }
  }
  expect(said).toEqual(['I am going to call A.', 'And now B, which needs you.', 'All of it is done.'])
  expect(text).toBe('')
})

test('ephemeral events are of no journal: who follows afterwards gets none', async () => {
  await using place = await aPlace()
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await liveThrough(holdpoint, run.id)
  await using later = following(holdpoint, run.thread_id)
  await later.first(isLast)
  expect(later.told).toEqual(later.journal)
})

test('fifty followers, half of them elsewhere, all get the same', async () => {
  await using place = await aPlace()
  await using holdpoint = await place.open()
  await using elsewhere = await place.open()
  const run = await started(holdpoint)
  const followers = Array.from({ length: 50 }, (_, n) => following(n % 2 ? elsewhere : holdpoint, run.thread_id))
  await liveThrough(holdpoint, run.id)
  const journal = await journalOfThread(holdpoint, run.thread_id)
  for (const follower of followers) {
    await follower.first(isLast)
    expect(follower.journal).toEqual(journal)
    await follower[Symbol.asyncDispose]()
  }
})

test('a follower that takes nothing keeps neither the run nor other followers from going on', async () => {
  await using place = await aPlace()
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  const slow = holdpoint.follow(run.thread_id)
  const first = await slow.next()
  await using quick = following(holdpoint, run.thread_id)
  await liveThrough(holdpoint, run.id)
  await quick.first(isLast)
  // All has happened while the slow one looked at its first event.
  const told = [first.value as Told]
  for (let last = false; !last; ) {
    const { value } = await slow.next()
    told.push(value as Told)
    last = isLast(value as Told)
  }
  await slow.return()
  expect(told.filter(isDurable)).toEqual(quick.journal)
})

test('who follows since a seq that is not there yet waits for what comes after it', async () => {
  await using place = await aPlace()
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  const { seq } = await holdpoint.thread(run.thread_id)
  await using follower = following(holdpoint, run.thread_id, seq + 1)
  await delay(30)
  expect(follower.told).toEqual([])
  await holdpoint.decide((await onlyHold(holdpoint)).id, approve)
  await advanced(holdpoint, run.id)
  await follower.first(isLast)
  expect(seqs(follower.told).at(0)).toBe(seq + 2)
})

test('who follows until the run rests gets all until then, also in another process, and nothing is left to tell', async () => {
  await using place = await aPlace()
  await using holdpoint = await place.open()
  await using elsewhere = await place.open()
  const run = await started(holdpoint)
  const toRest = async (face: Holdpoint, since: number) =>
    seqs(await Array.fromAsync(face.follow(run.thread_id, { since, until: 'rest' })))
  const [here, there] = [toRest(holdpoint, 0), toRest(elsewhere, 0)]
  await advanced(holdpoint, run.id)
  const waiting = await holdpoint.newestSeq(run.thread_id)
  expect([await here, await there]).toEqual([upTo(waiting), upTo(waiting)])
  expect(await toRest(holdpoint, waiting)).toEqual([])
  await holdpoint.decide((await onlyHold(holdpoint)).id, approve)
  const rest = [toRest(holdpoint, waiting), toRest(elsewhere, 0)]
  await advanced(elsewhere, run.id)
  const done = await holdpoint.newestSeq(run.thread_id)
  expect(await Promise.all(rest)).toEqual([upTo(done, waiting), upTo(done)])
})

test('a follower that is aborted ends, also in the middle of what it has to catch up on', async () => {
  await using place = await aPlace()
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await liveThrough(holdpoint, run.id)
  const stop = new AbortController()
  const told: Told[] = []
  for await (const event of holdpoint.follow(run.thread_id, { signal: stop.signal })) {
    told.push(event)
    if (told.length === 3) stop.abort()
  }
  expect(seqs(told)).toEqual([1, 2, 3])
  const over: Told[] = []
  for await (const event of holdpoint.follow(run.thread_id, { signal: stop.signal })) over.push(event)
  expect(over).toEqual([])
})

test('closing Holdpoint ends its followers', async () => {
  await using place = await aPlace()
  const holdpoint = await place.open()
  const run = await started(holdpoint)
  const told: Told[] = []
  const reading = (async () => {
    for await (const event of holdpoint.follow(run.thread_id)) told.push(event)
  })()
  await until(() => told.length > 0)
  await holdpoint[Symbol.asyncDispose]()
  await reading
  expect(seqs(told)).toEqual(upTo(told.length))
})

const UNUSABLE = [
  ['an unknown thread', 'th_none', 0, 'unknown_session'],
  ['since a seq below 0', null, -1, 'invalid_arguments'],
  ['since a seq that is no whole number', null, 1.5, 'invalid_arguments'],
] as const

test.for(UNUSABLE)('to follow %s is refused', async ([, thread, since, code]) => {
  await using place = await aPlace()
  await using holdpoint = await place.open()
  const { thread_id } = await started(holdpoint)
  const events = holdpoint.follow(thread ?? thread_id, { since })
  await expect(events.next()).rejects.toMatchObject({ code })
})

test('an unknown thread has no newest seq', async () => {
  await using place = await aPlace()
  await using holdpoint = await place.open()
  await expect(holdpoint.newestSeq('th_none')).rejects.toMatchObject({ code: 'unknown_session' })
})

test('what happens in other threads is not told', async () => {
  await using place = await aPlace()
  await using holdpoint = await place.open()
  const [one, other] = [await started(holdpoint), await started(holdpoint)]
  await using follower = following(holdpoint, one.thread_id)
  await advanced(holdpoint, other.id)
  await liveThroughOnly(holdpoint, one.id)
  await follower.first(isLast)
  expect(new Set(follower.told.map(({ thread_id }) => thread_id))).toEqual(new Set([one.thread_id]))
})

async function liveThroughOnly(holdpoint: Holdpoint, run: string): Promise<void> {
  const { holds } = await advanced(holdpoint, run)
  await holdpoint.decide(holds[0]?.id ?? '', approve)
  await advanced(holdpoint, run)
}

test('a follower goes on over the runs of its thread', async () => {
  await using place = await aWorkplace({ script: ['One.', 'Two.'] })
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await using follower = following(holdpoint, run.thread_id)
  await advanced(holdpoint, run.id)
  const { run_id } = await holdpoint.send(run.thread_id, { text: 'more' })
  await advanced(holdpoint, run_id)
  await until(() => follower.told.filter(isLast).length === 2)
  expect(seqs(follower.told)).toEqual(upTo((await holdpoint.thread(run.thread_id)).seq))
})

test('a change of a call by somebody who decides is told at once, while nobody advances the run', async () => {
  await using place = await aPlace()
  await using holdpoint = await place.open()
  await using elsewhere = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  const { seq } = await holdpoint.thread(run.thread_id)
  await using follower = following(elsewhere, run.thread_id, seq)
  await holdpoint.decide((await onlyHold(holdpoint)).id, approve)
  const event = await follower.first(({ kind }) => kind === 'hold.decided')
  expect(event).toMatchObject({ seq: seq + 1, data: { call_id: 'B', status: 'resuming' } })
})

test('the command line can be followed from another process while it runs', async () => {
  const gate = command('tc_1', 'while ! test -e go; do sleep 0.05; done; echo one >> effects.log')
  await using project = await aProject({
    script: [{ calls: [gate] }, { calls: [effect('tc_2', 'two')] }, 'Done.'],
    policy: { default: 'auto' },
  })
  const finished = ended(project.start(['-a', '-o', 'json', 'go']))
  const store = `sqlite:${project.path('.holdpoint', 'holdpoint.db')}`
  await until(() => project.exists('.holdpoint', 'holdpoint.db'))
  await using place = await aWorkplace()
  await using holdpoint = await place.open({ open: { store } })
  await until(async () => (await holdpoint.runs()).length === 1)
  const [run] = await holdpoint.runs()
  await using follower = following(holdpoint, run?.thread_id ?? '')
  await follower.first(({ kind }) => kind === 'call.started')
  await project.write('go', '')
  await follower.first(isLast)
  expect(await finished).toMatchObject({ exit: 0 })
  expect(follower.journal).toEqual(await journalOfThread(holdpoint, run?.thread_id ?? ''))
  expect(await project.effects()).toEqual(['one', 'two'])
})

test('P4: nothing is missed and nothing told twice when the writer is killed and another one goes on', async () => {
  const script = [{ text: 'Now.', calls: [call('A', 'again'), call('B', 'slow')] }, 'Done.']
  await using place = await aWorkplace(place => ({ script, tools: quickTools(place) }))
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await using follower = following(holdpoint, run.thread_id)
  const worker = startWorker(place, run.id, { script })
  await begunCalls(place, 2)
  worker.child.kill('SIGKILL')
  await worker.finished
  const second = startWorker(place, run.id, { script, quick: true })
  expect((await second.finished).json).toMatchObject({ status: 'waiting' })
  await follower.first(({ kind, data }) => kind === 'hold.opened' && data.kind === 'in_doubt')
  await holdpoint.decide((await onlyHold(holdpoint)).id, approve)
  const third = startWorker(place, run.id, { script, quick: true })
  expect((await third.finished).json).toMatchObject({ status: 'done' })
  await follower.first(isLast)
  const journal = await journalOfThread(holdpoint, run.thread_id)
  expect(follower.journal).toEqual(journal)
  const starts = shapeOf(journal).filter(line => line.startsWith('call.started'))
  expect(starts.toSorted()).toEqual([
    'call.started A running',
    'call.started A running',
    'call.started B running',
    'call.started B running',
  ])
})

const FOLLOWER = `
import { openHoldpoint } from '${new URL('../../dist/index.js', import.meta.url).pathname}'
const { STORE, THREAD } = process.env
await using holdpoint = await openHoldpoint({ store: STORE })
for await (const event of holdpoint.follow(THREAD)) {
  if (!('ephemeral' in event)) console.log(event.seq + ' ' + event.kind)
  if (event.kind === 'run.finished') break
}
`

const FORGETFUL = `
import { openHoldpoint } from '${new URL('../../dist/index.js', import.meta.url).pathname}'
const { STORE, THREAD } = process.env
const holdpoint = await openHoldpoint({ store: STORE })
await holdpoint.follow(THREAD).next()
await holdpoint[Symbol.asyncDispose]()
`

test('a follower that nobody reads to the end keeps no process alive once Holdpoint is closed', async () => {
  await using place = await aWorkplace()
  await using holdpoint = await place.open({ script: ['Done.'] })
  const run = await started(holdpoint)
  const child = spawn(process.execPath, ['--input-type=module', '--eval', FORGETFUL], {
    env: { PATH: process.env['PATH'] ?? '', STORE: `sqlite:${place.file}`, THREAD: run.thread_id },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  try {
    const [exit] = await once(child, 'exit', { signal: AbortSignal.timeout(patienceMs()) })
    expect(exit).toBe(0)
  } finally {
    child.kill()
  }
})

test('a process that does nothing but follow stays until it has seen what it waits for, and then ends', async () => {
  await using place = await aWorkplace()
  const slow = gated(place, 'A')
  await using holdpoint = await place.open({ script: [{ calls: [call('A')] }, 'Done.'], tools: [slow.tool] })
  const run = await started(holdpoint)
  const child = spawn(process.execPath, ['--input-type=module', '--eval', FOLLOWER], {
    env: { PATH: process.env['PATH'] ?? '', STORE: `sqlite:${place.file}`, THREAD: run.thread_id },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const told: string[] = []
  createInterface({ input: child.stdout }).on('line', line => told.push(line))
  const { promise: exit, resolve } = Promise.withResolvers<number | null>()
  child.on('close', resolve)
  await until(() => told.length === 3)
  const advancing = advanced(holdpoint, run.id)
  await slow.begun
  await until(() => told.some(line => line.endsWith('call.started')))
  // Long enough for a process with nothing to wait for to have ended.
  await delay(200)
  expect(isAlive(child.pid ?? 0)).toBe(true)
  slow.finish()
  await advancing
  expect(await exit).toBe(0)
  const journal = await journalOfThread(holdpoint, run.thread_id)
  expect(told).toEqual(journal.map(({ seq, kind }) => `${seq} ${kind}`))
})
