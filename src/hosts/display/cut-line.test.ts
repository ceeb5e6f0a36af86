import fc from 'fast-check'
import stringWidth from 'string-width'
import { expect, test } from 'vitest'
import { charactersOf } from '../../core/text/text-width.ts'
import { visibleLine } from '../../core/text/visible-text.ts'
import { cutLine } from './cut-line.ts'

test('what fits is left as it is', () => {
  expect(cutLine('echo one', 8)).toBe('echo one')
})

test('of what does not fit it is told how much is not shown', () => {
  expect(cutLine(`echo one && ${'x'.repeat(1_300)}`, 40)).toBe('echo one && xxxxxxxxx… +1,291 characters')
})

test('a narrow terminal still gets the whole marker', () => {
  expect(cutLine('rm -rf / --no-preserve-root', 5)).toBe('… +27 characters')
})

test('an escape is shown whole or not at all', () => {
  for (let width = 17; width < 45; width += 1)
    expect(cutLine(visibleLine(`a\u202eb\u001bc${'d'.repeat(40)}`), width)).toMatch(
      /^(a(\\u\{202e\}(b(\\u\{1b\}(cd*)?)?)?)?)?… \+\d+ characters$/,
    )
})

const anyText = fc.string({ unit: 'binary', maxLength: 200 })

test('P9: what is shown and what is counted make up the whole', () => {
  fc.assert(
    fc.property(anyText, fc.nat(120), (text, width) => {
      const line = visibleLine(text)
      const cut = cutLine(line, width)
      if (cut === line) return
      const [, shown = '', count = ''] = /^(.*)… \+([\d,]+) characters?$/su.exec(cut) ?? []
      expect(line.startsWith(shown)).toBe(true)
      const pieces = line.slice(shown.length).split(/(\\u\{[0-9a-f]+\})/)
      const hidden = pieces.flatMap((piece, at) => (at % 2 === 1 ? [piece] : charactersOf(piece))).length
      expect(Number(count.replaceAll(',', ''))).toBe(hidden)
    }),
    { numRuns: 500 },
  )
})

test('what is cut is no longer than the terminal is wide, unless the marker alone is', () => {
  fc.assert(
    fc.property(anyText, fc.integer({ min: 24, max: 120 }), (text, width) => {
      expect(stringWidth(cutLine(visibleLine(text), width))).toBeLessThanOrEqual(width)
    }),
  )
})
