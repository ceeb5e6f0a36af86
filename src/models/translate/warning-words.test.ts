import { expect, test } from 'vitest'
import { warningWords } from './warning-words.ts'

test.each([
  [
    { type: 'unsupported' as const, feature: 'temperature', details: 'not with reasoning' },
    'temperature: not with reasoning',
  ],
  [{ type: 'unsupported-setting', setting: 'seed' }, 'seed'],
  [{ type: 'deprecated' as const, setting: 'a', message: 'use b' }, 'a: use b'],
  [{ type: 'other' as const, message: 'sent as none' }, 'sent as none'],
  [{ type: 'compatibility' as const, feature: 'maxOutputTokens', details: 'The model is unknown.' }, null],
  [{ type: 'other' as const, message: 'Non-OpenAI reasoning parts are not supported. Skipping: {"text":"…"}.' }, null],
  [{ type: 'other' as const, message: 'Replayed 1 `functionCall` part(s) without a `thoughtSignature`.' }, null],
])('%j is told as %j', (warning, words) => {
  expect(warningWords(warning)).toBe(words)
})
