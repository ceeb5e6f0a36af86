import { expect, test } from 'vitest'
import { failureAfter, failureSentence, failureText } from './run-failure.ts'

const OK = { status: 'succeeded', output: { paid: true }, error: null, args: null, isApproved: false } as const
const THREW = {
  ...OK,
  status: 'failed',
  output: null,
  error: { code: 'TOOL_CALL_FAILED', message: 'card declined' },
} as const

test('a program that fails, and an approved call that fails, are told until one ends well', () => {
  const pushed = failureAfter(null, { ...OK, output: { exit_code: 1 } })
  expect(pushed && failureSentence(pushed)).toBe('Its last command failed with exit 1.')
  expect(failureAfter(pushed, OK), 'a call that nobody approved').toEqual(pushed)
  const refunded = failureAfter(pushed, { ...THREW, isApproved: true })
  expect(refunded && failureText(refunded)).toBe('card declined')
  expect(failureAfter(refunded, { ...OK, isApproved: true })).toBeNull()
  expect(failureAfter(refunded, { ...OK, output: { exit_code: 0 } })).toBeNull()
})

test('what an agent tried by itself, and a call that was cancelled, are no failure of the run', () => {
  expect(failureAfter(null, THREW)).toBeNull()
  expect(failureAfter(null, { ...THREW, status: 'cancelled', isApproved: true })).toBeNull()
  expect(failureAfter(null, { ...OK, output: { exit_code: 1 }, args: { command: 'grep x y' } })).toBeNull()
})

test('a long message is cut to one visible line', () => {
  const failed = failureAfter(null, {
    ...THREW,
    isApproved: true,
    error: { code: 'E', message: `a\n\u202e${'x'.repeat(999)}` },
  })
  expect(failed?.error).toMatch(/^a.{119,120}\u2026$/u)
})
