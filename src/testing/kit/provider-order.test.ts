import { describe, expect, test } from 'vitest'
import { checkAnthropicOrder, checkOpenAiOrder } from './provider-order.ts'

const user = (content: unknown = 'hello') => ({ role: 'user', content })
const call = (id: string, text = '{}', name = 'refund') => ({
  id,
  type: 'function',
  function: { name, arguments: text },
})
const calls = (...ids: string[]) => ({ role: 'assistant', content: null, tool_calls: ids.map(id => call(id)) })
const result = (id: string, content: unknown = 'done') => ({ role: 'tool', tool_call_id: id, content })

describe('an OpenAI request', () => {
  const VALID = {
    'a conversation with a system message': [
      { role: 'system', content: 'Be brief.' },
      user(),
      { role: 'assistant', content: 'Hi.' },
    ],
    'calls that are answered in order': [
      user(),
      calls('a', 'b'),
      result('a'),
      result('b', ''),
      calls('c'),
      result('c'),
    ],
    'text beside a call': [user(), { ...calls('a'), content: 'Let me look.' }, result('a'), user('and then?')],
    'content in parts': [
      user([{ type: 'text', text: 'hello' }]),
      calls('a'),
      result('a', [{ type: 'text', text: 'done' }]),
    ],
  }
  test.each(Object.entries(VALID))('is valid with %s', (_name, messages) => {
    expect(checkOpenAiOrder({ messages })).toEqual([])
  })

  const INVALID: Record<string, [unknown[], RegExp]> = {
    'no messages': [[], /at least one message/],
    'a long id': [[user(), calls('c'.repeat(41)), result('c'.repeat(41))], /40 characters at most/],
    'a call without a result': [[user(), calls('a')], /tool call a has no result/],
    'a result that is missing': [[user(), calls('a', 'b'), result('a')], /^the end: tool call b has no result/],
    'a message before the result': [
      [user(), calls('a'), user('wait'), result('a')],
      /messages\[2\]: tool call a has no result directly after it/,
    ],
    'a result that comes too late': [
      [user(), calls('a'), user('wait'), result('a')],
      /messages\[3\]: the result of tool call a comes too late/,
    ],
    'results out of call order': [
      [user(), calls('a', 'b'), result('b'), result('a')],
      /result for b out of call order, a comes first/,
    ],
    'a call that is answered twice': [[user(), calls('a'), result('a'), result('a')], /a is answered twice/],
    'a result that nobody called for': [[user(), result('a')], /result for a, which nobody called/],
    'an id used twice in one message': [[user(), calls('a', 'a'), result('a'), result('a')], /id a is used twice/],
    'an id used again later': [[user(), calls('a'), result('a'), calls('a'), result('a')], /id a is used twice/],
    'broken arguments': [
      [user(), { role: 'assistant', tool_calls: [call('a', '{broken')] }, result('a')],
      /text of a JSON object/,
    ],
    'arguments that are no object': [
      [user(), { role: 'assistant', tool_calls: [call('a', '[1]')] }, result('a')],
      /text of a JSON object/,
    ],
    'an empty list of calls': [[user(), { role: 'assistant', content: 'Hi.', tool_calls: [] }], /a list with a call/],
    'an empty user message': [[user('')], /content must not be empty/],
    'an empty assistant message': [[user(), { role: 'assistant', content: '' }], /content must not be empty/],
    'an assistant message without content': [
      [user(), { role: 'assistant', content: null }],
      /content must not be empty/,
    ],
    'a result that is no text': [[user(), calls('a'), result('a', { ok: true })], /content must be text/],
    'a name no tool may have': [
      [user(), { role: 'assistant', tool_calls: [call('a', '{}', 'pay back')] }, result('a')],
      /pay back is no name/,
    ],
    'an unknown role': [[{ role: 'agent_question', content: 'Which?' }], /unknown role agent_question/],
    'something that is no message': [['hello'], /expected an object/],
  }
  test.each(Object.entries(INVALID))('is refused with %s', (_name, [messages, violation]) => {
    expect(checkOpenAiOrder({ messages })).toContainEqual(expect.stringMatching(violation))
  })

  test('that is no object is refused', () => {
    expect(checkOpenAiOrder(null)).toHaveLength(1)
  })
})

describe('an Anthropic request', () => {
  const use = (id: string, input: unknown = {}, name = 'refund') => ({ type: 'tool_use', id, name, input })
  const given = (id: string, content: unknown = 'done') => ({ type: 'tool_result', tool_use_id: id, content })
  const text = (words: string) => ({ type: 'text', text: words })
  const assistant = (...content: unknown[]) => ({ role: 'assistant', content })

  const VALID = {
    'a conversation': [user(), assistant(text('Hi.')), user('and then?')],
    'calls that are answered in order': [
      user(),
      assistant(text('Let me look.'), use('a'), use('b')),
      user([given('a'), given('b', '')]),
    ],
    'text after the results': [user(), assistant(use('a')), user([given('a', [text('done')]), text('and then?')])],
  }
  test.each(Object.entries(VALID))('is valid with %s', (_name, messages) => {
    expect(checkAnthropicOrder({ messages, system: [text('Be brief.')] })).toEqual([])
  })

  const INVALID: Record<string, [unknown[], RegExp]> = {
    'no messages': [[], /at least one message/],
    'an assistant first': [[assistant(text('Hi.')), user()], /first message must be from the user/],
    'an assistant last': [[user(), assistant(text('Hi.'))], /last message must be from the user/],
    'two messages of one role in a row': [[user(), user()], /messages\[1\]: roles must alternate/],
    'a system message in between': [
      [user(), { role: 'system', content: 'Now in French.' }, user()],
      /unknown role system/,
    ],
    'a call without a result': [
      [user(), assistant(use('a')), user('go on')],
      /tool call a has no result directly after it/,
    ],
    'a result that is missing': [
      [user(), assistant(use('a'), use('b')), user([given('a')])],
      /tool call b has no result/,
    ],
    'results out of call order': [
      [user(), assistant(use('a'), use('b')), user([given('b'), given('a')])],
      /out of call order/,
    ],
    'text before a result': [
      [user(), assistant(use('a')), user([text('so:'), given('a')])],
      /must stand before everything else/,
    ],
    'a call that is answered twice': [[user(), assistant(use('a')), user([given('a'), given('a')])], /answered twice/],
    'a result that comes too late': [
      [user(), assistant(use('a')), user('wait'), assistant(text('ok')), user([given('a')])],
      /too late/,
    ],
    'a result that nobody called for': [[user([given('a')])], /which nobody called/],
    'an id used again': [
      [user(), assistant(use('a')), user([given('a')]), assistant(use('a')), user([given('a')])],
      /used twice/,
    ],
    'an id of other characters': [[user(), assistant(use('call.1')), user([given('call.1')])], /may only have letters/],
    'an input that is no object': [[user(), assistant(use('a', '{}')), user([given('a')])], /input must be an object/],
    'a blank text': [[user(), assistant(text(' \n')), user()], /content must not be empty/],
    'an empty message': [[user([])], /content must not be empty/],
    'a call by the user': [[user([use('a')])], /tool_use belongs to the assistant/],
    'a result by the assistant': [[user(), assistant(use('a'), given('a')), user()], /tool_result belongs to the user/],
  }
  test.each(Object.entries(INVALID))('is refused with %s', (_name, [messages, violation]) => {
    expect(checkAnthropicOrder({ messages })).toContainEqual(expect.stringMatching(violation))
  })

  test('with a blank system text is refused', () => {
    expect(checkAnthropicOrder({ messages: [user()], system: '' })).toEqual(['system: content must not be empty'])
  })
})
