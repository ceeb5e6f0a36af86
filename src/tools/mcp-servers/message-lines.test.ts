import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LONGEST_MESSAGE_BYTES, LongMessageError, MessageLines } from './message-lines.ts'

function linesOf(chunks: readonly Buffer[]): string[] {
  const found: string[] = []
  const lines = new MessageLines(line => found.push(line))
  for (const chunk of chunks) lines.write(chunk)
  return found
}

test('lines come whole, however what arrives was cut, also within a character', () => {
  const lines = fc.array(
    fc.string({ unit: 'grapheme', minLength: 1 }).filter(line => line.trim() === line && !/[\n\r]/.test(line)),
  )
  fc.assert(
    fc.property(lines, fc.array(fc.nat(), { maxLength: 9 }), (wanted, cuts) => {
      const bytes = Buffer.from(wanted.map(line => `${line}\n`).join(''))
      const places = [0, ...cuts.map(cut => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length]
      expect(linesOf(places.slice(1).map((end, index) => bytes.subarray(places[index], end)))).toEqual(wanted)
    }),
  )
})

test('a line beyond the bound is refused, and not kept', () => {
  const half = Buffer.alloc(LONGEST_MESSAGE_BYTES / 2, 'x')
  expect(() => linesOf([half, half, Buffer.from('x')])).toThrow(LongMessageError)
  expect(linesOf([half, half, Buffer.from('\n')])).toHaveLength(1)
})
