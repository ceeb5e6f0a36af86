import { expect, test } from 'vitest'
import { aHold } from '../../testing/contracts/sample-hold.ts'
import type { Hold } from '../hold/hold.ts'
import { applyAmendment, type HoldEvent } from './amendment.ts'

const REMINDED: HoldEvent = {
  kind: 'hold.reminded',
  run_id: 'run_1',
  data: { hold_id: 'hold_1', call_id: 'call_1', number: 1, remind_at: '2030-01-01T00:00:01.000Z', assignee: null },
}
const live = { isRunOver: false }

test('a reminder of an open hold counts it', () => {
  expect(applyAmendment(aHold(), { event: REMINDED, seen: { level: 0, reminded: 0 } }, live)).toEqual(
    aHold({ reminded: 1 }),
  )
})

const LEFT: readonly (readonly [title: string, hold: Partial<Hold>, isRunOver: boolean])[] = [
  ['a hold that is not open', { status: 'decided' }, false],
  ['a hold that was reminded of since', { reminded: 1 }, false],
  ['a hold that was escalated since', { level: 1 }, false],
  ['a hold of a run that is over', {}, true],
]

test.each(LEFT)('%s stays as it is', (_title, changes, isRunOver) => {
  const amendment = { event: REMINDED, seen: { level: 0, reminded: 0 } }
  expect(applyAmendment(aHold(changes), amendment, { isRunOver })).toBeNull()
})

test('an amendment that has seen nothing is made whatever the level is', () => {
  expect(applyAmendment(aHold({ level: 2 }), { event: REMINDED, seen: null }, live)).toMatchObject({ reminded: 1 })
})
