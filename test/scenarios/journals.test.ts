import { expect, test } from 'vitest'
import { CorruptJournalError } from '../../src/core/errors.ts'
import type { JournalEvent } from '../../src/core/journal/event.ts'
import { fold } from '../../src/core/journal/fold.ts'
import { runStatus, type Thread } from '../../src/core/journal/thread.ts'
import { type Holdpoint, openHoldpoint } from '../../src/index.ts'
import { handClock } from '../../src/testing/kit/hand-clock.ts'
import { openDatabase } from '../open-database.ts'
import { runs } from '../runs.ts'
import { RECORDED, type RecordedStore, restore, type StoredEvent, storedEvents } from './corpus.ts'
import { historyFaults } from './history-faults.ts'
import { aProject, type Finished } from './project.ts'

const each = RECORDED.map(recorded => [recorded.name, recorded] as const)

test('the corpus has journals of every generation', () => {
  const generations = Map.groupBy(RECORDED, ({ name }) => name.split('/')[0])
  expect([...generations.keys()]).toEqual(['1-one-by-one', '2-side-by-side', '3-people-over-time', '4-parts-and-ids'])
  for (const journals of generations.values()) expect(journals.length).toBeGreaterThan(20)
})

test.each(each)('%s still says what the build that wrote it made of it', async (_name, recorded) => {
  await using restored = await restore(recorded)
  await using holdpoint = await openHoldpoint({ store: `sqlite:${restored.store}` })
  for (const told of recorded.runs) {
    const said = JSON.stringify(await holdpoint.run(told.id)).replaceAll(restored.directory, '/project')
    expect(JSON.parse(said)).toMatchObject(told)
  }
})

const unfinished = each.filter(([, { story, runs }]) => story && runs.some(({ status }) => status !== 'done'))

test.each(unfinished)('%s goes on with this build to a valid end', async (_name, recorded) => {
  const { script = [], policy, config } = recorded.story ?? {}
  await using project = await aProject({ script, ...(policy ? { policy } : {}), ...(config ? { config } : {}) })
  await restore(recorded, { directory: project.directory })
  const [run] = (await project.holdpoint('runs', '--json')).json
  let next: Finished = await project.holdpoint('-c', run.checkpoint_id, '-o', 'json')
  for (let rounds = 0; next.exit === 10; rounds += 1) {
    expect(rounds, next.stdout).toBeLessThan(6)
    next = await project.holdpoint('-c', next.json.checkpoint_id, ...answersTo(next.json, rounds), '-o', 'json')
  }
  expect(next).toMatchObject({ exit: 0, stderr: '', json: { outcome: 'completed' } })
  expect(historyFaults(await project.messages(run.session_id))).toEqual([])
})

test('what an older version asked about is approved once, and nobody is asked again', async () => {
  const recorded = RECORDED.find(({ name }) => name === '1-one-by-one/waits-for-an-approval')
  if (!recorded) throw new Error('it is not in the corpus')
  await using project = await aProject({ script: recorded.story?.script ?? [] })
  await restore(recorded, { directory: project.directory })
  const [run] = (await project.holdpoint('runs', '--json')).json
  expect(await project.holdpoint('-c', run.checkpoint_id, '--approve-all', '-o', 'json')).toMatchObject({ exit: 0 })
})

/** Approves and answers whatever is asked; what is in doubt happened. */
function answersTo({ pause_reason }: Finished['json'], round: number): string[] {
  // A call whose tool is gone stays so, however often it is approved.
  if (round > 1) return ['--reject-all']
  if (pause_reason.type === 'input_required') return ['--finish']
  const questions = pause_reason.questions.flatMap(({ id }: { id: string }) => ['--answer', `${id}=blue`])
  const calls = pause_reason.pending_tool_calls.flatMap(
    ({ id, in_doubt, requires_approval }: { id: string; in_doubt?: true; requires_approval: boolean }) => {
      if (in_doubt) return ['--answer', `${id}={"exit_code":0}`]
      return requires_approval ? ['--approve', id] : []
    },
  )
  return [...questions, ...calls]
}

/** The journals one by one. */
const THREADS: readonly (readonly [name: string, events: readonly JournalEvent[]])[] = RECORDED.flatMap(
  ({ name, events }) =>
    [...Map.groupBy(events, ({ thread_id }) => thread_id).values()].map(own => [name, own] as const),
)

/** What people and the model would go by. */
function gist(thread: Thread) {
  const { messages, run } = thread
  return {
    messages,
    status: run && runStatus(run),
    termination: run?.termination,
    cancel: run?.cancel,
    calls: [...(run?.step?.calls.values() ?? [])],
    holds: new Map([...(run?.holds ?? [])].toSorted(([a], [b]) => (a < b ? -1 : 1))),
  }
}

/** @throws where the fold failed in any other way than by calling the journal corrupt. */
function foldOrRefuse(events: readonly JournalEvent[]): Thread | null {
  try {
    return fold(events[0]?.thread_id ?? '', events)
  } catch (thrown) {
    if (!(thrown instanceof CorruptJournalError)) throw thrown
    expect(thrown.message).toMatch(/^The journal of thread th_\w+ cannot be read: .+\.$/)
    return null
  }
}

function expectRefused(events: readonly JournalEvent[], what: string): void {
  expect(foldOrRefuse(events), what).toBeNull()
}

test.each(THREADS)('%s, cut off anywhere, is an earlier state of itself', (_name, events) => {
  const whole = fold(events[0]?.thread_id ?? '', events)
  for (let length = 1; length < events.length; length += 1) {
    const earlier = foldOrRefuse(events.slice(0, length))
    const { messages = [] } = earlier ?? {}
    expect(earlier, `${length}`).not.toBeNull()
    expect(messages, `${length}`).toEqual(whole.messages.slice(0, messages.length))
    if (length > 2) expect(messages.length, `${length}`).toBeGreaterThan(0)
  }
})

test.each(THREADS)(
  '%s, with an event missing, twice, out of place or of an unknown kind, is refused',
  (_name, events) => {
    for (const [index, event] of events.entries()) {
      const place = `event ${event.seq}`
      if (index < events.length - 1) expectRefused(events.toSpliced(index, 1), `without ${place}`)
      expectRefused(events.toSpliced(index, 0, event), `with ${place} twice`)
      const next = events[index + 1]
      if (next) expectRefused(events.toSpliced(index, 2, next, event), `with ${place} behind the next one`)
      expectRefused(
        events.with(index, { ...event, kind: 'model.guessed' } as unknown as JournalEvent),
        `with ${place} of no kind`,
      )
      expectRefused(events.with(index, { ...event, seq: event.seq + 1 }), `with ${place} one further`)
    }
  },
)

test.each(THREADS)('%s, with what two events say exchanged, is refused or says the same', (_name, events) => {
  const whole = gist(fold(events[0]?.thread_id ?? '', events))
  for (const [index, event] of events.entries()) {
    const next = events[index + 1]
    if (!next) continue
    const { seq, at } = event
    const swapped = foldOrRefuse(
      events.toSpliced(index, 2, { ...next, seq, at }, { ...event, seq: next.seq, at: next.at }),
    )
    if (swapped) expect(gist(swapped), `${event.seq} ${event.kind} and ${next.kind}`).toEqual(whole)
  }
})

/** Without these it is an event as an older version wrote it. */
const NEWER: ReadonlySet<string> = new Set([
  'run.started carried',
  'run.started pinned',
  'message.received forced_by',
  'message.received input_id',
  'message.queued input_id',
  'model.answered forced_by',
  'model.answered parts',
  'call.finished parts',
  'hold.opened plugin',
  'hold.opened resume_mode',
  'checkpoint.named active_ms',
])

test.each(THREADS)('%s, with a field missing, is refused or says the same', (_name, events) => {
  const whole = gist(fold(events[0]?.thread_id ?? '', events))
  for (const [index, event] of events.entries()) {
    for (const key of Object.keys(event.data).filter(each => !NEWER.has(`${event.kind} ${each}`))) {
      const { [key]: _, ...data } = event.data as Record<string, unknown>
      const less = foldOrRefuse(events.with(index, { ...event, data } as unknown as JournalEvent))
      if (less) expect(gist(less), `${event.seq} ${event.kind} without ${key}`).toEqual(whole)
    }
  }
})

test.each(THREADS)('%s, with a byte of an event flipped, is refused or still a conversation', (_name, events) => {
  for (const [index, event] of events.entries()) {
    const text = JSON.stringify(event.data)
    // By night each byte of the short ones, and as many of the long ones.
    const step = Math.max(1, Math.floor(text.length / runs(60)))
    for (let place = Math.floor(Math.random() * step); place < text.length; place += step) {
      const data = parsed(flipped(text, place))
      // What is no JSON any more, a store refuses before it is folded.
      if (data === undefined) continue
      const what = `${event.seq} ${event.kind} at ${place}`
      const thread = foldOrRefuse(events.with(index, { ...event, data } as unknown as JournalEvent))
      if (thread) expect(thread.messages[0], what).toMatchObject({ role: 'user' })
    }
  }
})

function flipped(text: string, place: number): string {
  return text.slice(0, place) + String.fromCharCode(text.charCodeAt(place) ^ 1) + text.slice(place + 1)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What may happen to a journal in a store, which keeps events by their place. */
const DAMAGES: Readonly<Record<string, (events: readonly StoredEvent[]) => StoredEvent[]>> = {
  'a gap': events => events.toSpliced(2, 1),
  'its first event missing': events => events.slice(1),
  'nothing in it': () => [],
  'a pair swapped': events => {
    const [one, two] = [at(events, 0), at(events, 1)]
    return events.toSpliced(0, 2, { ...two, seq: one.seq }, { ...one, seq: two.seq })
  },
  'a byte flipped': events => events.with(4, { ...at(events, 4), data: flipped(at(events, 4).data, 0) }),
  'an unknown kind': events => events.with(4, { ...at(events, 4), kind: 'model.guessed' }),
  'a field missing': events => events.with(4, { ...at(events, 4), data: '{}' }),
}

function at(events: readonly StoredEvent[], index: number): StoredEvent {
  const event = events[index]
  if (!event) throw new Error(`the journal has no event ${index}`)
  return event
}

/** Whatever reads a journal before it does anything. */
const READERS: Readonly<
  Record<string, (holdpoint: Holdpoint, run: RecordedStore['runs'][number]) => Promise<unknown>>
> = {
  run: (holdpoint, { id }) => holdpoint.run(id),
  advance: (holdpoint, { id }) => holdpoint.advance(id),
  send: (holdpoint, { thread_id }) => holdpoint.send(thread_id, { text: 'more' }),
  thread: (holdpoint, { thread_id }) => holdpoint.thread(thread_id),
}

const damaged = RECORDED.filter(({ runs }) => runs.length === 1).flatMap(recorded =>
  Object.entries(DAMAGES).map(([what, damage]) => [recorded.name, what, recorded, damage] as const),
)

test.each(sample(damaged))(
  '%s, with %s, is never taken for another conversation',
  async (_name, what, recorded, damage) => {
    const whole = storedEvents(recorded)
    const events = damage(whole)
    await using restored = await restore(recorded, { events })
    // Leases of the recording are over an hour later, and its deadlines are not: those would go on record.
    const clock = handClock(Date.parse(at(whole, whole.length - 1).at) + 60 * 60 * 1000)
    await using holdpoint = await openHoldpoint({ store: `sqlite:${restored.store}`, clock })
    // Where there is nothing at all, there is no such session to speak to.
    const code = what === 'nothing in it' ? expect.stringMatching(/^(corrupt_journal|unknown_\w+)$/) : 'corrupt_journal'
    for (const [name, read] of Object.entries(READERS)) {
      await expect(read(holdpoint, recorded.runs[0]), name).rejects.toMatchObject({ code })
    }
    expect(rowsIn(restored.store)).toBe(events.length)
  },
)

function rowsIn(store: string): number {
  using database = openDatabase(store, { readOnly: true })
  return Number(database.prepare('SELECT count(*) AS rows FROM events').get()?.['rows'])
}

/** Every fifth, which takes the damages by turns. */
function sample<T>(all: readonly T[]): T[] {
  return all.filter((_, index) => index % 5 === 0)
}

test.each(Object.entries(DAMAGES))('the command line calls a journal with %s corrupt', async (what, damage) => {
  const recorded = RECORDED.find(({ name }) => name === '2-side-by-side/in-doubt')
  if (!recorded) throw new Error('the corpus has no such journal')
  await using project = await aProject({ script: recorded.story?.script ?? [] })
  await restore(recorded, { directory: project.directory, events: damage(storedEvents(recorded)) })
  const [{ thread_id, checkpoint_id }] = recorded.runs
  for (const args of [
    ['threads', 'show', thread_id, '--json'],
    ['-c', checkpoint_id, '--approve', 'tc_1', '-o', 'json'],
  ]) {
    const { exit, json, stderr } = await project.run(args)
    const code = what === 'nothing in it' ? expect.stringMatching(/^unknown_\w+$/) : 'corrupt_journal'
    expect({ exit, stderr, json }, args.join(' ')).toMatchObject({
      exit: what === 'nothing in it' ? 2 : 1,
      stderr: '',
      json: { error: { code, message: expect.stringContaining(what === 'nothing in it' ? '' : thread_id) } },
    })
  }
  expect(await project.effects()).toEqual([])
})
