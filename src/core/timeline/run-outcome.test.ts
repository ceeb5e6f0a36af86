import { expect, test } from 'vitest'
import { aCall, aDecision, aJournal, anEvent } from '../../testing/contracts/sample-journal.ts'
import { runOutcome } from './run-outcome.ts'

const ran = (id: string, command: string, exit_code: number) => [
  anEvent('model.answered', { calls: [aCall(id, { name: 'run_command', arguments: { command } })] }),
  anEvent('call.finished', { call_id: id, output: { stdout: '', stderr: '', exit_code } }),
]
const outcome = (...events: Parameters<typeof aJournal>[0]) => runOutcome('run_1', aJournal(events))

test('a run whose last program failed tells its exit code', () => {
  expect(outcome(...ran('c1', 'npm test', 0), ...ran('c2', 'git push', 3)).failed?.exit_code).toBe(3)
})

test('a failure that a later program made good, and an exit code that is an answer, are none', () => {
  expect(outcome(...ran('c1', 'npm test', 1), ...ran('c2', 'npm test', 0)).failed).toBeNull()
  expect(outcome(...ran('c1', 'grep -q it file', 1)).failed).toBeNull()
  expect(outcome()).toEqual({ failed: null, rejected: 0 })
})

test('calls that people rejected are counted, and questions that nobody answers are none', () => {
  const rejection = (call_id: string | null) => anEvent('hold.decided', { call_id, decision: aDecision('reject') })
  expect(outcome(rejection('c1'), rejection(null), rejection('c2')).rejected).toBe(2)
})
