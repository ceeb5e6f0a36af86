import { expect, test } from 'vitest'
import type { Caller } from './gate.ts'
import { requestRate } from './request-rate.ts'

const ana: Caller = { name: 'ana', role: 'viewer' }
const ben: Caller = { name: 'ben', role: 'viewer' }

test('a clock that is set back keeps nobody waiting', () => {
  let time = 3_600_000
  const objection = requestRate({ perSecond: 5, now: () => time })
  expect(objection(ana)).toBeNull()
  time = 0
  for (let n = 0; n < 4; n += 1) expect(objection(ana)).toBeNull()
  expect(objection(ana)?.status).toBe(429)
  time += 1_000
  expect(objection(ana)).toBeNull()
})

test('a caller who sends too much waits for its turn, and no other caller does', () => {
  let time = 0
  const objection = requestRate({ perSecond: 5, now: () => time })
  for (let n = 0; n < 5; n += 1) expect(objection(ana)).toBeNull()
  expect(objection(ana)).toMatchObject({ status: 429, headers: { 'retry-after': '1' } })
  expect(objection(ben)).toBeNull()
  time += 200
  expect([objection(ana), objection(ana)?.status]).toEqual([null, 429])
  time += 60_000
  for (let n = 0; n < 5; n += 1) expect(objection(ana)).toBeNull()
  expect(objection(ana)?.status).toBe(429)
})
