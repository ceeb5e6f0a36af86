import { expect, test } from 'vitest'
import { toolContext } from '../testing/kit/tool-context.ts'
import { requestApproval } from './request-approval.ts'

test('a request becomes what a person is asked to approve, with action and reason in full', () => {
  const details = { files: ['a.txt', 'b.txt'] }
  expect(requestApproval().asks?.({ action: 'delete 2 files', reason: 'They are stale.', details })).toEqual({
    kind: 'approval',
    message: 'May the agent do this: delete 2 files? Its reason: They are stale.',
    context: details,
    choices: null,
    response_schema: null,
  })
})

test('an agent that gives no reason is not made to look as if it did', () => {
  expect(requestApproval().asks?.({ action: 'go', reason: '' }).message).toBe(
    'May the agent do this: go? It gives no reason.',
  )
})

test('details that were not given are absent', () => {
  expect(requestApproval().asks?.({ action: 'go', reason: 'asked to' })).toMatchObject({ context: null })
})

test('what was decided is its result', () => {
  expect(requestApproval().resumeMode).toBe('use_decision_as_tool_result')
})

test('it never runs', async () => {
  const asked = requestApproval().execute({ action: 'go', reason: 'asked to' }, toolContext())
  await expect(asked).rejects.toMatchObject({ code: 'WAITS_FOR_ANSWER' })
})

test.each([
  ['no action', { reason: 'why' }, 'arguments.action: is required'],
  ['an empty action', { action: '', reason: 'why' }, 'arguments.action: must not be empty'],
  ['no reason', { action: 'go' }, 'arguments.reason: is required'],
  ['a list as its action', { action: ['go'], reason: 'why' }, 'arguments.action: must be a string'],
])('a request with %s is sent back to the model', async (_, args, issues) => {
  expect(await requestApproval().validate(args)).toMatchObject({ ok: false, issues: expect.stringContaining(issues) })
})

test.each([null, 'all of it', 7, ['a'], { deep: { er: true } }])('%j will do as details', async details => {
  const args = { action: 'go', reason: 'asked to', details }
  expect(await requestApproval().validate(args)).toEqual({ ok: true, value: args })
})
