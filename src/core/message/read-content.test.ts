import { expect, test } from 'vitest'
import { DEFAULT_MESSAGE_LIMITS, type MessageLimits, readMessageLimits } from './limits.ts'
import { readContent } from './read-content.ts'

const PNG = 'iVBORw0KGgo='
const image = { type: 'image', media_type: 'image/png', data: PNG }
const read = (value: unknown, limits: Partial<MessageLimits> = {}) =>
  readContent(value, { ...DEFAULT_MESSAGE_LIMITS, ...limits })

test.each([
  ['a text', 'hi', 'hi'],
  ['a lone text, which is written as a text', [{ type: 'text', text: 'hi' }], 'hi'],
  ['an image with a text', [{ type: 'text', text: 'see' }, image], [{ type: 'text', text: 'see' }, image]],
  ['an image beside a blank text, which providers refuse', [{ type: 'text', text: ' ' }, image], [image]],
  [
    'an image by its address',
    [{ type: 'image', url: 'https://example.com/a.png' }],
    [{ type: 'image', media_type: 'image/*', url: 'https://example.com/a.png' }],
  ],
  ['an image in a data: URL', [{ type: 'image', url: `data:image/png;base64,${PNG}` }], [image]],
  [
    'a file with a name',
    [{ type: 'file', media_type: 'Application/PDF', name: 'a b.pdf', data: PNG }],
    [{ type: 'file', media_type: 'application/pdf', name: 'a b.pdf', data: PNG }],
  ],
])('%s is taken', (_what, given, taken) => {
  expect(read(given)).toEqual(taken)
})

test.each([
  ['', 'empty_message', 'empty'],
  [' \n', 'empty_message', 'empty'],
  [[], 'empty_message', 'empty'],
  [[{ type: 'text', text: ' ' }], 'empty_message', 'empty'],
  [undefined, 'empty_message', 'empty'],
  [[image, 'hi'], 'invalid_message', 'parts[1] must be an object'],
  [[{ type: 'video' }], 'invalid_message', 'parts[0] has the type "video"; possible are text, image, file'],
  [[{ type: 'toString' }], 'invalid_message', 'parts[0] has the type "toString"'],
  [[{ type: 'text' }], 'invalid_message', 'parts[0] needs text'],
  [[{ type: 'text', text: 'a', mediaType: 'x' }], 'invalid_message', 'unknown key "mediaType"'],
  [[{ type: 'image', media_type: 'image/png' }], 'invalid_message', 'needs data (base64) or url'],
  [[{ ...image, url: 'https://a' }], 'invalid_message', 'needs data (base64) or url'],
  [[{ type: 'image', data: PNG }], 'invalid_message', 'needs a media_type like image/png'],
  [[{ ...image, media_type: 'png' }], 'invalid_message', 'needs a media_type'],
  [[{ ...image, media_type: 'image/*' }], 'invalid_message', 'needs its exact media_type'],
  [[{ ...image, media_type: 'application/pdf' }], 'invalid_message', 'send it as a file'],
  [[{ ...image, data: 'no base64!' }], 'invalid_message', 'data that is no base64'],
  [[{ ...image, data: 'abc' }], 'invalid_message', 'data that is no base64'],
  [[{ ...image, data: '' }], 'invalid_message', 'data that is no base64'],
  [[{ ...image, name: 'a\nb' }], 'invalid_message', 'has a name that is no text'],
  [[{ type: 'image', url: 'file:///etc/passwd' }], 'invalid_message', 'no http or https address'],
  [[{ type: 'file', url: 'https://example.com/a' }], 'invalid_message', 'needs a media_type like application/pdf'],
])('%j is refused with the place', (given, code, problem) => {
  expect(() => read(given)).toThrow(expect.objectContaining({ code, message: expect.stringContaining(problem) }))
})

test.each([
  ['too many parts', [image, image], { parts: 1 }, 'parts has 2 parts, and the limit is 1'],
  ['a part that is too large', [image], { partBytes: 7 }, 'parts[0] has 8 bytes, and the limit is 7 bytes'],
  [
    'parts that are too large together',
    [image, image],
    { totalBytes: 15 },
    'has 16 bytes together, and the limit is 15',
  ],
  ['a text that is too large', 'a'.repeat(9), { partBytes: 8 }, 'text has 9 bytes'],
  ['a text of characters that take several bytes', 'ä€😀', { partBytes: 8 }, 'text has 9 bytes'],
])('%s is refused with the limit', (_what, given, limits, problem) => {
  expect(() => read(given, limits)).toThrow(
    expect.objectContaining({ code: 'message_too_large', message: expect.stringContaining(problem) }),
  )
})

test('what just fits is taken', () => {
  expect(read([image, image], { parts: 2, partBytes: 8, totalBytes: 16 })).toHaveLength(2)
  expect(read('ä€😀', { partBytes: 9 })).toBe('ä€😀')
})

test('a limit that is left out has its default, and another one is refused', () => {
  expect(readMessageLimits({ parts: 3 })).toEqual({ ...DEFAULT_MESSAGE_LIMITS, parts: 3 })
  expect(readMessageLimits({ part_bytes: 3 })).toEqual(readMessageLimits({ partBytes: 3 }))
  expect(() => readMessageLimits({ bytes: 3 })).toThrow('known keys are parts, part_bytes, total_bytes')
  expect(() => readMessageLimits({ parts: 0 })).toThrow('message_limits.parts must be a whole number from 1')
  expect(() => readMessageLimits([])).toThrow('must be an object')
})
