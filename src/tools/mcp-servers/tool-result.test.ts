import { expect, test } from 'vitest'
import { isToolParts, toolParts } from '../../core/message/tool-parts.ts'
import { toolResult } from './tool-result.ts'

type Result = Parameters<typeof toolResult>[0]

function json(result: Partial<Result>) {
  return toolResult({ content: [], ...result }, text => text)
}

const text = (said: string) => ({ type: 'text' as const, text: said })

test('texts are one text, and nothing is null', () => {
  expect(json({ content: [text('a'), text('b')] })).toBe('a\nb')
  expect(json({})).toBe(null)
})

test('structured content replaces the text that repeats it, and is given with everything else', () => {
  expect(json({ content: [text('{"a":1}')], structuredContent: { a: 1 } })).toEqual({ a: 1 })
  const drawing = { type: 'image' as const, data: 'AAAA', mimeType: 'image/svg+xml' }
  expect(json({ content: [text('x'), drawing], structuredContent: { a: 1 } })).toEqual({
    structured_content: { a: 1 },
    content: ['x', { type: 'image', mime_type: 'image/svg+xml', bytes: 3, left_out: true }],
  })
})

test('sound is a file, which models that hear are sent', () => {
  const audio = (mimeType: string, data: string) => ({ type: 'audio' as const, data, mimeType })
  expect(json({ content: [text('x'), audio('audio/wav', 'AAAA')] })).toEqual(
    toolParts([
      { type: 'text', text: 'x' },
      { type: 'file', media_type: 'audio/wav', data: 'AAAA' },
    ]),
  )
  for (const odd of [audio('text/html', 'AAAA'), audio('audio/wav', '!'), audio('audio/', 'AAAA')])
    expect(isToolParts(json({ content: [odd] }))).toBe(false)
})

const link = { type: 'resource_link' as const, uri: 'file:///a', name: 'a' }
const resource = (given: { text: string } | { blob: string }, mimeType?: string, uri = 'file:///b/c.bin') => ({
  type: 'resource' as const,
  resource: { uri, ...(mimeType !== undefined && { mimeType }), ...given },
})
const base64 = (text: string) => Buffer.from(text).toString('base64')

test('a link to a resource is one line, and the text of a resource is text', () => {
  const described = { ...link, mimeType: 'text/plain', description: 'The first\n\nletter' }
  expect(json({ content: [text('See:'), link, described, resource({ text: 'b\nc' }, 'text/x-c')] })).toBe(
    [
      'See:',
      'Link to file:///a (a)',
      'Link to file:///a (a, text/plain): The first letter',
      'Resource file:///b/c.bin (text/x-c):\nb\nc',
    ].join('\n'),
  )
})

test.each([
  ['an image', 'image/PNG', { type: 'image', media_type: 'image/png', name: 'c.bin' }],
  ['sound', 'audio/wav', { type: 'file', media_type: 'audio/wav', name: 'c.bin' }],
  ['a document', 'application/pdf', { type: 'file', media_type: 'application/pdf', name: 'c.bin' }],
])('a resource whose bytes are %s is a part', (_, mimeType, part) => {
  expect(parts({ content: [resource({ blob: 'AAAA' }, mimeType)] })).toEqual([{ ...part, data: 'AAAA' }])
})

test.each(['text/csv', 'application/json', 'application/ld+json', 'application/xml; charset=utf-8'])(
  'a resource of %s that is sent as bytes is text',
  mimeType => {
    const sent = resource({ blob: base64('é,1') }, mimeType)
    expect(json({ content: [sent] })).toBe(`Resource file:///b/c.bin (${mimeType}):\né,1`)
  },
)

test.each([
  ['without a type', resource({ blob: 'AAAA' })],
  ['of a type that nothing reads', resource({ blob: 'AAAA' }, 'application/zip')],
  ['that are no text, though they are called so', resource({ blob: '//79' }, 'text/plain')],
  ['that are no base64', resource({ blob: 'a b' }, 'application/pdf')],
])('the bytes of a resource %s are described', (_, sent) => {
  expect(json({ content: [sent] })).toMatchObject({ content: [{ uri: 'file:///b/c.bin', left_out: true }] })
})

test.each([
  ['file:///a/b.txt', 'b.txt'],
  ['https://h.example/x/My File.pdf?q=/y#z', 'My File.pdf'],
  ['urn:isbn:1', undefined],
  ['file:///a/', undefined],
  ['file:///../..', undefined],
  ['file:///a/%2e%2e', undefined],
  [`file:///${'n'.repeat(200)}`, undefined],
])('the file of %s is named %s', (uri, name) => {
  expect(parts({ content: [resource({ blob: 'AAAA' }, 'application/pdf', uri)] })?.[0]).toEqual({
    ...{ type: 'file', media_type: 'application/pdf', data: 'AAAA' },
    ...(name !== undefined && { name }),
  })
})

test('whatever a server sends, a result is bounded', () => {
  const long = 'é'.repeat(200_000)
  const many = Array.from({ length: 5000 }, (_, index) => ({
    type: 'image' as const,
    data: 'A'.repeat(8),
    mimeType: `image/${index}`,
  }))
  for (const result of [
    json({ content: [text(long), text(long)] }),
    json({ structuredContent: { long } }),
    json({ content: [text(long), ...many] }),
    json({
      content: Array.from({ length: 50 }, () => ({ type: 'resource' as const, resource: { uri: 'x', text: long } })),
    }),
  ])
    expect(JSON.stringify(result).length).toBeLessThan(200_000)
  expect(json({ structuredContent: { long } })).toMatchObject({ too_long: true, bytes: 400_011 })
})

test('an error of the tool is one of the call, with its words', () => {
  expect(() => json({ isError: true, content: [text('no such note')] })).toThrow('no such note')
  expect(() => json({ isError: true, structuredContent: { code: 4 } })).toThrow('{"code":4}')
  expect(() => json({ isError: true })).toThrow('said nothing more')
})

const image = { type: 'image' as const, data: 'iVBORw0KGgo=', mimeType: 'image/png' }
const shown = { type: 'image', media_type: 'image/png', data: 'iVBORw0KGgo=' }

/** The parts of a result; `null` if it is plain JSON. */
function parts(result: Partial<Result>) {
  const given = json(result)
  return isToolParts(given) ? given.parts : null
}

test('an image is a part among the others, in their order', () => {
  expect(parts({ content: [text('a cat'), image, link] })).toEqual([
    { type: 'text', text: 'a cat' },
    shown,
    { type: 'text', text: 'Link to file:///a (a)' },
  ])
  expect(parts({ content: [text('{"a":1}'), image], structuredContent: { a: 1 } })).toEqual([
    { type: 'text', text: '{"a":1}' },
    shown,
  ])
})

test.each([
  ['of a type that some providers refuse', [{ ...image, mimeType: 'image/svg+xml' }]],
  ['that are no base64', [{ ...image, data: 'a b' }]],
  ['beyond the limit of parts', Array.from({ length: 20 }, () => image)],
  ['beyond the limit of bytes', [{ ...image, data: 'A'.repeat(8 * 1024 * 1024) }]],
])('images %s are described, and fail nothing', (_what, content) => {
  expect(parts({ content })).toBe(null)
  expect(json({ content })).toMatchObject({ content: content.map(() => ({ left_out: true })) })
})

test('half a character is mended also where structured content becomes a text', () => {
  const structuredContent = { 'a\ud83d': ['\ude00'] }
  const mended = '{"a\ufffd":["\ufffd"]}'
  expect(json({ structuredContent })).toEqual(JSON.parse(mended))
  expect(() => json({ isError: true, structuredContent })).toThrow(mended)
  expect(parts({ content: [image], structuredContent })?.[0]).toEqual({ type: 'text', text: mended })
})
