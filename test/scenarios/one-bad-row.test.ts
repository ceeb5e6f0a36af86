import { expect, test } from 'vitest'
import type { Holdpoint } from '../../src/index.ts'
import { advanced, ana, aWorkplace, call, openHold, started, type Workplace } from './workplace.ts'

const approve = { verdict: 'approve', ...ana } as const

/** `deploy` is held, in each run. */
const aPlace = () => aWorkplace(it => ({ script: [{ calls: [call('a', 'deploy')] }, 'Done.'], tools: [it.held('deploy')] }))

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
