import { expect, test } from 'vitest'
import { afterwards, orElse } from './afterwards.ts'

/** As of a library with promises of its own. */
function promised<T>(value: T): PromiseLike<T> {
  // biome-ignore lint/suspicious/noThenProperty: it is a promise of another library
  return { then: (...handlers) => Promise.resolve(value).then(...handlers) }
}

test('what is there is used at once', () => {
  expect(afterwards(1, one => one + 1)).toBe(2)
  expect(
    orElse(
      () => 1,
      () => 0,
    ),
  ).toBe(1)
})

test.for([
  ['Node', Promise.resolve(1)],
  ['another library', promised(1)],
] as const)('what %s promises is waited for', async ([, one]) => {
  expect(await afterwards(one, value => value + 1)).toBe(2)
  expect(
    await orElse(
      () => one,
      () => 0,
    ),
  ).toBe(1)
})

test('what is thrown now or later has a value in its place', async () => {
  const failed = (thrown: unknown) => String(thrown)
  expect(
    orElse(() => {
      throw new Error('now')
    }, failed),
  ).toBe('Error: now')
  expect(await orElse(() => Promise.reject(new Error('later')), failed)).toBe('Error: later')
})
