import { expect, test } from 'vitest'
import { aDecision } from '../../../testing/contracts/sample-journal.ts'
import { callAct, headline, taskLine, thingNamed, titleLine } from './act-words.ts'

const CALL = { kind: 'approval', tool: 'pay', message: 'May pay run?' } as const

test('a headline is the title, the question, or the tool', () => {
  expect(headline({ ...CALL, title: 'Pay 7 EUR' })).toBe('Pay 7 EUR')
  expect(headline(CALL)).toBe('pay')
  expect(headline({ ...CALL, kind: 'question', message: '# Which **plan**?' })).toBe('Which plan?')
  expect(headline({ ...CALL, kind: 'question', message: '\n# Which plan?\n\n- fast\n- safe' })).toBe('Which plan?')
  expect(headline({ ...CALL, kind: 'input', tool: null, message: '' })).toBe('May the call run?')
})

test('the headline of a call that was approved with other arguments says what changed', () => {
  const hold = { ...CALL, title: 'Pay 41.20 EUR to ana', arguments: { amount: 41.2, to: 'ana' } }
  const decision = aDecision('edit', { arguments: { amount: 30, to: 'ana' } })
  expect(headline({ ...hold, decision })).toBe('Pay 41.20 EUR to ana (changed: amount: 41.2 \u2192 30)')
  expect(headline({ ...hold, decision: aDecision('approve') })).toBe('Pay 41.20 EUR to ana')
})

test.each([
  ['run_command', { command: 'git push origin main', cwd: '.' }, 'git push origin main'],
  ['ask_human', { question: 'Which region?', choices: ['north'] }, 'Which region?'],
  ['write_file', { path: 'notes.md', content: 'x' }, 'write_file notes.md'],
  ['refund', { amount: 7 }, 'refund'],
  ['run_command', { command: ' ' }, 'run_command'],
  ['run_command', '{"command":', 'run_command'],
  ['run_command', { command: 'echo one\n\u202eecho' }, 'echo one ⏎ \\u{202e}echo'],
])('the act of %s with %j is %s', (name, args, act) => {
  expect(callAct(name, args)).toBe(act)
})

test('P9: a long title keeps its end, and hides nothing', () => {
  const line = titleLine(`echo ${'x'.repeat(200)} && rm -rf /\u202e`)
  expect(line).toMatch(/^echo x+…x+ && rm -rf \/\\u\{202e\}$/)
  expect([...line]).toHaveLength(120)
})

test('a task is one line', () => {
  const place = { directory: '~/shop', branch: 'main', host: 'build-7' }
  expect(taskLine({ text: 'release', by: 'ana', ...place })).toBe(
    'release · asked by ana · in ~/shop on main (build-7)',
  )
  expect(taskLine({ text: '', by: null, ...place, branch: null, host: '' })).toBe('in ~/shop')
})

test.each([
  [{ command: 'git push --force origin main' }, 'main'],
  [{ command: 'rm -rf build/old/' }, 'old'],
  [{ url: 'https://pay.example/refunds/7' }, 'pay.example'],
  [{ path: 'src/a.ts', content: 'x' }, 'a.ts'],
  [{ database: 'shop', table: 'users' }, 'shop'],
  [{ amount: 7 }, 'pay'],
  [{ command: '???' }, 'pay'],
])('%j names %s', (args, thing) => {
  expect(thingNamed({ tool: 'pay', arguments: args })).toBe(thing)
})
