import { expect, test } from 'vitest'
import { clockJump } from './clock-jump.ts'

const opened_at = '2030-01-01T00:00:00.000Z'
const OPENED = Date.parse(opened_at)
const hold = { opened_at, opened_on: { boot: 'here', steady_ms: 1_000 } }

test.each([
  ['nothing but time', 60_000, 60_000, 0],
  ['a correction', 89_000, 60_000, 0],
  ['a step forward', 3_660_000, 60_000, 3_600_000],
  ['a step back', -3_540_000, 60_000, -3_600_000],
])('%s since a hold was opened is seen for what it is', (_what, wall, passed, jump) => {
  expect(clockJump(hold, { now: OPENED + wall, steady: 1_000 + passed, boot: 'here' })).toBe(jump)
})

test.each([
  ['of another start of a machine', hold, 'there'],
  ['of a machine that does not say', hold, undefined],
  ['from before this was noted', { opened_at }, 'here'],
])('nothing is said of a hold %s', (_what, other, boot) => {
  expect(clockJump(other, { now: OPENED + 3_600_000, steady: 1_000, boot })).toBe(0)
})
