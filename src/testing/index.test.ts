import { expect, test } from 'vitest'
import { checkAnthropicOrder, checkOpenAiOrder, handClock, scriptedModel } from './index.ts'

test('a scripted model of the kit says its turns, chosen by the answers so far', async () => {
  const model = scriptedModel(['One.', { text: 'Two.', calls: [{ name: 'go' }] }])
  const ask = (answers: number) =>
    model.answer({
      system: null,
      messages: Array.from({ length: answers }, () => ({ role: 'assistant', content: 'x', tool_calls: [] })),
      tools: [],
      signal: new AbortController().signal,
      onPart: () => {},
    })
  expect([(await ask(0)).text, (await ask(1)).calls.map(({ name }) => name), (await ask(2)).text]).toEqual([
    'One.',
    ['go'],
    '(script ended)',
  ])
})

test('a script that is none is refused', () => {
  expect(() => scriptedModel([{ texts: 'typo' } as never])).toThrow(expect.objectContaining({ code: 'invalid_script' }))
})

test('the kit has a clock and the checkers of both wires', () => {
  expect(handClock(7).now()).toBe(7)
  const orphan = { role: 'tool', tool_call_id: 'a', content: '' }
  expect(checkOpenAiOrder({ messages: [orphan] })).not.toEqual([])
  expect(checkAnthropicOrder({ messages: [orphan] })).not.toEqual([])
})
