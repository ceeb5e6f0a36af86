import fc from 'fast-check'
import { expect, test } from 'vitest'
import { imageFacts } from './image-facts.ts'

const latin = (text: string) => Uint8Array.from(text, character => character.charCodeAt(0))
const u16 = (value: number) => String.fromCharCode(value >> 8, value & 255)
const u32 = (value: number) => u16(Math.floor(value / 65_536)) + u16(value % 65_536)
const le = (value: number, count: number) =>
  Array.from({ length: count }, (_, index) => String.fromCharCode(Math.floor(value / 256 ** index) % 256)).join('')

const png = (width: number, height: number) => `\x89PNG\r\n\x1a\n${u32(13)}IHDR${u32(width)}${u32(height)}\x08\x02`
const gif = (width: number, height: number) => `GIF89a${le(width, 2)}${le(height, 2)}\xf7`
const frame = (width: number, height: number, marker = '\xc0') =>
  `\xff${marker}${u16(17)}\x08${u16(height)}${u16(width)}\x03`
const segment = (marker: string, length: number) => `\xff${marker}${u16(length)}${'x'.repeat(length - 2)}`
const riff = (chunk: string) => `RIFF${le(chunk.length + 4, 4)}WEBP${chunk}`
const extended = (width: number, height: number) =>
  riff(`VP8X${le(10, 4)}\x10\0\0\0${le(width - 1, 3)}${le(height - 1, 3)}`)
const lossy = (width: number, height: number) => riff(`VP8 ${le(99, 4)}abc\x9d\x01\x2a${le(width, 2)}${le(height, 2)}`)
const lossless = (width: number, height: number) =>
  riff(`VP8L${le(99, 4)}\x2f${le(width - 1 + (height - 1) * 16_384, 4)}`)

const sides = fc.tuple(fc.integer({ min: 1, max: 16_383 }), fc.integer({ min: 1, max: 16_383 }))

test.each([
  ['image/png', png],
  ['image/gif', gif],
  ['image/webp', extended],
  ['image/webp', lossy],
  ['image/webp', lossless],
  ['image/jpeg', (width: number, height: number) => `\xff\xd8${frame(width, height)}`],
  [
    'image/jpeg',
    (width: number, height: number) => `\xff\xd8${segment('\xe1', 65_000)}${frame(width, height, '\xc2')}`,
  ],
  ['image/jpeg', (width: number, height: number) => `\xff\xd8${segment('\xc4', 30)}\xff\xff${frame(width, height)}`],
] as const)('an image of %s has the size that its header says', (media_type, made) => {
  fc.assert(
    fc.property(sides, ([width, height]) => {
      expect(imageFacts(latin(made(width, height)))).toEqual({ media_type, width, height })
    }),
    { numRuns: 50 },
  )
})

test.each([
  ['nothing', ''],
  ['a text', 'Hello.'],
  ['an SVG', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
  ['a BMP', 'BM6\0\0\0'],
  ['a TIFF', 'II*\0\x08\0\0\0'],
  ['a HEIC', '\0\0\0\x18ftypheic'],
  ['a PDF', '%PDF-1.7'],
  ['a sound in RIFF', `RIFF${le(36, 4)}WAVEfmt `],
  ['a PNG without its header', '\x89PNG\r\n\x1a\n'],
  ['a PNG of no width', png(0, 5)],
  ['a JPEG that ends before its frame', `\xff\xd8${segment('\xe0', 16)}`],
  ['a JPEG with a segment of no length', '\xff\xd8\xff\xe0\0\0\xff\xc0'],
  ['a WebP that is cut', extended(9, 9).slice(0, 28)],
])('%s is no image that providers read', (_what, bytes) => {
  expect(imageFacts(latin(bytes))).toBeNull()
})

test('whatever the bytes are, they are read to an end', () => {
  const jpeg = fc.uint8Array({ maxLength: 400 }).map(bytes => Uint8Array.from([0xff, 0xd8, 0xff, ...bytes]))
  fc.assert(fc.property(fc.oneof(fc.uint8Array({ maxLength: 400 }), jpeg), bytes => void imageFacts(bytes)))
})
