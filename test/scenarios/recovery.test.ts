import { expect, test } from 'vitest'
import type { DecisionVerdict, Holdpoint, Json } from '../../src/index.ts'
import type { Script } from '../../src/models/script.ts'
import { historyFaults } from './history-faults.ts'
import { until } from './processes.ts'
import { begunCalls, effectsOf, quickTools, startWorker } from './slow-worker.ts'
import {
  advanced,
  ana,
  aWorkplace,
  call,
  journalOfThread,
  openHold,
  results,
  shapeOf,
  started,
  type Workplace,
} from './workplace.ts'

/** Three that must not run twice, and one that may. */
const FOUR: Script = [
  { text: 'All at once.', calls: [call('A', 'slow'), call('B', 'slow'), call('C', 'slow'), call('D', 'again')] },
  'Done.',
]

async function aPlace(script: Script): Promise<Workplace> {
  return aWorkplace(place => ({ script, tools: quickTools(place) }))
}

interface CutOff {
  readonly id: string
  readonly thread_id: string
  /** What the tools of the dead process wrote, by call: their idempotency keys. */
  readonly keys: ReadonlyMap<string, string>
}

/** A run whose process was killed outright while all of its calls were running. */
async function killedInTheMiddle(
  place: Workplace,
  holdpoint: Holdpoint,
  script: Script,
  calls: number,
): Promise<CutOff> {
  const run = await started(holdpoint)
  const worker = startWorker(place, run.id, { script })
  const begun = await begunCalls(place, calls)
  worker.child.kill('SIGKILL')
  expect(await worker.finished).toMatchObject({ signal: 'SIGKILL', stdout: '' })
  expect(begun).toHaveLength(calls)
  return { ...run, keys: keysIn(begun) }
}

function keysIn(lines: readonly string[]): Map<string, string> {
  return new Map(lines.map(line => line.split(' ')).map(([, , id = '', key = '']) => [id, key]))
}

const CHOICES: Readonly<
  Record<string, { said: { verdict: DecisionVerdict; value?: Json; reason?: string }; result: Json }>
> = {
  A: { said: { verdict: 'approve' }, result: 'slow done' },
  B: { said: { verdict: 'respond', value: { paid: 7 } }, result: { paid: 7 } },
  C: { said: { verdict: 'reject', reason: 'it never left' }, result: 'TOOL_CALL_FAILED: it never left' },
}

async function choose(holdpoint: Holdpoint, id: string): Promise<void> {
  const hold = await openHold(holdpoint, id)
  expect(await holdpoint.decide(hold.id, { ...CHOICES[id]?.said, ...ana } as never)).toMatchObject({
    outcome: 'recorded',
  })
}

test('P3: of calls cut off at once each is asked about by itself, and the idempotent one runs again unasked', async () => {
  await using place = await aPlace(FOUR)
  await using holdpoint = await place.open()
  const run = await killedInTheMiddle(place, holdpoint, FOUR, 4)
  const view = await advanced(holdpoint, run.id)
  expect(view.calls.map(({ id, status }) => `${id} ${status}`)).toEqual([
    'A suspended',
    'B suspended',
    'C suspended',
    'D succeeded',
  ])
  expect(view.holds.map(({ kind, call_id }) => `${kind} ${call_id}`).toSorted()).toEqual([
    'in_doubt A',
    'in_doubt B',
    'in_doubt C',
  ])
  expect(place.effects).toEqual(['again'])
})

const ORDERS = [['A', 'B', 'C'], ['C', 'B', 'A'], ['B']] as const

test.for(ORDERS)(
  'P3: run again, it happened and it failed each do what they say, said in the order %s %s %s',
  async order => {
    await using place = await aPlace(FOUR)
    await using holdpoint = await place.open()
    const run = await killedInTheMiddle(place, holdpoint, FOUR, 4)
    await advanced(holdpoint, run.id)
    const rest = ['A', 'B', 'C'].filter(id => !(order as readonly string[]).includes(id))
    for (const id of order) {
      await choose(holdpoint, id)
      await advanced(holdpoint, run.id)
    }
    for (const id of rest) await choose(holdpoint, id)
    const view = await advanced(holdpoint, run.id)
    expect(view).toMatchObject({ status: 'done', answer: 'Done.' })
    expect(results(view)).toEqual([...['A', 'B', 'C'].map(id => [id, CHOICES[id]?.result]), ['D', 'again done']])
    expect(historyFaults(view.messages)).toEqual([])
    // Only what somebody let run again, and what does no harm.
    expect(place.effects.toSorted()).toEqual(['again', 'slow'])
  },
)

test.for([undefined, 'too dear'])(
  'P3: the cancel (%s) of a call in doubt tells the model that it may have had its effect',
  async reason => {
    const script: Script = [{ calls: [call('A', 'slow')] }, 'Done.']
    await using place = await aPlace(script)
    await using holdpoint = await place.open()
    const run = await killedInTheMiddle(place, holdpoint, script, 1)
    await advanced(holdpoint, run.id)
    await holdpoint.decide((await openHold(holdpoint, 'A')).id, { verdict: 'cancel', reason: reason ?? null, ...ana })
    const [[, told] = []] = results(await advanced(holdpoint, run.id))
    expect(told).toBe(
      `TOOL_CALL_CANCELLED: ${reason ?? 'ana cancelled this call'}. It had started before, so it may have had its effect.`,
    )
  },
)

test.for(['never', 'prompt'] as const)(
  'P1: an idempotent call that was cut off does not run again unasked where policy says %s since',
  async verdict => {
    const script: Script = [{ calls: [call('D', 'again')] }, 'Done.']
    await using place = await aPlace(script)
    await using holdpoint = await place.open()
    const run = await killedInTheMiddle(place, holdpoint, script, 1)
    const policy = { default: 'prompt', tools: { again: verdict }, rules: [], on_never: 'reject' } as const
    const view = await advanced(holdpoint, run.id, { changes: { policy }, by: 'ana' })
    expect(view).toMatchObject({ status: 'waiting', holds: [{ kind: 'in_doubt', call_id: 'D' }] })
  },
)

test('P3: whatever runs again has the idempotency key of its first attempt', async () => {
  await using place = await aPlace(FOUR)
  await using holdpoint = await place.open()
  const run = await killedInTheMiddle(place, holdpoint, FOUR, 4)
  await advanced(holdpoint, run.id)
  await choose(holdpoint, 'A')
  await advanced(holdpoint, run.id)
  const starts = (await journalOfThread(holdpoint, run.thread_id)).flatMap(event =>
    event.kind === 'call.started' ? [event.data] : [],
  )
  for (const id of ['A', 'D']) {
    const attempts = starts.filter(({ call_id }) => call_id === id)
    expect(attempts.map(({ attempt }) => attempt)).toEqual([1, 2])
    expect(attempts.map(({ idempotency_key }) => idempotency_key)).toEqual([run.keys.get(id), run.keys.get(id)])
  }
  expect(new Set(run.keys.values()).size).toBe(4)
})

test('P3: what was in doubt when the next process dies as well is still in doubt, asked about once', async () => {
  await using place = await aPlace(FOUR)
  await using holdpoint = await place.open()
  const run = await killedInTheMiddle(place, holdpoint, FOUR, 4)
  const second = startWorker(place, run.id, { script: FOUR })
  // D runs again there, and is cut off again.
  await begunCalls(place, 5)
  const asked = await holdpoint.holds({ status: 'open' })
  second.child.kill('SIGKILL')
  await second.finished
  const view = await advanced(holdpoint, run.id)
  expect(view.holds.map(({ id }) => id)).toEqual(asked.map(({ id }) => id))
  expect(view.calls.map(({ attempt }) => attempt)).toEqual([1, 1, 1, 3])
  const again = effectsOf(place).filter(line => line.includes(' again '))
  expect(new Set(again.map(line => line.split(' ')[3])).size).toBe(1)
})

test('P4: a decision recorded while nobody advances a run that was cut off is acted on by whoever does', async () => {
  const script: Script = [{ calls: [call('A', 'slow')] }, 'Done.']
  await using place = await aPlace(script)
  await using holdpoint = await place.open()
  const run = await killedInTheMiddle(place, holdpoint, script, 1)
  await advanced(holdpoint, run.id)
  await choose(holdpoint, 'A')
  expect(place.effects).toEqual([])
  await using later = await place.open()
  expect(results(await advanced(later, run.id))).toEqual([['A', 'slow done']])
})

/** As another machine does that saw the lease unrenewed for its whole term. On this one, a process that lives keeps it. */
function freeLease(place: Workplace): void {
  place.inFile(file => file.exec('UPDATE runs SET lease_owner = NULL, lease_until = NULL'))
}

test('P7: an owner that slept through its lease is fenced: it writes nothing any more, and says so', async () => {
  const script: Script = [{ calls: [call('A', 'again')] }, 'Done.']
  await using place = await aPlace(script)
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  const worker = startWorker(place, run.id, { script })
  await begunCalls(place, 1)
  worker.child.kill('SIGSTOP')
  // Its lease is not taken while it lives, although it does nothing.
  expect(await holdpoint.advance(run.id)).toMatchObject({ status: 'busy' })
  freeLease(place)
  // Nor is its call begun again beside it, although its tool is idempotent.
  expect(await advanced(holdpoint, run.id)).toMatchObject({ status: 'waiting', holds: [{ kind: 'in_doubt' }] })
  const before = await journalOfThread(holdpoint, run.thread_id)
  worker.child.kill('SIGCONT')
  const { json } = await worker.finished
  expect(json).toEqual({ thrown: 'lease_lost' })
  expect(await journalOfThread(holdpoint, run.thread_id)).toEqual(before)
  // What it still had under way was told to stop.
  expect(effectsOf(place).at(-1)).toBe('stopped again A')
})

test('P7: an owner that slept while another one waits for people is fenced too, and nothing is asked twice', async () => {
  await using place = await aPlace(FOUR)
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  const worker = startWorker(place, run.id, { script: FOUR })
  await begunCalls(place, 4)
  worker.child.kill('SIGSTOP')
  freeLease(place)
  const waiting = await advanced(holdpoint, run.id)
  expect(waiting.holds).toHaveLength(4)
  worker.child.kill('SIGCONT')
  await until(() => worker.child.exitCode !== null)
  expect((await worker.finished).json).toEqual({ thrown: 'lease_lost' })
  // Of its calls it is told by now that they do not run any more.
  expect(await holdpoint.run(run.id)).toMatchObject({ status: 'waiting', checkpoint_id: waiting.checkpoint_id })
  for (const id of ['A', 'B', 'C']) await choose(holdpoint, id)
  await holdpoint.decide((await openHold(holdpoint, 'D')).id, { verdict: 'approve', ...ana })
  expect(await advanced(holdpoint, run.id)).toMatchObject({ status: 'done' })
  const finished = shapeOf(await journalOfThread(holdpoint, run.thread_id)).filter(line =>
    line.startsWith('call.finished'),
  )
  expect(finished.map(line => line.split(' ')[1]).toSorted()).toEqual(['A', 'B', 'C', 'D'])
})
