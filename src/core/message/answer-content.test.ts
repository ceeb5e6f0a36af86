import { expect, test } from 'vitest'
import { aCall, aJournal, anEvent } from '../../testing/contracts/sample-journal.ts'
import { fold } from '../journal/fold.ts'
import { answerContent, partsBeside, saysSomething } from './answer-content.ts'
import { keptParts, readAnswerParts } from './answer-parts.ts'
import type { AnswerPart } from './part.ts'
import { answerText } from './part-words.ts'

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

const page: AnswerPart = { type: 'source', id: 's1', url: 'https://a.example', title: 'A' }
const ran: AnswerPart = { type: 'provider_call', id: 'ws_1', name: 'web_search', arguments: { query: 'a' }, result: [] }
const drawn: AnswerPart = { type: 'image', media_type: 'image/png', data: 'AAAA' }

test('sources, files and calls of a provider are stored in their places, and read as lines', () => {
  const parts = [ran, say('hi'), page, drawn, call('a')]
  expect(stored(parts)).toEqual({ beside: parts, content: parts })
  expect(answerText({ text: 'hi', parts })).toBe(
    'hi\n[the provider ran web_search {"query":"a"}]\n[source A, https://a.example]\n[image image/png, 3 bytes]',
  )
})

test('an answer of a file, or of a call that its provider ran, is one; a source alone is none', () => {
  const says = (part: AnswerPart) => saysSomething({ text: '', parts: [part], calls: [] })
  expect([ran, drawn, page].map(says)).toEqual([true, true, false])
})

test('an answer brings no more files than a message may', () => {
  const limits = { parts: 2, partBytes: 10, totalBytes: 15 }
  const file = (data: string): AnswerPart => ({ type: 'file', media_type: 'text/plain', data })
  const large = file('A'.repeat(16))
  expect(keptParts([large, drawn, say('hi'), file('AAAA'), file('AAAA')], limits)).toEqual({
    parts: [drawn, say('hi'), file('AAAA')],
    lost: [expect.stringContaining('is larger than 10 bytes'), expect.stringContaining('more than 2 files')],
  })
  const [cut] = keptParts([{ ...ran, result: 'x'.repeat(100), wire: 'anthropic' } as AnswerPart], limits).parts
  expect(cut).not.toHaveProperty('wire')
  expect(JSON.stringify(cut).length).toBeLessThan(200)
})

test.each([
  [{ type: 'source', url: 'https://a.example' }],
  [{ type: 'image', media_type: 'image/png', data: 'no base64!' }],
  [{ type: 'file', media_type: 'text/plain' }],
  [{ type: 'provider_call', id: 'a' }],
])('%j of a model in code is no part', part => {
  expect(readAnswerParts([part])).toBe(null)
})

test('a model in code cannot say that its own call was permitted', () => {
  expect(readAnswerParts([{ ...ran, permitted: true, rule: 'mine', other: 1 }])).toEqual([ran])
})
