import fc from 'fast-check'
import { expect, test } from 'vitest'
import { NoticeJoiner, noticesOf } from './notice-texts.ts'

const origin = { sender: '00ff00ff00ff00ff', message: 1 }

test('a text of any characters arrives whole, in notices of fewer than 8,000 bytes', () => {
  const texts = fc.string({ unit: 'binary', maxLength: 30_000, size: 'max' }).map(text => JSON.stringify(text))
  fc.assert(
    fc.property(texts, text => {
      const joiner = new NoticeJoiner()
      const notices = noticesOf(origin, text)
      for (const notice of notices) expect(Buffer.byteLength(notice)).toBeLessThan(4_096)
      // As the database hands them on.
      const arrived = notices.map(notice => joiner.take(Buffer.from(notice).toString()))
      expect(arrived.filter(one => one !== null)).toEqual([{ sender: origin.sender, text }])
    }),
    { numRuns: 50 },
  )
})

test('a character of four bytes is not cut, wherever the cut would fall', () => {
  for (const before of ['', 'a', 'ab', 'abc']) {
    const text = `${before}${'😀'.repeat(3_000)}`
    const notices = noticesOf(origin, text)
    expect(notices.length).toBeGreaterThan(2)
    expect(notices.map(notice => notice.split(' ').at(-1)).join('')).toBe(text)
    expect(notices.join('').isWellFormed()).toBe(true)
  }
})

test('a text that lacks a part, or comes again, is dropped, and the next one arrives', () => {
  const joiner = new NoticeJoiner()
  const [first = '', , third = ''] = noticesOf(origin, 'a'.repeat(9_000))
  const [next = ''] = noticesOf({ ...origin, message: 2 }, 'next')
  expect([first, third, next, next].map(notice => joiner.take(notice)?.text ?? null)).toEqual([
    null,
    null,
    'next',
    null,
  ])
})

test('parts of several senders may come between one another', () => {
  const joiner = new NoticeJoiner()
  const [a1 = '', a2 = ''] = noticesOf(origin, 'a'.repeat(5_000))
  const [b1 = '', b2 = ''] = noticesOf({ ...origin, sender: '11ff11ff11ff11ff' }, 'b'.repeat(5_000))
  const arrived = [a1, b1, a2, b2].map(notice => joiner.take(notice)?.text[0] ?? null)
  expect(arrived).toEqual([null, null, 'a', 'b'])
})

test('a notice of another making is no text', () => {
  const joiner = new NoticeJoiner()
  const foreign = ['', 'hello', '00ff00ff00ff00ff 1 2/2 x', '00ff00ff00ff00ff x 1/1 x', '1 1/1 x']
  expect(foreign.map(notice => joiner.take(notice))).toEqual(foreign.map(() => null))
})

test('of a text that is longer than a receiver takes nothing is sent', () => {
  expect(noticesOf(origin, 'a'.repeat(4_000 * 257))).toEqual([])
})
