import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type DueSettings, mayApproveItself, mergeDue, NO_TIMING, readDue, timingFrom, wakeTime } from './due.ts'

const NOW = Date.parse('2030-01-01T00:00:00.000Z')
const at = (seconds: number) => new Date(NOW + seconds * 1000).toISOString()
const managers = { assignee: '@managers', seconds: 60 }

describe('settings as they are written', () => {
  test.each([
    [{}, {}],
    [{ seconds: 3600 }, { seconds: 3600 }],
    [{ seconds: null }, { seconds: null }],
    [
      { seconds: 0.5, onDue: 'reject' },
      { seconds: 0.5, on_due: 'reject' },
    ],
    [
      { remindAfter: [60, 1800], assignee: '@ops' },
      { remind_after: [60, 1800], assignee: '@ops' },
    ],
    [
      { assignee: null, remind_after: [] },
      { assignee: null, remind_after: [] },
    ],
    [
      { onDue: 'escalate', escalation: [managers], finally: 'auto_approve' },
      { on_due: 'escalate', escalation: [managers], finally: 'auto_approve' },
    ],
  ])('%j are read', (written, settings) => {
    expect(readDue(written)).toEqual(settings)
    expect(readDue({ ...settings }), 'what was read is read again').toEqual(settings)
  })

  test('what is undefined was not said', () => {
    expect(readDue({ seconds: undefined as never, on_due: 'reject' })).toStrictEqual({ on_due: 'reject' })
  })

  test.each([
    [undefined, 'not nothing'],
    [null, 'not null'],
    [3600, 'not 3600'],
    [[3600], 'not [3600]'],
    [{ second: 1 }, 'due.second: known: seconds, on_due, finally, remind_after, assignee, escalation'],
    [{ toString: 1 }, 'due.to_string: known'],
    [{ seconds: 0 }, 'due.seconds: must be a number of seconds above 0'],
    [{ seconds: -5 }, 'due.seconds'],
    [{ seconds: '3600' }, 'due.seconds'],
    [{ seconds: Number.NaN }, 'due.seconds'],
    [{ seconds: Number.POSITIVE_INFINITY }, 'due.seconds'],
    [{ seconds: 1e12 }, 'due.seconds'],
    [{ on_due: 'approve' }, 'due.on_due: must be one of cancel, reject, auto_approve, escalate'],
    [{ finally: 'escalate' }, 'due.finally: must be one of cancel, reject, auto_approve'],
    [{ remind_after: 60 }, 'due.remind_after'],
    [{ remind_after: [0] }, 'due.remind_after'],
    [{ assignee: ' ' }, 'due.assignee'],
    [{ escalation: [{ assignee: 'mia' }] }, 'due.escalation'],
    [{ escalation: [{ assignee: 'mia', seconds: 0 }] }, 'due.escalation'],
    [{ escalation: [{ ...managers, people: ['eve'] }] }, 'due.escalation'],
    [{ escalation: ['mia'] }, 'due.escalation'],
    [{ on_due: 'escalate' }, 'due.on_due: escalate needs escalation'],
    [{ on_due: 'escalate', escalation: [] }, 'due.on_due: escalate needs escalation'],
  ])('%j are refused, and told why', (written, why) => {
    expect(() => readDue(written as never)).toThrow(why)
  })
})

describe('the most specific word', () => {
  const settings: fc.Arbitrary<DueSettings> = fc.record(
    {
      seconds: fc.option(fc.integer({ min: 1, max: 100 })),
      on_due: fc.constantFrom('cancel', 'reject', 'auto_approve'),
      remind_after: fc.array(fc.integer({ min: 1, max: 100 })),
      assignee: fc.option(fc.constantFrom('ana', '@ops')),
      finally: fc.constantFrom('cancel', 'reject'),
    },
    { requiredKeys: [] },
  )

  test('counts for each setting by itself', () => {
    fc.assert(
      fc.property(fc.array(fc.option(settings)), said => {
        const merged = mergeDue(said)
        for (const key of ['seconds', 'on_due', 'remind_after', 'assignee', 'finally'] as const) {
          const first = said.find(each => each && Object.hasOwn(each, key))
          expect(merged[key]).toEqual(first?.[key])
          expect(Object.hasOwn(merged, key)).toBe(first !== undefined)
        }
      }),
    )
  })

  test('never is a word too', () => {
    expect(mergeDue([{ seconds: null }, { seconds: 60 }])).toEqual({ seconds: null })
    expect(mergeDue([undefined, null, { seconds: 60 }])).toEqual({ seconds: 60 })
  })

  test('of whom it escalates to says that it escalates', () => {
    const project = { seconds: 60, on_due: 'reject' } as const
    expect(mergeDue([{ escalation: [managers] }, project])).toMatchObject({ on_due: 'escalate', seconds: 60 })
    expect(mergeDue([{ on_due: 'reject' }, { escalation: [managers] }])).toMatchObject({ on_due: 'reject' })
    expect(mergeDue([{ on_due: 'cancel', escalation: [managers] }, project])).toMatchObject({ on_due: 'cancel' })
    expect(mergeDue([{ escalation: [] }, project])).toMatchObject({ on_due: 'reject', escalation: [] })
  })

  test('changes nothing of what was said', () => {
    const said = [Object.freeze({ seconds: 1 }), Object.freeze({ on_due: 'reject' as const })]
    expect(mergeDue(said)).toEqual({ seconds: 1, on_due: 'reject' })
  })
})

describe('a hold that opens', () => {
  test('is never due where nobody says when', () => {
    expect(timingFrom({}, {}, NOW)).toEqual(NO_TIMING)
    expect(timingFrom({ seconds: null, on_due: 'reject' }, {}, NOW)).toEqual(NO_TIMING)
  })

  test('is cancelled when its time is over, or goes to whom it escalates', () => {
    expect(timingFrom({ seconds: 60 }, {}, NOW)).toEqual({ ...NO_TIMING, due_at: at(60), on_due: 'cancel' })
    expect(timingFrom({ seconds: 60, escalation: [managers] }, {}, NOW)).toMatchObject({ on_due: 'escalate' })
  })

  test('reminds in the order of time, and not after it is due', () => {
    const settings = { seconds: 100, remind_after: [90, 10, 100, 150, 50] }
    expect(timingFrom(settings, {}, NOW).remind_at).toEqual([at(10), at(50), at(90)])
    expect(timingFrom({ remind_after: [90, 10] }, {}, NOW).remind_at).toEqual([at(10), at(90)])
  })

  test('knows who is in the groups that it escalates to', () => {
    const escalation = [managers, { assignee: 'zoe', seconds: 30 }, { assignee: '@gone', seconds: 30 }]
    expect(timingFrom({ seconds: 60, escalation }, { managers: ['mia', 'max'] }, NOW).escalation).toEqual([
      { ...managers, people: ['mia', 'max'] },
      { assignee: 'zoe', seconds: 30, people: ['zoe'] },
      { assignee: '@gone', seconds: 30, people: [] },
    ])
  })
})

test.each([
  [{}, false],
  [{ on_due: 'cancel', finally: 'reject' }, false],
  [{ on_due: 'auto_approve' }, true],
  [{ on_due: 'escalate', finally: 'auto_approve' }, true],
] as const)('%j may approve by itself: %s', (settings, may) => {
  expect(mayApproveItself(settings)).toBe(may)
})

test('a hold wakes for its next reminder or its end, whichever is first', () => {
  const hold = { due_at: at(100), remind_at: [at(10), at(50)] }
  expect([0, 1, 2].map(reminded => wakeTime({ ...hold, reminded }))).toEqual([at(10), at(50), at(100)].map(Date.parse))
  expect(wakeTime({ due_at: at(20), remind_at: [at(50)], reminded: 0 })).toBe(Date.parse(at(20)))
  expect(wakeTime({ due_at: null, remind_at: [at(50)], reminded: 0 })).toBe(Date.parse(at(50)))
  expect(wakeTime({ due_at: null, remind_at: [at(50)], reminded: 1 })).toBeNull()
})
