import { expect, test } from 'vitest'
import { keptNumbers } from './kept-numbers.ts'
import { keptInBody } from './web-transport.ts'

const answer = (result: string) => `{"jsonrpc":"2.0","id":1,"result":${result}}`

test.each([
  ['{"structuredContent":{"id":1234567890123456789}}', '{"structuredContent":{"id":"1234567890123456789"}}'],
  ['{"content":[],"structuredContent":[1e999,-1e999]}', '{"content":[],"structuredContent":["1e999","-1e999"]}'],
  ['{"content":[{"size":12345678901234567890}]}', '{"content":[{"size":"12345678901234567890"}]}'],
  ['{"structuredContent":{"a":9007199254740993}}', '{"structuredContent":{"a":"9007199254740993"}}'],
])('the result %s keeps its numbers as text', (written, kept) => {
  expect(keptNumbers(answer(written))).toBe(answer(kept))
})

test.each([
  ['a number that is held', answer('{"structuredContent":{"id":9007199254740991,"x":0.1,"y":1e20}}')],
  ['digits in a text', answer('{"content":[{"text":"id 1234567890123456789, 1e999, \\" 1e999"}]}')],
  ['a bound in a schema', answer('{"tools":[{"inputSchema":{"maximum":18446744073709551615}}]}')],
  ['what is no JSON', '1234567890123456789 and "content"'],
])('%s stays as it is', (_, message) => {
  expect(keptNumbers(message)).toBe(message)
})

const WRITTEN = answer('{"structuredContent":{"id":1234567890123456789}}')
const KEPT = answer('{"structuredContent":{"id":"1234567890123456789"}}')

test.each([
  ['application/json', WRITTEN, KEPT],
  ['application/json; charset=utf-8', WRITTEN.replace('{', '{\n  '), KEPT.replace('{', '{\n  ')],
  [
    'text/event-stream',
    `id: 1234567890123456789\ndata: ${WRITTEN}\n\n: 1e999\r\n`,
    `id: 1234567890123456789\ndata: ${KEPT}\n\n: 1e999\r\n`,
  ],
  ['text/event-stream', `data:${WRITTEN}`, `data:${KEPT}`],
  ['text/html', WRITTEN, WRITTEN],
])('a body of %s keeps them however it arrives', async (type, written, kept) => {
  for (const size of [1, 7, 1_000]) {
    const bytes = new TextEncoder().encode(written)
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
      bytes.slice(n * size, (n + 1) * size),
    )
    const body = ReadableStream.from(chunks) as ReadableStream<Uint8Array>
    expect(await new Response(body.pipeThrough(keptInBody(type))).text()).toBe(kept)
  }
})
