import { expect, test } from 'vitest'
import { aDecision, aJournal, anEvent, EVENT_KINDS } from '../../testing/contracts/sample-journal.ts'
import { holdHistory } from './hold-history.ts'

const HOLD_EVENTS = EVENT_KINDS.filter(kind => kind.startsWith('hold.'))

test('every kind of event about a hold is told, in order, with when it was', () => {
  const history = holdHistory(aJournal(EVENT_KINDS.map(kind => anEvent(kind))), 'hold_1')
  expect(history.map(({ what }) => `hold.${what}`)).toEqual(HOLD_EVENTS)
  expect(history.every(({ at, text }) => at.endsWith('Z') && text !== '')).toBe(true)
})

test('what happened to another hold is not told', () => {
  expect(holdHistory(aJournal(HOLD_EVENTS.map(kind => anEvent(kind))), 'hold_2')).toEqual([])
})

test('who decided, where and why, is told', () => {
  const decision = aDecision('reject', { decided_by: 'ben', surface: 'cli', reason: 'not on a Friday' })
  expect(holdHistory(aJournal([anEvent('hold.decided', { decision })]), 'hold_1')).toEqual([
    {
      at: '1970-01-01T00:00:01.000Z',
      what: 'decided',
      by: 'ben',
      surface: 'cli',
      reason: 'not on a Friday',
      text: 'rejected by ben (not on a Friday) via cli',
    },
  ])
})
