import { expect, test } from 'vitest'
import type { ContentPart } from './part.ts'
import { contentText, sizeText } from './part-words.ts'

const DATA = 'A'.repeat(16 * 1024)

test.each<[ContentPart, string]>([
  [{ type: 'text', text: 'hi' }, 'hi'],
  [{ type: 'image', media_type: 'image/png', data: DATA }, '[image image/png, 12 KB]'],
  [
    { type: 'file', media_type: 'application/pdf', name: 'a.pdf', data: 'AAA=' },
    '[file a.pdf, application/pdf, 2 bytes]',
  ],
  [{ type: 'image', media_type: 'image/*', url: 'https://example.com/a' }, '[image image/*, https://example.com/a]'],
])('a part is told in words: %#', (part, words) => {
  expect(contentText([part])).toBe(words)
})

test('a text is itself, and thoughts and calls say nothing aloud', () => {
  expect(contentText(' hi ')).toBe(' hi ')
  expect(
    contentText([
      { type: 'reasoning', text: 'hm', metadata: null },
      { type: 'text', text: 'one' },
      { type: 'tool_call', id: 'a' },
      { type: 'text', text: 'two' },
    ]),
  ).toBe('one\ntwo')
})

test.each([
  [0, '0 bytes'],
  [1023, '1023 bytes'],
  [1024, '1 KB'],
  [1536, '1.5 KB'],
  [5 * 1024 * 1024, '5 MB'],
])('%i bytes are %s', (bytes, text) => {
  expect(sizeText(bytes)).toBe(text)
})
