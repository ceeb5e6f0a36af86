import { expect, test } from 'vitest'
import { aCall, aJournal, anEvent } from '../../testing/contracts/sample-journal.ts'
import { fold } from '../journal/fold.ts'
import { answerContent, partsBeside } from './answer-content.ts'
import type { AnswerPart } from './part.ts'

const think = (text: string): AnswerPart => ({ type: 'reasoning', text, metadata: { anthropic: { signature: text } } })
const say = (text: string): AnswerPart => ({ type: 'text', text })
const call = (id: string): AnswerPart => ({ type: 'tool_call', id })

/** What an answer in this order is after it was stored. */
function stored(parts: readonly AnswerPart[]) {
  const text = parts.map(part => (part.type === 'text' ? part.text : '')).join('')
  const calls = parts.flatMap(part => (part.type === 'tool_call' ? [aCall(part.id)] : []))
  const beside = partsBeside(parts)
  return { beside, content: answerContent({ text, calls, ...(beside && { parts: beside }) }) }
}

test('an answer without thoughts is stored as its text and its calls', () => {
  expect(stored([say('hi'), call('a')])).toEqual({ beside: null, content: 'hi' })
})

test('of thoughts that come first nothing is stored twice', () => {
  const parts = [think('1'), think('2'), say('hi'), call('a'), call('b')]
  expect(stored(parts)).toEqual({ beside: [think('1'), think('2')], content: parts })
})

test('texts with metadata are stored in their places', () => {
  const parts = [think('1'), { ...say('hi'), metadata: { openai: { phase: 'commentary' } } }, call('a')]
  expect(stored(parts)).toEqual({ beside: parts, content: parts })
})

test.each([
  [[think('1'), say('one'), think('2'), say('two'), call('a')]],
  [[say('one'), think('1'), call('a')]],
  [[think('1'), call('a'), think('2'), call('b')]],
  [[think('1')]],
])('thoughts keep their place: %j', parts => {
  expect(stored(parts).content).toEqual(parts)
})

test('a call that a plugin took back has no place, and one that it added comes last', () => {
  const parts = [think('1'), call('gone'), call('a')]
  expect(answerContent({ text: '', calls: [aCall('b'), aCall('a')], parts })).toEqual([
    think('1'),
    call('a'),
    call('b'),
  ])
})

test('the message of an answer has its thoughts, and the text of its step has not', () => {
  const answered = anEvent('model.answered', { text: 'hi', calls: [], parts: [think('1')] })
  const { messages, run } = fold('th_1', aJournal([anEvent('run.started'), anEvent('step.started'), answered]))
  expect(messages).toEqual([{ role: 'assistant', content: [think('1'), say('hi')], tool_calls: [] }])
  expect(run?.answer).toBe('hi')
})
