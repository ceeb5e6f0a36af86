import { expect, test } from 'vitest'
import { handClock } from '../../testing/kit/hand-clock.ts'
import { LateAnswerError, reachForeign, reachOf } from './reach-foreign.ts'

/** A question under a limit of 10 seconds by a clock turned by hand. */
function aQuestion() {
  const clock = handClock()
  const { promise, resolve } = Promise.withResolvers<string>()
  const answer = Promise.resolve(reachForeign(reachOf({ clock }), { what: 'it', ask: () => promise })).catch(
    (thrown: unknown) => thrown,
  )
  const sleeps = () => expect.poll(() => clock.sleeping).toBe(1)
  return { clock, resolve, answer, sleeps }
}

test('code that gives no answer while its process runs is late after the limit', async () => {
  const { clock, answer } = aQuestion()
  clock.advance(10_000)
  expect(await answer).toBeInstanceOf(LateAnswerError)
})

test.each([11_001, 60_000, 86_400_000])(
  'P11: code is not late because its process stood still for %i ms',
  async standstill => {
    const { clock, resolve, answer, sleeps } = aQuestion()
    clock.advance(standstill)
    await sleeps()
    clock.advance(9_999)
    resolve('here it is')
    expect(await answer).toBe('here it is')
  },
)

test('code that gives no answer after its process stood still is late too', async () => {
  const { clock, answer, sleeps } = aQuestion()
  clock.advance(60_000)
  await sleeps()
  clock.advance(10_000)
  expect(await answer).toBeInstanceOf(LateAnswerError)
})
