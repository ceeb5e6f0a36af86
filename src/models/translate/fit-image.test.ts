import { expect, test } from 'vitest'
import type { FilePart, ImagePart } from '../../core/message/part.ts'
import { fitImage, IMAGE_LIMITS } from './fit-image.ts'

/** A PNG of this size, with as many bytes. */
function png({ width = 1, height = 1, bytes = 26 } = {}): string {
  const data = Buffer.alloc(bytes)
  data.write('\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR', 'latin1')
  data.writeUInt32BE(width, 16)
  data.writeUInt32BE(height, 20)
  return data.toString('base64')
}

const image = (data: string, media_type = 'image/png'): ImagePart => ({
  type: 'image',
  media_type,
  name: 'a.png',
  data,
})

test('an image that providers take is the very same part', () => {
  const { side, encodedBytes } = IMAGE_LIMITS
  for (const data of [png(), png({ width: side, height: side }), png({ bytes: (encodedBytes * 3) / 4 })]) {
    const part = image(data)
    expect(fitImage(part)).toBe(part)
  }
})

test.each([
  ['image/jpeg', 'a.png'],
  ['image/jpg', 'a.png'],
  ['image/svg+xml', 'a.png'],
])('a PNG that is called %s is sent as what it is', media_type => {
  expect(fitImage(image(png(), media_type))).toEqual(image(png()))
  const file: FilePart = { type: 'file', media_type, data: png() }
  expect(fitImage(file)).toEqual({ ...file, media_type: 'image/png' })
})

const base64 = (text: string) => Buffer.from(text, 'latin1').toString('base64')

test.each([
  [
    'one byte more than 5 MB in base64',
    image(png({ bytes: (IMAGE_LIMITS.encodedBytes * 3) / 4 + 1 })),
    'larger than the 3.8 MB',
  ],
  ['4.9 MB', image(png({ bytes: 4_900_000 })), 'larger than the 3.8 MB'],
  ['8,001 pixels', image(png({ width: 8_001 })), 'its 8001 by 1 pixels are more than 8000 a side'],
  ['a tall one', image(png({ height: 1_000_000 })), 'its 1 by 1000000 pixels'],
  ['an SVG', image(base64('<svg/>'), 'image/svg+xml'), 'no PNG, JPEG, GIF or WebP'],
  ['a HEIC', image(base64('\0\0\0\x18ftypheic'), 'image/heic'), 'no PNG, JPEG, GIF or WebP'],
  ['a BMP in a file part', { type: 'file', media_type: 'image/bmp', data: base64('BM6') } as FilePart, 'no PNG, JPEG'],
  ['a text that is called a PNG', image(base64('Not found')), 'no PNG, JPEG, GIF or WebP'],
  ['the beginning of a PNG', image(base64('\x89PNG\r\n\x1a\n')), 'that can be read'],
])('%s is left out with a note that says why', (_what, part, why) => {
  const fitted = fitImage(part)
  expect(fitted).toMatchObject({ type: 'text', text: expect.stringContaining(why) })
  expect(fitImage(part)).toEqual(fitted)
  expect(JSON.stringify(fitted).length).toBeLessThan(300)
})

test('the frame of a JPEG is found behind more than the first bytes', () => {
  const segments = Array.from({ length: 3 }, () => `\xff\xe1\xff\xff${'x'.repeat(65_533)}`)
  const jpeg = image(base64(`\xff\xd8${segments.join('')}\xff\xc0\0\x11\x08\0\x02\x1f\x41\x03`), 'image/jpeg')
  expect(fitImage(jpeg)).toMatchObject({ type: 'text', text: expect.stringContaining('8001 by 2 pixels') })
})

test('an address, and a file that is no image, are left alone', () => {
  const parts: (ImagePart | FilePart)[] = [
    { type: 'image', media_type: 'image/*', url: 'https://example.com/a.bmp' },
    { type: 'file', media_type: 'application/pdf', data: base64('%PDF-1.7') },
  ]
  for (const part of parts) expect(fitImage(part)).toBe(part)
})
