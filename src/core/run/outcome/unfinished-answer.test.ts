import { expect, test } from 'vitest'
import { askedAgainText, endOfAnswer, endsUnfinished, unfinishedIn } from './unfinished-answer.ts'

const CALLS = [{}]

test.each([
  ['stop', 'Done.', [], null],
  ['stop', '', CALLS, null],
  ['tool-calls', '', CALLS, null],
  ['tool_calls', 'I call.', CALLS, null],
  ['other', 'Done.', [], null],
  ['unknown', 'Done.', CALLS, null],
  ['toString', 'Done.', [], null],
  ['length', 'Half', [], 'length'],
  ['length', '', [], 'length'],
  ['length', 'Half', CALLS, 'length'],
  ['max_tokens', '', CALLS, 'length'],
  ['MAX_TOKENS', 'Half', [], 'length'],
  ['content-filter', '', [], 'content_filter'],
  ['content_filter', 'Half', CALLS, 'content_filter'],
  ['refusal', 'No.', [], 'content_filter'],
  ['pause_turn', 'I search.', [], 'pause_turn'],
  ['pause_turn', '', [], 'pause_turn'],
  ['pause_turn', '', CALLS, null],
  ['stop', '', [], 'empty_answer'],
  ['stop', ' \n\u00a0', [], 'empty_answer'],
  ['tool-calls', '', [], 'empty_answer'],
  ['', '', [], 'empty_answer'],
  ['done', '', [], null],
] as const)('an answer that ends by %j with text %j and calls %j is %j', (finish_reason, text, calls, unfinished) => {
  expect(unfinishedIn({ text, calls, finish_reason })).toBe(unfinished)
})

test.each([
  [null, 'stop', { type: 'natural_end' }],
  [null, 'done', { type: 'natural_end' }],
  [null, '', { type: 'natural_end' }],
  // Older journals have the reason alone.
  [null, 'content-filter', { type: 'stopped', code: 'content_filter' }],
  ['length', 'length', { type: 'stopped', code: 'length' }],
  ['empty_answer', 'stop', { type: 'stopped', code: 'empty_answer' }],
] as const)('a run ends by an answer that is %j and says %j', (unfinished, finish_reason, end) => {
  const termination = endOfAnswer({ unfinished, finish_reason })
  expect(termination).toMatchObject(end)
  expect(endsUnfinished(termination)).toBe(end.type === 'stopped')
})

test('a limit of the run is no answer that is not whole', () => {
  expect(endsUnfinished({ type: 'stopped', code: 'max_rounds', detail: null })).toBe(false)
})

test('the model is told each fault in other words', () => {
  const texts = (['length', 'content_filter', 'empty_answer', 'pause_turn'] as const).map(askedAgainText)
  expect(new Set(texts).size).toBe(4)
})
