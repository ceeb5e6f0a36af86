import fc from 'fast-check'
import { expect, test } from 'vitest'
import { busyScale, evenScale, merged, totalOf } from './time-scale.ts'

test('on an even scale a moment stands at its share of the time, under few ticks', () => {
  const scale = evenScale({ from: 1_000, to: 11_000 })
  expect([scale.at(1_000), scale.at(6_000), scale.at(11_000)]).toEqual([0, 0.5, 1])
  expect(scale.ticks.map(({ since }) => since)).toEqual([0, 2_000, 4_000, 6_000, 8_000, 10_000])
})

test('a wait of a day between two seconds of work takes little room if waits are cut short', () => {
  const day = 86_400_000
  const scale = busyScale({ from: 0, to: day + 2_000 }, [
    { from: 0, to: 1_000 },
    { from: day + 1_000, to: day + 2_000 },
  ])
  expect(scale.at(1_000)).toBeCloseTo(0.48, 1)
  expect(scale.at(day + 1_000) - scale.at(1_000)).toBeLessThan(0.05)
})

const interval = fc.tuple(fc.nat(1_000), fc.nat(1_000)).map(([from, length]) => ({ from, to: from + length }))

test('what is later never stands before what is earlier, on either scale', () => {
  fc.assert(
    fc.property(fc.array(interval), fc.nat(2_000), fc.nat(2_000), (busy, one, other) => {
      const [earlier = 0, later = 0] = [one, other].toSorted((a, b) => a - b)
      const whole = { from: 0, to: 2_000 }
      for (const scale of [evenScale(whole), busyScale(whole, busy)]) {
        expect(scale.at(earlier)).toBeLessThanOrEqual(scale.at(later))
        expect(scale.at(earlier)).toBeGreaterThanOrEqual(0)
        expect(scale.at(later)).toBeLessThanOrEqual(1)
      }
    }),
  )
})

test('a moment that two intervals share counts once', () => {
  const both = [
    { from: 0, to: 10 },
    { from: 5, to: 20 },
    { from: 30, to: 31 },
  ]
  expect(merged(both)).toEqual([
    { from: 0, to: 20 },
    { from: 30, to: 31 },
  ])
  expect(totalOf(both)).toBe(21)
})
