import { expect, test } from 'vitest'
import { aHold } from '../../testing/contracts/sample-hold.ts'
import { aDecision } from '../../testing/contracts/sample-journal.ts'
import type { Hold } from '../hold/hold.ts'
import { applyAmendment, type HoldEvent } from './amendment.ts'

const REMINDED: HoldEvent = {
  kind: 'hold.reminded',
  run_id: 'run_1',
  data: { hold_id: 'hold_1', call_id: 'call_1', number: 1, remind_at: '2030-01-01T00:00:01.000Z', assignee: null },
}
const EXPIRED: HoldEvent = {
  kind: 'hold.expired',
  run_id: 'run_1',
  data: {
    ...{ hold_id: 'hold_1', call_id: 'call_1', status: 'resuming', on_due: 'cancel' },
    decision: aDecision('cancel'),
  },
}
const OTHER = aHold({ id: 'hold_2', call_id: 'call_2' })
const live = { isRunOver: false, now: 0, openHolds: () => [aHold(), OTHER] }

test('a reminder of an open hold counts it', () => {
  expect(applyAmendment(aHold(), { event: REMINDED, seen: { level: 0, reminded: 0 } }, live)).toEqual({
    hold: aHold({ reminded: 1 }),
    withdraws: [],
    events: [REMINDED],
  })
})

const LEFT: readonly (readonly [title: string, hold: Partial<Hold>, isRunOver: boolean])[] = [
  ['a hold that is not open', { status: 'decided' }, false],
  ['a hold that was reminded of since', { reminded: 1 }, false],
  ['a hold that was escalated since', { level: 1 }, false],
  ['a hold of a run that is over', {}, true],
]

test.each(LEFT)('%s stays as it is', (_title, changes, isRunOver) => {
  const amendment = { event: REMINDED, seen: { level: 0, reminded: 0 } }
  expect(applyAmendment(aHold(changes), amendment, { ...live, isRunOver })).toBeNull()
})

test('an amendment that has seen nothing is made whatever the level is', () => {
  expect(applyAmendment(aHold({ level: 2 }), { event: REMINDED, seen: null }, live)).toMatchObject({
    hold: { reminded: 1 },
  })
})

test('a deadline that ends the run withdraws the other open holds', () => {
  const event = { ...EXPIRED, data: { ...EXPIRED.data, ends_run: true } } as HoldEvent
  expect(applyAmendment(aHold(), { event, seen: null }, live)).toMatchObject({
    hold: { status: 'expired' },
    withdraws: [OTHER],
    events: [event, { kind: 'hold.withdrawn', data: { hold_id: 'hold_2', because: 'a deadline ended the run' } }],
  })
})

test('a deadline that ends the call leaves the other holds open', () => {
  expect(applyAmendment(aHold(), { event: EXPIRED, seen: null }, live)).toMatchObject({
    withdraws: [],
    events: [EXPIRED],
  })
})
