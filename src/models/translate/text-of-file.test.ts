import { expect, test } from 'vitest'
import { textOfFile } from './text-of-file.ts'

const read = (bytes: Uint8Array | string, media_type = 'application/octet-stream', name = 'a.bin') =>
  textOfFile({ type: 'file', media_type, name, data: Buffer.from(bytes).toString('base64') })

test.each([
  ['UTF-8 of any type', read('é\n\tend\r\n'), 'é\n\tend\r\n'],
  ['a log with colours', read('\u001b[31mred\u001b[0m'), '\u001b[31mred\u001b[0m'],
  ['UTF-16, as spreadsheets write it', read(Uint8Array.from([0xff, 0xfe, 0x61, 0, 0xe9, 0])), 'aé'],
  ['a table of Windows', read(Uint8Array.from([0x61, 0xe9]), 'text/csv'), 'aé'],
  ['a notebook that is none', read('{"a": 1}', 'application/json', 'a.ipynb'), '{"a": 1}'],
])('%s is a text', (_what, text, expected) => {
  expect(text).toBe(expected)
})

test.each([
  ['bytes of no type', Uint8Array.from([0x61, 0xe9])],
  ['a zero byte', 'a\0b'],
  ['a PDF without one', '%PDF-1.4\n'],
])('%s are no text', (_what, bytes) => {
  expect(read(bytes)).toBe(null)
})

test('an address is no text', () => {
  expect(textOfFile({ type: 'file', media_type: 'text/csv', url: 'https://example.com/a.csv' })).toBe(null)
})
