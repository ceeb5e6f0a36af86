import { expect, test } from 'vitest'
import { PROVIDERS } from './providers.ts'

test.each([
  ['openai', 'https://api.openai.com/v1', 'openai_responses'],
  ['openai', 'https://eu.api.openai.com/v1', 'openai_responses'],
  ['openai', 'https://api.openai.com.example.com/v1', 'openai_chat'],
  ['openai', 'http://localhost:11434/v1', 'openai_chat'],
  ['openai-responses', 'https://gateway.example.com/v1', 'openai_responses'],
  ['openai-chat', 'https://api.openai.com/v1', 'openai_chat'],
])('%s at %s is asked over %s', async (name, baseURL, wire) => {
  const provider = PROVIDERS[name]
  expect(provider?.wireAt(baseURL)).toBe(wire)
  const model = await provider?.load('gpt-5', { baseURL, apiKey: 'k' })
  expect(model?.provider).toBe(wire.replace('_', '.'))
})
