import { expect, test } from 'vitest'
import { ANTHROPIC_MANY_IMAGES, imageFaults, manyImageFaults, mediaFaults, sizeFaults } from './image-faults.ts'

function png(width: number, bytes = 26): string {
  const data = Buffer.alloc(bytes)
  data.write('\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x01\0\0\0\x01', 'latin1')
  data.writeUInt32BE(width, 16)
  return data.toString('base64')
}

test.each([
  ['image/png', png(1), []],
  ['image/png', png(8_000), []],
  ['image/png', png(8_001), [expect.stringContaining('8000 pixels')]],
  ['image/png', png(1, 3_932_160), []],
  ['image/png', png(1, 3_932_161), ['image exceeds 5 MB maximum: 5242884 bytes > 5242880 bytes']],
  ['image/jpeg', png(1), [expect.stringContaining('it appears to be image/png')]],
  ['image/png', Buffer.from('<svg/>').toString('base64'), ['Could not process image']],
])('an image of %s is judged as providers do', (media_type, data, faults) => {
  const source = { type: 'base64', media_type, data }
  const result = { type: 'tool_result', content: [{ type: 'image', source }] }
  expect(imageFaults({ messages: [{ role: 'user', content: [result] }] })).toEqual(faults)
  const image_url = { url: `data:${media_type};base64,${data}` }
  expect(imageFaults({ messages: [{ role: 'user', content: [{ type: 'image_url', image_url }] }] })).toEqual(faults)
})

test.each([
  [20, 8_000, []],
  [21, 2_000, []],
  [21, 2_001, [expect.stringContaining('many-image requests: 2000 pixels')]],
])('%i images, one of them %i pixels wide, are judged as Anthropic does', (count, width, faults) => {
  const content = Array.from({ length: count }, (_, at) => ({
    type: 'image',
    source: { type: 'base64', media_type: 'image/png', data: png(at === 0 ? width : 1) },
  }))
  expect(manyImageFaults({ messages: [{ role: 'user', content }] }, ANTHROPIC_MANY_IMAGES)).toEqual(faults)
})

test('a request without images has no such faults', () => {
  expect(
    imageFaults({ messages: [{ role: 'user', content: 'data:image/png and base64, in words' }], n: null }),
  ).toEqual([])
})

test('the number of images and the size of a request have limits', () => {
  const source = { type: 'base64', media_type: 'image/png', data: png(1) }
  const body = { content: [{ source }, { source }] }
  expect([mediaFaults(body, 2), mediaFaults(body, 1)]).toEqual([[], ['too many images and documents: 2 + 0 > 1']])
  const size = JSON.stringify(body).length
  expect(sizeFaults(body, size)).toEqual([])
  expect(sizeFaults(body, size - 1)).toEqual([expect.stringContaining('request_too_large')])
})
