import { expect, test } from 'vitest'
import { durationText } from './duration-text.ts'

const [S, MIN, H, D] = [1_000, 60_000, 3_600_000, 86_400_000]

test.each([
  [-5 * S, '0 s'],
  [0, '0 s'],
  [999, '0 s'],
  [S, '1 s'],
  [59 * S + 999, '59 s'],
  [MIN, '1 min'],
  [3 * MIN + 59 * S, '3 min'],
  [H, '1 h'],
  [2 * H + 30 * MIN, '2 h 30 min'],
  [2 * H + 59 * S, '2 h'],
  [D - 1, '23 h 59 min'],
  [D, '1 d'],
  [D + 4 * H + 59 * MIN, '1 d 4 h'],
  [400 * D, '400 d'],
])('%i ms are told as %s', (milliseconds, text) => {
  expect(durationText(milliseconds)).toBe(text)
})
