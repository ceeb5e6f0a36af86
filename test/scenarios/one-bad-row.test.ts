import { expect, test } from 'vitest'
import type { Holdpoint, WorkEvent } from '../../src/index.ts'
import { type HandClock, handClock } from '../../src/testing/kit/hand-clock.ts'
import { patienceMs } from '../patience.ts'
import { advanced, ana, aWorkplace, call, openHold, started, type Workplace } from './workplace.ts'

const approve = { verdict: 'approve', ...ana } as const

/** `deploy` is held, in each run; `tool` says more of it. */
const aPlace = (tool: object = {}, clock?: HandClock) =>
  aWorkplace(it => ({
    script: [{ calls: [call('a', 'deploy')] }, 'Done.'],
    tools: [it.held('deploy', tool)],
    ...(clock && { open: { clock } }),
  }))

interface Working extends AsyncDisposable {
  readonly events: readonly WorkEvent[]
  /** Lets time pass in steps of a second until it is so. */
  until(isSo: () => Promise<boolean> | boolean): Promise<void>
}

/** A worker, by a clock that is turned. */
function working(holdpoint: Holdpoint, clock: HandClock): Working {
  const [events, end] = [[] as WorkEvent[], new AbortController()]
  const work = holdpoint.work({ signal: end.signal, onEvent: event => events.push(event) })
  const pass = async () => {
    clock.advance(1_000)
    await new Promise(resolve => setTimeout(resolve, 5))
  }
  return {
    events,
    until: async isSo => {
      const end = performance.now() + patienceMs()
      for (let is = false; !is && performance.now() < end; is = await isSo()) await pass()
      expect(await isSo()).toBe(true)
    },
    [Symbol.asyncDispose]: async () => {
      end.abort()
      let isOver = false
      const over = () => {
        isOver = true
      }
      work.then(over, over)
      while (!isOver) await pass()
      await work
    },
  }
}

/** Runs that wait, each with its hold. */
async function waiting(holdpoint: Holdpoint, count: number): Promise<{ run: string; thread: string; hold: string }[]> {
  const runs = []
  for (let n = 0; n < count; n += 1) {
    const { id: run, thread_id: thread } = await started(holdpoint)
    await advanced(holdpoint, run)
    const [hold] = await holdpoint.holds({ run_id: run, status: 'open' })
    runs.push({ run, thread, hold: hold?.id ?? '' })
  }
  return runs
}

/** Nothing more can be written to the journal of this thread. */
function fill(place: Workplace, thread: string): void {
  place.inFile(file =>
    file
      .prepare(
        `INSERT INTO events (place, at, run_id, kind, data)
         SELECT (number << 22) + 4194303, 0, 'run', 'note', '{}' FROM threads WHERE id = ?`,
      )
      .run(thread),
  )
}

function damage(place: Workplace, hold: string): void {
  place.inFile(file => file.prepare(`UPDATE holds SET asked = '{"message": ' WHERE id = ?`).run(hold))
}

test('of decisions that are made together, one that cannot be recorded keeps out no other, and each tells its end', async () => {
  await using place = await aPlace()
  await using holdpoint = await place.open()
  const [first, full, damaged, last] = await waiting(holdpoint, 4)
  fill(place, full?.thread ?? '')
  damage(place, damaged?.hold ?? '')
  const said = [first, full, damaged, last].map(each => ({ ...approve, hold_id: each?.hold ?? '' }))
  const receipts = await holdpoint.decideMany([...said, { ...approve, hold_id: 'hold_unknown' }])
  expect(receipts).toMatchObject([
    { outcome: 'recorded' },
    { outcome: 'refused', error: { code: 'decision_failed', message: expect.stringContaining('is full') } },
    { outcome: 'refused', error: { code: 'hold_unreadable' } },
    { outcome: 'recorded' },
    { outcome: 'refused', error: { code: 'unknown_hold' } },
  ])
  expect((await holdpoint.holds({ status: 'decided' })).map(({ id }) => id)).toEqual([first?.hold, last?.hold])
})

test('of decisions that stand together, none is recorded if one cannot be', async () => {
  await using place = await aPlace()
  await using holdpoint = await place.open()
  const [first, full] = await waiting(holdpoint, 2)
  fill(place, full?.thread ?? '')
  const said = [first, full].map(each => ({ ...approve, hold_id: each?.hold ?? '' }))
  await expect(holdpoint.decideMany(said, { all: true })).rejects.toMatchObject({ code: 'thread_full', written: 'no' })
  expect(await holdpoint.holds({ status: 'decided' })).toEqual([])
})

test('a decision alone that cannot be recorded fails with what the store said', async () => {
  await using place = await aPlace()
  await using holdpoint = await place.open()
  const [full] = await waiting(holdpoint, 1)
  fill(place, full?.thread ?? '')
  await expect(holdpoint.decide(full?.hold ?? '', approve)).rejects.toMatchObject({ code: 'thread_full' })
  expect(await openHold(holdpoint, 'a')).toMatchObject({ id: full?.hold })
})

test('decisions that were recorded are told, also if the refusals beside them cannot be put on record', async () => {
  await using place = await aPlace()
  await using holdpoint = await place.open()
  const [first] = await waiting(holdpoint, 1)
  place.inFile(file =>
    file.exec(
      `CREATE TRIGGER no_refusals BEFORE INSERT ON audit WHEN instr(NEW.record, 'decision.refused') > 0
       BEGIN SELECT RAISE(ABORT, 'no room'); END`,
    ),
  )
  const said = [first?.hold ?? '', 'hold_unknown'].map(hold_id => ({ ...approve, hold_id }))
  const warned = new Promise<Error>(resolve => process.once('warning', resolve))
  expect(await holdpoint.decideMany(said)).toMatchObject([{ outcome: 'recorded' }, { outcome: 'refused' }])
  expect((await warned).message).toContain('no room')
})

const DUE = { due: { seconds: 60, on_due: 'reject' } } as const

test('a due hold that is damaged, and one in a full journal, stop no worker, and each is told of once', async () => {
  const clock = handClock()
  await using place = await aPlace(DUE, clock)
  await using holdpoint = await place.open()
  const [damaged, full, good] = await waiting(holdpoint, 3)
  damage(place, damaged?.hold ?? '')
  fill(place, full?.thread ?? '')
  clock.advance(60_000)
  await using work = working(holdpoint, clock)
  await work.until(async () => (await holdpoint.run(good?.run ?? '')).status === 'done')
  const later = await started(holdpoint)
  await work.until(async () => (await holdpoint.run(later.id)).status === 'done')
  const begun = clock.steady()
  await work.until(() => clock.steady() > begun + 1_200_000)
  const failures = work.events.filter(({ kind }) => kind === 'due.failed')
  expect(failures).toMatchObject([
    { hold_id: damaged?.hold, error: { code: 'hold_unreadable' } },
    { hold_id: full?.hold, error: { code: 'thread_full' } },
  ])
  expect(work.events.filter(({ kind }) => kind === 'work.failed')).toEqual([])
})

test('however many due holds cannot be fired, those behind them are', async () => {
  const clock = handClock()
  await using place = await aPlace(DUE, clock)
  await using holdpoint = await place.open()
  const [bad] = await waiting(holdpoint, 1)
  damage(place, bad?.hold ?? '')
  place.inFile(file => {
    const { columns } = file
      .prepare(
        `SELECT group_concat(name, ', ') AS columns FROM pragma_table_info('holds') WHERE name NOT IN ('id', 'number')`,
      )
      .get() as { readonly columns: string }
    const copy = file.prepare(`INSERT INTO holds (id, ${columns}) SELECT ?, ${columns} FROM holds WHERE id = ?`)
    for (let n = 0; n < 450; n += 1) copy.run(`hold_copy${n}`, bad?.hold ?? '')
  })
  clock.advance(1)
  const [good] = await waiting(holdpoint, 1)
  clock.advance(60_000)
  await using work = working(holdpoint, clock)
  await work.until(async () => (await holdpoint.run(good?.run ?? '')).status === 'done')
})

test('who closes what is due by hand is not kept from the good ones by a bad one', async () => {
  const clock = handClock()
  await using place = await aPlace(DUE, clock)
  await using holdpoint = await place.open()
  const [full, good] = await waiting(holdpoint, 2)
  fill(place, full?.thread ?? '')
  clock.advance(60_000)
  expect(await holdpoint.nextDue()).toBe('2030-01-01T00:01:00.000Z')
  expect(await holdpoint.expireHolds()).toMatchObject([{ kind: 'hold.expired', data: { hold_id: good?.hold } }])
  // The bad one is due for ever, and wakes nobody at once.
  expect(Date.parse((await holdpoint.nextDue()) ?? '')).toBeGreaterThan(clock.now())
  expect(await holdpoint.expireHolds()).toEqual([])
})

test('a damaged grant stops no run: what it allowed is asked', async () => {
  await using place = await aPlace()
  await using holdpoint = await place.open()
  const [first] = await waiting(holdpoint, 1)
  const grant = { name: 'deploys', scope: 'project' } as const
  expect(await holdpoint.decide(first?.hold ?? '', { ...approve, grant })).toMatchObject({ outcome: 'recorded' })
  await advanced(holdpoint, first?.run ?? '')
  place.inFile(file => file.exec(`UPDATE grants SET given = '{"kind": '`))
  const again = await started(holdpoint)
  expect(await advanced(holdpoint, again.id)).toMatchObject({ status: 'waiting' })
  expect(place.effects).toEqual(['deploy'])
})

test('a dispatcher that fails harms no run, is tried again, and is told of once', async () => {
  const clock = handClock()
  await using place = await aPlace({ needsApproval: false }, clock)
  await using holdpoint = await place.open()
  let tries = 0
  const dispatch = async () => {
    tries += 1
    throw new TypeError('the engine is broken')
  }
  const [events, end] = [[] as WorkEvent[], new AbortController()]
  const { id } = await started(holdpoint)
  const work = holdpoint.work({ signal: end.signal, dispatcher: { dispatch }, onEvent: event => events.push(event) })
  await expect
    .poll(async () => {
      clock.advance(1_000)
      return tries > 2 && (await holdpoint.run(id)).status
    })
    .toBe('done')
  end.abort()
  await work
  expect(events.filter(({ kind }) => kind === 'work.failed')).toMatchObject([
    { error: { message: 'the engine is broken' } },
  ])
})

test('a listener of a worker that rejects later ends its work, not its process', async () => {
  await using place = await aPlace({ needsApproval: false })
  await using holdpoint = await place.open()
  await started(holdpoint)
  const onEvent = async () => {
    await new Promise(resolve => setImmediate(resolve))
    throw new TypeError('the listener is broken')
  }
  await expect(holdpoint.work({ onEvent })).rejects.toThrow('the listener is broken')
})

test('a listener of all events that rejects later harms no run, and is warned of', async () => {
  await using place = await aPlace({ needsApproval: false })
  const onEvent = async () => Promise.reject(new TypeError('this sink is broken on purpose'))
  await using holdpoint = await place.open({ open: { onEvent } })
  const { id } = await started(holdpoint)
  const warned = new Promise<Error>(resolve => process.once('warning', resolve))
  expect(await advanced(holdpoint, id)).toMatchObject({ status: 'done' })
  expect((await warned).message).toContain('this sink is broken on purpose')
})
