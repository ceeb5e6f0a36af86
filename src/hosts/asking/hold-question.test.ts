import { expect, test } from 'vitest'
import { aHold } from '../../testing/contracts/sample-journal.ts'
import { questionText } from './hold-question.ts'

const NOW = Date.parse('2030-01-01T00:00:00.000Z')
const SITE = { person: 'ana', now: NOW, width: 50, isOneOfMany: false, isSeen: true }
const CALL = { tool: 'run_command', arguments: { command: 'echo '.repeat(30) } }

test('one of several calls is named again in short, and a single one is not', () => {
  const many = questionText(aHold(CALL), { ...SITE, isOneOfMany: true })
  expect(many).toMatch(/\n {2}run_command {2}echo echo .*… \+\d+ characters\n/)
  expect(
    Math.max(
      ...many
        .split('\n')
        .slice(0, 2)
        .map(line => line.length),
    ),
  ).toBeLessThanOrEqual(50)
  expect(questionText(aHold(CALL), SITE)).not.toContain('echo')
})

test('P9: a call that is not all on the screen is shown with its end, and how to read the rest is said', () => {
  const hold = aHold({ ...CALL, arguments: { command: `echo ok${' '.repeat(9000)}; rm -rf /` } })
  const text = questionText(hold, { ...SITE, width: 80, isSeen: false })
  expect(text).toMatch(/\n {2}run_.*… \+\d,\d+ characters … .*; rm -rf \/\n/)
  expect(text).toContain(`holdpoint show ${hold.id} | less`)
})

test('a deadline and the approvals that it needs are said', () => {
  const deciders = { people: ['ana', 'ben'], not_requester: false, quorum: 2 }
  const text = questionText(aHold({ ...CALL, due_at: '2030-01-01T02:00:00.000Z', deciders }), SITE)
  expect(text).toContain('  due in 2 h (2030-01-01T02:00:00.000Z): ')
  expect(text).toContain('  2 different people must approve; 0 did so far\n')
})

test('P1: a person who may not decide is told so at once, and offered only to leave it for later', () => {
  const deciders = { people: ['ben'], not_requester: false, quorum: 1 }
  const text = questionText(aHold({ ...CALL, deciders }), SITE)
  expect(text).toContain('  ana may not decide ')
  expect(text).toMatch(/\n {2}later {2}nothing is decided/)
  expect(text).not.toMatch(/\n {2}(y|n|edit)/)
})
