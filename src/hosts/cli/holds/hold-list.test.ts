import { expect, test } from 'vitest'
import { aHold as sampleHold } from '../../../testing/contracts/sample-hold.ts'
import { aDecision } from '../../../testing/contracts/sample-journal.ts'
import { plainList, screenList } from '../../display/list.ts'
import { PLAIN } from '../../display/screen.ts'
import type { ListedHold } from './hold-filter.ts'
import { HOLD_LIST } from './hold-list.ts'

const NOW = Date.parse('2030-01-01T03:00:00.000Z')
const screen = { now: NOW, width: 60, paint: PLAIN }
const quorum = { people: null, not_requester: false, quorum: 2 }

function aHold(changes: Partial<ListedHold> = {}): ListedHold {
  return { path: [], checkpoint_id: null, result: null, ...sampleHold(changes), ...changes }
}

test('in a terminal a hold has two lines, with times as seen from now', () => {
  const holds = [
    aHold({ due_at: '2030-01-01T05:00:00.000Z', on_due: 'cancel', assignee: '@finance' }),
    aHold({ id: 'hold_22', kind: 'question', tool: 'ask_human', message: 'Which?', choices: ['a', 'b'] }),
  ]
  expect(screenList(holds, HOLD_LIST, { ...screen, width: 80 })).toBe(
    [
      'HOLD     KIND      AGENT   TOOL       OPENED   DUE',
      'hold_1   approval  tester  work       3 h ago  in 2 h, for @finance',
      '  {"of":"call_1"}',
      'hold_22  question  tester  ask_human  3 h ago',
      '  Which? [a | b]',
      '',
    ].join('\n'),
  )
})

test('what is overdue is red, and a hold that needs several people says how many it has', () => {
  const late = aHold({ due_at: '2030-01-01T02:00:00.000Z', deciders: quorum, votes: [aDecision('approve')] })
  const painted = screenList([late], HOLD_LIST, {
    ...screen,
    width: 80,
    paint: (style, text) => `<${style}>${text}</>`,
  })
  expect(painted).toContain('<red>overdue by 1 h, 1 of 2 approvals</>')
})

test('what is decided says how, and is due no more', () => {
  const decided = aHold({ status: 'decided', due_at: '2030-01-01T02:00:00.000Z', decision: aDecision('reject') })
  const [head, ...lines] = screenList([decided], HOLD_LIST, screen).split('\n')
  expect(head).not.toContain('DUE')
  expect(lines).toEqual(['hold_1  approval  tester  work  3 h ago', '  rejected by ana: {"of":"call_1"}', ''])
})

test('what was approved says what came of it', () => {
  const failed = { tone: 'bad', text: 'It failed after 2 s with exit 1.' } as const
  const decided = aHold({ status: 'decided', decision: aDecision('approve'), result: failed })
  expect(screenList([decided], HOLD_LIST, { ...screen, width: 80 })).toContain(
    '\n  approved by ana, failed after 2 s with exit 1: {"of":"call_1"}\n',
  )
})

test('P9: a terminal is told how much of a call it does not show, also where much of it is invisible', () => {
  const args = { command: `echo ok${'\u200b'.repeat(40)}; rm -rf /` }
  const [, , line = ''] = screenList([aHold({ arguments: args })], HOLD_LIST, screen).split('\n')
  expect(line).toMatch(/^ {2}\{"command":"echo ok(\\u\{200b\})+… \+\d+ characters$/)
  expect(line.length).toBeLessThanOrEqual(60)
})

test('P9: a table cuts nothing, hides nothing, and has no tabs', () => {
  const command = `echo ${'x'.repeat(500)}\t\u202e`
  const text = plainList([aHold({ arguments: command, agent: 'a\tb' }), aHold({ id: 'hold_2', tool: null })], HOLD_LIST)
  expect(text).toContain(`echo ${'x'.repeat(500)}\\u{9}\\u{202e}`)
  expect(text).not.toContain('\t')
  expect(text.split('\n').map(line => line.split(/ {2,}/).length)).toEqual([12, 12, 12, 1])
})

const path = ['lead', 'mid\u200b', 'tester'].map((agent, n) => ({ run_id: `run_${n}`, agent }))

test.each([
  ['a table', (hold: ListedHold) => plainList([hold], HOLD_LIST)],
  ['a terminal', (hold: ListedHold) => screenList([hold], HOLD_LIST, screen)],
])('in %s a hold of a child says whose agents started its run', (_where, show) => {
  expect(show(aHold({ path }))).toContain('  lead > mid\\u{200b} > tester  ')
  expect(show(aHold({ path: path.slice(2) }))).not.toContain('>')
})
