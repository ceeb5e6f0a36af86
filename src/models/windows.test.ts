import { expect, test } from 'vitest'
import { windowOf } from './windows.ts'

test.each([
  ['anthropic/claude-sonnet-4-5', 200_000],
  ['anthropic.messages/claude-3-5-haiku-20241022', 200_000],
  ['openai/gpt-5-mini', 400_000],
  ['openai/gpt-5-chat-latest', 128_000],
  ['openai/gpt-4o', 128_000],
  ['openai/o3', 200_000],
  ['google/gemini-2.5-flash', 1_048_576],
  ['openai-compatible/llama3.2', null],
  ['script:script.json', null],
  ['anthropic/claude-test', null],
])('the window of %s is %s', (id, tokens) => {
  expect(windowOf(id)).toBe(tokens)
})
