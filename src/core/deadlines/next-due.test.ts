import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { aHold } from '../../testing/contracts/sample-journal.ts'
import type { Hold, HoldKind } from '../hold/hold.ts'
import { MAY_SAY } from '../hold/objection.ts'
import { FINAL_ACTIONS, type FinalAction, wakeTime } from '../people/due.ts'
import { type DueEvent, nextDue } from './next-due.ts'

const NOW = Date.parse('2030-01-01T00:00:00.000Z')
const at = (seconds: number) => new Date(NOW + seconds * 1000).toISOString()
const sign = () => ({ decision_id: 'dec_9', digest: 'sha256:9' })
const due = (hold: Hold, seconds: number) => nextDue(hold, NOW + seconds * 1000, sign)

/** As the store has it after that. */
function amended(hold: Hold, { kind, data }: DueEvent): Hold {
  if (kind === 'hold.reminded') return { ...hold, reminded: data.number }
  if (kind === 'hold.expired') return { ...hold, status: 'expired', decision: data.decision }
  return { ...hold, level: data.level, assignee: data.assignee, due_at: data.due_at }
}

/** Everything that is due by then, and the hold as it is left. */
function sweep(hold: Hold, seconds: number): { hold: Hold; happened: DueEvent[] } {
  const happened: DueEvent[] = []
  let left = hold
  while (left.status === 'open') {
    const event = due(left, seconds)
    if (!event) break
    happened.push(event)
    left = amended(left, event)
  }
  return { hold: left, happened }
}

const kindsOf = (events: readonly DueEvent[]) => events.map(({ kind }) => kind)

describe('what becomes of a hold that nobody decided', () => {
  test.each([
    ['cancel', 'cancel', null],
    ['reject', 'reject', null],
    ['auto_approve', 'approve', 'sha256:9'],
  ] as const)('is %s where that is what was said', (on_due, verdict, digest) => {
    expect(due(aHold({ due_at: at(60), on_due }), 60)).toEqual({
      kind: 'hold.expired',
      run_id: 'run_1',
      data: {
        hold_id: 'hold_1',
        call_id: 'call_1',
        status: 'resuming',
        on_due,
        ...(on_due === 'cancel' && { ends_run: true }),
        decision: {
          decision_id: 'dec_9',
          verdict,
          arguments: null,
          value: null,
          reason: `nobody decided until ${at(60)}.`,
          digest,
          decided_by: 'holdpoint',
          surface: 'deadline',
          at: at(60),
          grant: null,
        },
      },
    })
  })

  test('happens when its time is over, and not before', () => {
    const hold = aHold({ due_at: at(60), on_due: 'cancel' })
    expect(due(hold, 59.999)).toBeNull()
    expect(due(hold, 60)?.kind).toBe('hold.expired')
    expect(due(hold, 1e6)?.kind).toBe('hold.expired')
    expect(due(aHold({ due_at: null, on_due: null }), 1e9)).toBeNull()
  })

  /** What can be done without anybody for a hold of each kind; anything else is `cancel`. */
  const POSSIBLE: Record<HoldKind, readonly FinalAction[]> = {
    approval: ['cancel', 'reject', 'auto_approve'],
    question: ['cancel', 'reject'],
    client_tool: ['cancel', 'reject'],
    input: ['cancel', 'auto_approve'],
    in_doubt: ['cancel'],
  }
  const EACH = (Object.keys(POSSIBLE) as HoldKind[]).flatMap(kind =>
    FINAL_ACTIONS.flatMap(action => [
      { kind, action, said: { on_due: action } },
      { kind, action, said: { on_due: 'escalate' as const, finally: action } },
    ]),
  )

  test.each(EACH)('of kind $kind that was to $action, with $said, means something', ({ kind, action, said }) => {
    const call_id = kind === 'input' ? null : 'call_1'
    const event = due(aHold({ kind, call_id, due_at: at(60), ...said }), 60)
    if (event?.kind !== 'hold.expired') throw new TypeError('it did not expire')
    const { on_due, decision, status } = event.data
    expect(on_due).toBe(POSSIBLE[kind].includes(action) ? action : 'cancel')
    expect(status).toBe(call_id === null ? null : 'resuming')
    // A text pause is cancelled with its run.
    expect(MAY_SAY[kind][decision.verdict] !== null || `${kind} ${on_due}` === 'input cancel').toBe(true)
  })

  test.each(['auto_approve', 'escalate'] as const)(
    'P1: a tool whose effect cannot be taken back never runs because nobody came, with %s',
    on_due => {
      const hold = aHold({ due_at: at(60), on_due, finally: 'auto_approve', destructive: true })
      expect(due(hold, 60)).toMatchObject({ data: { on_due: 'cancel', decision: { verdict: 'cancel', digest: null } } })
    },
  )

  test.each([
    { people: ['ana'], not_requester: false, quorum: 1 },
    { people: null, not_requester: true, quorum: 1 },
    { people: null, not_requester: false, quorum: 2 },
  ])('P1: a call that %j must decide never runs because nobody came', deciders => {
    const hold = aHold({ due_at: at(60), on_due: 'auto_approve', deciders })
    expect(due(hold, 60)).toMatchObject({ data: { on_due: 'cancel', decision: { verdict: 'cancel', digest: null } } })
  })

  test('of a call that nobody knows about says that it may have happened', () => {
    const event = due(aHold({ kind: 'in_doubt', due_at: at(60), on_due: 'reject' }), 60)
    expect(event).toMatchObject({ data: { decision: { reason: expect.stringContaining('it may have') } } })
  })
})

describe('escalation', () => {
  const level = (assignee: string, seconds: number) => ({ assignee, seconds, people: [assignee] })
  const hold = aHold({
    due_at: at(60),
    on_due: 'escalate',
    escalation: [level('mia', 30), level('zoe', 10)],
    finally: 'reject',
    assignee: 'ana',
  })

  test('walks its levels, each with its own time, and ends with its final action', () => {
    const first = sweep(hold, 60)
    expect(first.happened).toEqual([
      {
        kind: 'hold.escalated',
        run_id: 'run_1',
        data: { hold_id: 'hold_1', call_id: 'call_1', level: 1, assignee: 'mia', due_at: at(90) },
      },
    ])
    expect(due(first.hold, 89.999)).toBeNull()
    const second = sweep(first.hold, 90)
    expect(second.happened).toMatchObject([{ data: { level: 2, assignee: 'zoe', due_at: at(100) } }])
    const third = sweep(second.hold, 100)
    expect(third.happened).toMatchObject([{ kind: 'hold.expired', data: { on_due: 'reject' } }])
    expect(third.hold.status).toBe('expired')
  })

  test('gives each level its time from when it is asked, also after nobody looked for long', () => {
    const { hold: left, happened } = sweep(hold, 1_000)
    expect(happened).toMatchObject([{ kind: 'hold.escalated', data: { assignee: 'mia', due_at: at(1_030) } }])
    expect(sweep(left, 5_000).happened).toMatchObject([{ data: { level: 2, assignee: 'zoe', due_at: at(5_010) } }])
  })

  test('to nobody is its final action', () => {
    expect(due({ ...hold, escalation: [] }, 60)).toMatchObject({ kind: 'hold.expired', data: { on_due: 'reject' } })
  })

  test('does not happen where something else was to be done', () => {
    expect(due({ ...hold, on_due: 'cancel' }, 60)).toMatchObject({ kind: 'hold.expired', data: { on_due: 'cancel' } })
  })
})

describe('reminders', () => {
  const hold = aHold({ due_at: at(60), on_due: 'cancel', remind_at: [at(10), at(20), at(30)], assignee: '@ops' })

  test('come at their time, each once', () => {
    expect(due(hold, 9.999)).toBeNull()
    const first = sweep(hold, 10)
    expect(first.happened).toEqual([
      {
        kind: 'hold.reminded',
        run_id: 'run_1',
        data: { hold_id: 'hold_1', call_id: 'call_1', number: 1, remind_at: at(10), assignee: '@ops' },
      },
    ])
    expect(sweep(first.hold, 19).happened).toEqual([])
    expect(sweep(first.hold, 20).happened).toMatchObject([{ data: { number: 2, remind_at: at(20) } }])
  })

  test('come in their order after nobody looked, before what was due later', () => {
    const { happened } = sweep(hold, 1_000)
    expect(kindsOf(happened)).toEqual(['hold.reminded', 'hold.reminded', 'hold.reminded', 'hold.expired'])
    expect(happened).toMatchObject([{ data: { number: 1 } }, { data: { number: 2 } }, { data: { number: 3 } }, {}])
  })

  test('that were to come after the end do not come', () => {
    const late = aHold({ due_at: at(60), on_due: 'cancel', remind_at: [at(10), at(70)] })
    expect(kindsOf(sweep(late, 1_000).happened)).toEqual(['hold.reminded', 'hold.expired'])
  })

  test('that were to come after the first level was due come while the next one is asked', () => {
    const escalation = [{ assignee: 'mia', seconds: 100, people: ['mia'] }]
    const long = aHold({ due_at: at(60), on_due: 'escalate', escalation, remind_at: [at(10), at(70)] })
    const asked = sweep(long, 60)
    expect(kindsOf(asked.happened)).toEqual(['hold.reminded', 'hold.escalated'])
    expect(sweep(asked.hold, 70).happened).toMatchObject([{ kind: 'hold.reminded', data: { assignee: 'mia' } }])
  })

  test('come where nothing is ever due', () => {
    const endless = aHold({ remind_at: [at(10), at(20)] })
    expect(kindsOf(sweep(endless, 1_000).happened)).toEqual(['hold.reminded', 'hold.reminded'])
  })
})

describe('however the clock goes', () => {
  const seconds = fc.integer({ min: 1, max: 50 })
  const holds = fc
    .record({
      due: fc.option(seconds),
      on_due: fc.constantFrom('cancel', 'reject', 'auto_approve', 'escalate'),
      reminders: fc.array(seconds, { maxLength: 4 }),
      levels: fc.array(seconds, { maxLength: 3 }),
    })
    .map(({ due: after, on_due, reminders, levels }) =>
      aHold({
        due_at: after === null ? null : at(after),
        on_due: after === null ? null : on_due,
        remind_at: reminders.toSorted((a, b) => a - b).map(at),
        escalation: levels.map((each, n) => ({ assignee: `level ${n}`, seconds: each, people: [] })),
      }),
    )
  const looks = fc.array(fc.integer({ min: -20, max: 400 }), { maxLength: 30 })

  test('each thing happens once, in order, and the end last', () => {
    fc.assert(
      fc.property(holds, looks, (opened, times) => {
        let hold = opened
        const all: DueEvent[] = []
        for (const time of times) {
          const { hold: left, happened } = sweep(hold, time)
          hold = left
          all.push(...happened)
        }
        const reminded = all.flatMap(({ kind, data }) => (kind === 'hold.reminded' ? [data.number] : []))
        expect(reminded).toEqual(reminded.map((_, n) => n + 1))
        expect(reminded.length).toBeLessThanOrEqual(opened.remind_at.length)
        const levels = all.flatMap(({ kind, data }) => (kind === 'hold.escalated' ? [data.level] : []))
        expect(levels).toEqual(levels.map((_, n) => n + 1))
        const ends = all.findIndex(({ kind }) => kind === 'hold.expired')
        expect([-1, all.length - 1]).toContain(ends)
        if (ends >= 0 && opened.on_due === 'escalate') expect(levels).toHaveLength(opened.escalation.length)
      }),
    )
  })

  test('something happens exactly where the store says that the hold wakes', () => {
    fc.assert(
      fc.property(holds, looks, (opened, times) => {
        let hold = opened
        for (const time of times) {
          const wakes = wakeTime(hold)
          expect(due(hold, time) !== null).toBe(wakes !== null && wakes <= NOW + time * 1000)
          hold = sweep(hold, time).hold
          if (hold.status !== 'open') return
        }
      }),
    )
  })
})
