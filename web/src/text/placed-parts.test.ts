import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ColourSpan } from './colours/colour-span.ts'
import { highlight } from './colours/highlight.ts'
import { looksOf } from './colours/looks-of.ts'
import { diffColours } from './diff-colours.ts'
import { placedParts } from './placed-parts.ts'

const inTypescript = (text: string) => highlight(text, 'typescript')

function coloured(text: string, spans: readonly ColourSpan[] = []): readonly string[] {
  return spans.map(({ from, to, colour }) => `${colour}: ${text.slice(from, to)}`)
}

test('words of code have the colours of what they are', () => {
  const text = "const price = 20 // EUR, or `const`\nreturn 'x'"
  expect(coloured(text, inTypescript(text))).toEqual([
    'keyword: const',
    'number: 20',
    'comment: // EUR, or `const`',
    'keyword: return',
    "string: 'x'",
  ])
})

test('each side of a hunk is read by itself, and no comment reaches over its end', () => {
  const diff = '@@ -1,2 +1,2 @@\n-/* const\n+const a = 1\n  */ b\n@@ -9 +9 @@\n+return /* x\n@@ -20 +20 @@\n-let c'
  const colours = diffColours(diff, inTypescript)
  const lines = diff.split('\n')
  expect(lines.map((line, at) => coloured(line, colours[at]))).toEqual([
    [],
    ['comment: /* const'],
    ['keyword: const', 'number: 1'],
    [],
    [],
    ['keyword: return', 'comment: /* x'],
    [],
    ['keyword: let'],
  ])
})

test('P9: colours change no text, and lose to what hides or looks like other letters', () => {
  const parts = (text: string) => placedParts(text, looksOf(inTypescript(text)))
  const at = (text: string, mark: string | null) => parts(text).filter(part => part.mark === mark)
  expect(at('const a = "x\u202e" // p\u0430ypal.com', 'hidden')).toMatchObject([{ text: '\\u{202e}', look: null }])
  expect(at('const a = 1 // p\u0430ypal.com', 'alike')).toMatchObject([{ text: '\u0430', look: null }])
  fc.assert(
    fc.property(
      fc.string({
        unit: fc.constantFrom('const ', '"', '/*', '*/', '\n', 'p', '\u0430', '\u200b', '`', '${', '}', '\u{1f600}'),
      }),
      text => {
        const whole = (looks: Parameters<typeof placedParts>[1]) =>
          placedParts(text, looks)
            .map(part => part.text)
            .join('')
        expect(whole(looksOf(inTypescript(text)))).toBe(whole([]))
      },
    ),
  )
})

test('what changed within a line wins over the colours of code', () => {
  const text = "let name = 'one two'"
  const looks = looksOf(inTypescript(text), [{ from: 12, to: 15, className: 'changed' }])
  expect(placedParts(text, looks).map(({ text: piece, look }) => [piece, look])).toEqual([
    ['let', 'text-code-keyword'],
    [' name = ', null],
    ["'", 'text-code-string'],
    ['one', 'changed'],
    [" two'", 'text-code-string'],
  ])
})

test('P9: a letter that looks like another one is marked also where it alone changed', () => {
  const text = '+https://p\u0430ypal.com'
  const looks = [{ from: 10, to: 11, className: 'changed' }]
  expect(placedParts(text, looks).map(({ text: piece, mark }) => [piece, mark])).toEqual([
    ['+https://p', null],
    ['\u0430', 'alike'],
    ['ypal.com', null],
  ])
})

test('places in a text with too many marks to be set apart have no looks', () => {
  const text = 'a\u200b'.repeat(5_000)
  expect(placedParts(text, [{ from: 0, to: 1, className: 'x' }])).toMatchObject([{ look: null }])
})
