import { expect, test } from 'vitest'
import { type Hold, usualMessage } from '../../../core/hold/hold.ts'
import { lineText } from '../screen/flow.ts'
import { ApprovalBar } from './approval-bar.ts'
import { guardApproval } from './bar-guard.ts'

const COLUMNS = 40
const KEY = { read: 9, at: 10_000, isAlone: true, isRepeat: false }

/** Of a hold what the bar reads. */
function hold(id: string, command: string): Hold {
  const args = { command, cwd: '/srv' }
  const facts = { kind: 'approval', call_id: 'tc_1', tool: 'pay', level: 0, digest: `sha256:${command}`, message: '' }
  const rest = { context: null, choices: null, response_schema: null, destructive: false }
  return { id, arguments: args, ...facts, ...rest } as unknown as Hold
}

/** A question of the agent. */
function question(message: string, choices: readonly string[]): Hold {
  return { ...hold('hold_1', ''), kind: 'question', arguments: { question: message }, message, choices }
}

const rowsOf = (bar: ApprovalBar, height: number) => bar.draw(COLUMNS, height).rows.map(lineText)

test('P9: if the call becomes another one between the frame and the key, nothing is decided and the change is shown', () => {
  let now = 0
  const bar = new ApprovalBar(() => now)
  bar.replace([hold('hold_1', 'echo one')])
  rowsOf(bar, 10)
  bar.focus(1)
  now = 9_000
  expect(guardApproval(KEY, bar.facts)).toEqual({ may: 'decide' })
  bar.replace([hold('hold_2', 'echo two')])
  expect(bar.isFocused).toBe(false)
  expect(guardApproval(KEY, bar.facts)).toMatchObject({ may: 'nothing' })
  const rows = rowsOf(bar, 10)
  expect(rows[1]).toBe('   It is not what was asked before:')
  expect(rows.join('\n')).toMatch(/- "?echo one[\s\S]*\+ "?echo two/)
  bar.focus(2)
  now = 9_990
  rowsOf(bar, 10)
  expect(guardApproval({ ...KEY, at: 9_200 }, bar.facts)).toMatchObject({ may: 'nothing' })
})

test('a question and its choices are broken between words', () => {
  const bar = new ApprovalBar(() => 0)
  bar.replace([
    question('Which region should the release go to today?', ['east', 'west, which is far, which is far away']),
  ])
  expect(rowsOf(bar, bar.size(COLUMNS))).toEqual([
    '   Which region should the release go to',
    '   today?',
    '   1  east',
    '   2  west, which is far, which is far',
    '      away',
  ])
})

test('P9: a change of a file is shown before the texts that it is made of', () => {
  const bar = new ApprovalBar(() => 0)
  const part = { type: 'diff', title: 'a.txt', diff: '@@ -1 +1 @@\n-one\n+two\n', added: 1, removed: 1 } as const
  const preview = { parts: [part], basis: null, problem: null, digest: '' }
  bar.replace([{ ...hold('hold_1', 'edit'), message: usualMessage('pay'), preview }])
  expect(rowsOf(bar, bar.size(COLUMNS))).toEqual([
    '   pay',
    '   $ edit',
    '   a.txt: +1 -1',
    '   @@ -1 +1 @@',
    '   -one',
    '   +two',
    '   cwd: /srv',
  ])
})

test('P9: a call that is too long for a bar is cut with its count, and never counts as seen', () => {
  const bar = new ApprovalBar(() => 0)
  const lines = Array.from({ length: 50_000 }, (_, n) => `echo line ${n} of many`)
  const command = lines.join('\n')
  bar.replace([hold('hold_1', command)])
  expect(bar.size(COLUMNS)).toBeLessThan(3_000)
  const rows = bar.draw(COLUMNS, bar.size(COLUMNS)).rows.map(lineText)
  expect(rows.at(-1)).toMatch(/^ {3}\([\d,]+ more characters: \/show tc_1\)$/)
  expect([bar.isSeen, bar.isTooLong]).toEqual([false, true])
  expect(bar.left).toBeGreaterThan(command.length - 200_000)
  expect(guardApproval(KEY, { ...bar.facts, focusedIn: 1 })).toEqual({ may: 'scroll' })
})
