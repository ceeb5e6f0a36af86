import fc from 'fast-check'
import { expect, test } from 'vitest'
import { asWholeOf, placesOf, replacements } from './line-ends.ts'

const MARK = '\uFEFF'

/** `text` with `given` at each place of `wanted`. */
function edited(text: string, wanted: string, given: string): string {
  const places = placesOf(text, wanted)
  const fitted = replacements(text, places, given)
  const parts = places.map(({ start }, n) => text.slice(places[n - 1]?.end ?? 0, start) + fitted[n])
  return parts.join('') + text.slice(places.at(-1)?.end ?? 0)
}

test('in a file of \\r\\n an edit is found and written with \\r\\n, whichever line ends it has', () => {
  const text = 'one\r\ntwo\r\nthree\r\n'
  expect(edited(text, 'one\ntwo', '1\n2\n2b')).toBe('1\r\n2\r\n2b\r\nthree\r\n')
  expect(edited(text, 'one\r\ntwo', '1\n2')).toBe('1\r\n2\r\nthree\r\n')
  expect(edited(text, '\ntwo\n', '\n2\n')).toBe('one\r\n2\r\nthree\r\n')
  expect(edited(text, 'three\n', '3\n4\n')).toBe('one\r\ntwo\r\n3\r\n4\r\n')
  expect(edited('one\r\nlast', 'last', 'a\nb')).toBe('one\r\na\r\nb')
})

test('in a file of \\n an edit is as it is written', () => {
  expect(edited('one\ntwo\n', 'one', '1\n1b')).toBe('1\n1b\ntwo\n')
  expect(edited('one\ntwo\n', 'one', '1\r\n')).toBe('1\r\n\ntwo\n')
  expect(edited('one', 'one', '1\n2')).toBe('1\n2')
})

test('in a mixed file each place takes the line ends that are there, and all else stays', () => {
  const text = 'a\r\nx\nb\na\nx\r\n'
  expect(edited(text, 'a', 'A\nA')).toBe('A\r\nA\r\nx\nb\nA\nA\nx\r\n')
  expect(edited(text, 'b', 'B\nB')).toBe('a\r\nx\nB\nB\na\nx\r\n')
})

test('if a text is there exactly, it is found only there', () => {
  expect(placesOf('a\nb a\r\nb', 'a\nb')).toEqual([{ start: 0, end: 3, isExact: true }])
  expect(placesOf('a\r\nb', 'a\nb')).toEqual([{ start: 0, end: 4, isExact: false }])
  expect(placesOf('a\nb', 'a\r\nb')).toEqual([{ start: 0, end: 3, isExact: false }])
})

test('a byte order mark stays, once, whether the call writes it or not', () => {
  for (const wanted of ['one', `${MARK}one`])
    for (const given of ['1', `${MARK}1`]) expect(edited(`${MARK}one two`, wanted, given)).toBe(`${MARK}1 two`)
  expect(asWholeOf(`${MARK}old`, 'new')).toBe(`${MARK}new`)
  expect(asWholeOf(`${MARK}old`, `${MARK}new`)).toBe(`${MARK}new`)
  expect(asWholeOf('old', 'new')).toBe('new')
})

test('what replaces a whole file has its \\r\\n, unless the file is mixed or the text has its own', () => {
  expect(asWholeOf('a\r\nb\r\n', 'c\nd\n')).toBe('c\r\nd\r\n')
  expect(asWholeOf('a\r\nb\n', 'c\nd\n')).toBe('c\nd\n')
  expect(asWholeOf('a\r\nb\r\n', 'c\r\nd\n')).toBe('c\r\nd\n')
  expect(asWholeOf('a\nb\n', 'c\r\n')).toBe('c\r\n')
  expect(asWholeOf('', 'c\n')).toBe('c\n')
})

const pieces = fc.array(fc.constantFrom('a', 'b', '\n', '\r\n', '\r'), { maxLength: 30 }).map(all => all.join(''))

test('for any text, an edit that gives back what was there changes nothing, and without \\r all is as by split and join', () => {
  fc.assert(
    fc.property(pieces, fc.constantFrom('a', 'ab', 'a\n', '\nb', '\r\n', 'b\na'), (text, wanted) => {
      const first = placesOf(text, wanted)[0]
      if (first) expect(edited(text, wanted, wanted)).toBe(text)
      const plain = text.replaceAll('\r', '')
      const flat = wanted.replaceAll('\r', '')
      expect(edited(plain, flat, 'X\nY')).toBe(plain.split(flat).join('X\nY'))
    }),
  )
})
