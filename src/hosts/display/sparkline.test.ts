import { expect, test } from 'vitest'
import { sparkline } from '../cli/report/report.ts'

test('the most is a full bar, the least a low one, and nothing is a blank', () => {
  expect(sparkline([0, 1, 4, 8])).toBe(' ▁▄█')
  expect(sparkline([])).toBe('')
})

test('more values than there is room for are added up, neighbour by neighbour', () => {
  expect(sparkline([1, 1, 0, 0, 2, 2], 3)).toBe('▄ █')
})
