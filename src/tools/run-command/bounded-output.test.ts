import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BoundedOutput } from './bounded-output.ts'

function printed(
  chunks: readonly (string | Buffer)[],
  limits: { headBytes: number; tailBytes: number },
): BoundedOutput {
  const output = new BoundedOutput(limits)
  for (const chunk of chunks) output.write(Buffer.from(chunk))
  return output
}

test('what fits is kept whole, however it was cut into chunks', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 7 })), chunks => {
      const all = Buffer.concat(chunks)
      const output = printed(
        chunks.map(chunk => Buffer.from(chunk)),
        { headBytes: 5, tailBytes: Math.max(1, all.length) },
      )
      expect(output.text()).toBe(all.toString('utf8').replaceAll('\0', '␀'))
    }),
  )
})

test('what does not fit keeps its start and its end and tells how many bytes are missing', () => {
  const output = printed(['start-', 'middle'.repeat(1000), '-end'], { headBytes: 6, tailBytes: 4 })
  expect(output.text()).toBe('start-\n[… 6000 bytes left out …]\n-end')
})

test('a character that a cut would split is left out whole and counted', () => {
  const output = printed(['ab€', 'x'.repeat(10), '€yz'], { headBytes: 4, tailBytes: 4 })
  expect(output.text()).toBe('ab\n[… 16 bytes left out …]\nyz')
})

test('the start, the missing bytes and the end always add up', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme', minLength: 1 }), { minLength: 1 }), chunks => {
      const all = chunks.join('').replaceAll('\0', 'x')
      const text = printed([...all].map(Buffer.from as never), { headBytes: 8, tailBytes: 16 }).text()
      const [, start = '', missing = '0', end = ''] = /^(.*)\n\[… (\d+) bytes left out …\]\n(.*)$/s.exec(text) ?? [
        '',
        text,
      ]
      expect(Buffer.byteLength(start + end) + Number(missing)).toBe(Buffer.byteLength(all))
      expect(all.startsWith(start) && all.endsWith(end)).toBe(true)
    }),
  )
})

test('bytes that are no UTF-8 and NUL bytes become characters that any store can keep', () => {
  expect(printed([Buffer.from([0x61, 0xff, 0x00, 0x62])], { headBytes: 9, tailBytes: 9 }).text()).toBe('a\uFFFD␀b')
})

test('its end is at most as long as was asked for', () => {
  expect(printed(['abcdef'], { headBytes: 3, tailBytes: 9 }).end(2)).toBe('[…]ef')
  expect(printed(['abcdef'], { headBytes: 3, tailBytes: 9 }).end(6)).toBe('abcdef')
})
