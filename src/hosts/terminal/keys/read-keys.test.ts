import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Input } from './decode-keys.ts'
import { ReadKeys } from './read-keys.ts'

/** The inputs that these reads bring, 1 second apart. */
function inputs(...reads: readonly string[]): Input[] {
  const told: Input[] = []
  let now = 0
  const keys = new ReadKeys(
    input => told.push(input),
    () => now,
  )
  for (const read of reads) {
    now += 1000
    keys.read(Buffer.from(read))
  }
  return told
}

const names = (told: readonly Input[]) => told.map(input => (input.kind === 'key' ? input.name : `paste ${input.text}`))

test.each([
  ['a', ['a']],
  ['\r', ['return']],
  ['\t', ['tab']],
  ['\u001b[A', ['up']],
  ['\u001bOB', ['down']],
  ['\u001b[1;5C', ['right']],
  ['\u001b[6~', ['pagedown']],
  ['\u0003', ['c']],
  ['\u001b\r', ['return']],
  ['日本', ['日', '本']],
  ['\u001b[I\u001b[?1;2c\u001b[99~', []],
])('%j is %j', (read, expected) => {
  expect(names(inputs(read))).toEqual(expected)
})

test('a sequence may come in two reads, and so may a character', () => {
  expect(names(inputs('\u001b[', 'A'))).toEqual(['up'])
  const told: Input[] = []
  const keys = new ReadKeys(
    input => told.push(input),
    () => 0,
  )
  for (const byte of Buffer.from('é')) keys.read(Buffer.from([byte]))
  expect(names(told)).toEqual(['é'])
})

test('P1: what is pasted comes as one text and never as a key, however its reads are cut', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 30 }), fc.array(fc.nat(60)), (text, cuts) => {
      fc.pre(!text.includes('\u001b') && !text.includes('\r') && text !== '')
      const sent = `\u001b[200~${text}\u001b[201~`
      const reads: string[] = []
      let from = 0
      // A cut within the first two characters would make a lone escape of it.
      for (const cut of cuts.toSorted((a, b) => a - b).filter(at => at > 2 && at < sent.length)) {
        reads.push(sent.slice(from, cut))
        from = cut
      }
      expect(names(inputs(...reads, sent.slice(from)))).toEqual([`paste ${text}`])
    }),
  )
})

test.each([
  ['one\rtwo\rthree', ['paste one\ntwo\nthree']],
  ['one\r\n\r\ntwo', ['paste one\n\ntwo']],
  ['\tif x\r\t\ty\r', ['paste \tif x\n\t\ty\n']],
  ['go\r', ['g', 'o', 'return']],
  ['\r\r\r', ['return', 'return', 'return']],
  ['a\r\r', ['a', 'return', 'return']],
  ['a\rb\r\u0003', ['a', 'return', 'b', 'return', 'c']],
  ['a\u001b[A\rb\rc', ['a', 'up', 'return', 'b', 'return', 'c']],
])('P1: lines that come in one read are a paste, and keys are none: %j', (read, expected) => {
  expect(names(inputs(read))).toEqual(expected)
})

test('P1: the rest of a long paste is no key, and a key that comes later is', () => {
  const told: Input[] = []
  let now = 0
  const keys = new ReadKeys(
    input => told.push(input),
    () => now,
  )
  for (const [wait, read] of [
    [0, 'one\rtwo\rthr'],
    [5, 'ee\rfour'],
    [500, '\r'],
  ] as const) {
    now += wait
    keys.read(Buffer.from(read))
  }
  expect(names(told)).toEqual(['paste one\ntwo\nthr', 'paste ee\nfour', 'return'])
})

test('keys that came at once say so, and a key that is held down too', () => {
  const [tab, a] = inputs('\ta')
  expect([tab, a]).toMatchObject([{ isAlone: false }, { isAlone: false, read: 1 }])
  const told: Input[] = []
  const keys = new ReadKeys(
    input => told.push(input),
    () => told.length * 30,
  )
  for (const _ of 'aaa') keys.read(Buffer.from('a'))
  expect(told.map(input => input.kind === 'key' && input.isRepeat)).toEqual([false, true, true])
})
