import stringWidth from 'string-width'
import { expect, test } from 'vitest'
import { fitInto, shortened, textWidth } from './text-width.ts'
import { visibleLine } from './visible-text.ts'

test.each([
  ['abc', 3],
  ['漢字', 4],
  ['한국어', 6],
  ['é', 1],
  ['e\u0301', 1],
  ['👩‍💻', 2],
  ['⚠️', 2],
  ['1️⃣', 2],
  ['का', 2],
  ['𗀀', 2],
  ['✓ …', 3],
  ['─── › “·” é', 11],
  ['', 0],
])('%j takes %d columns', (text, width) => {
  expect(textWidth(text)).toBe(width)
})

test('no character of Unicode takes more columns than are counted', () => {
  const short = Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code))
    .filter(character => /[^\p{Cn}\p{Co}\p{Cs}\p{Unified_Ideograph}]/u.test(character))
    .map(character => visibleLine(character))
    .filter(character => textWidth(character) < stringWidth(character))
  expect(short).toEqual([])
})

test('what is cut fits, and no character is halved', () => {
  for (let columns = 0; columns < 12; columns += 1) {
    const cut = fitInto('a漢👩‍💻e\u0301字b', columns)
    expect(textWidth(cut)).toBeLessThanOrEqual(columns)
    expect('a漢👩‍💻e\u0301字b'.startsWith(cut)).toBe(true)
    expect(cut).not.toMatch(/\u200d$/)
  }
})

test('a shortened line tells that it was cut', () => {
  expect([shortened('npm test', 8), shortened('npm test', 7)]).toEqual(['npm test', 'npm te…'])
})
