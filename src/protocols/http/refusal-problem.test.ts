import { expect, test } from 'vitest'
import { HoldpointError } from '../../core/errors.ts'
import { answerRequests } from './answer-requests.ts'
import { storeProblem, WriteHealth } from './refusal-problem.ts'

/** As a store throws it: it passes by itself. */
class StoreError extends HoldpointError {
  readonly code: string
  readonly retryable: boolean
  readonly written: 'no' | 'unknown'

  constructor(code: string, written: 'no' | 'unknown' = 'no') {
    super('what names a file')
    this.code = code
    this.retryable = code !== 'store_corrupt'
    this.written = written
  }
}

test.each([
  ['store_full', 507],
  ['store_busy', 503],
  ['store_io', 503],
  ['store_unavailable', 503],
])('%s is answered with %i, and says when to come again', (code, status) => {
  const problem = storeProblem(new StoreError(code))
  expect(problem).toMatchObject({ status, code, headers: { 'retry-after': '5' } })
  expect(problem?.detail).toMatch(/Nothing was written\.$/)
})

test('a write whose answer was lost is not said to be nowhere', () => {
  const problem = storeProblem(new StoreError('store_unavailable', 'unknown'))
  expect(problem?.detail).toMatch(/may have been written\.$/)
})

test.each([new StoreError('store_corrupt'), new TypeError('x'), 'x'])('%s is no passing state of a store', thrown => {
  expect(storeProblem(thrown)).toBeNull()
})

test('probes hear of a write that failed, for half a minute or until the next one', async () => {
  let now = 0
  let fails = true
  const writes = new WriteHealth(() => now)
  const answer = answerRequests(
    [
      {
        path: '/v1/x',
        methods: ['GET', 'POST'],
        isPublic: true,
        answer: async () => {
          if (fails) throw new StoreError('store_full')
          return Response.json({})
        },
      },
    ],
    {
      gate: { identify: async () => null, hosts: ['here'], anyAddress: true },
      stopping: new AbortController().signal,
      onError: () => {},
      writes,
    },
  )
  const ask = async (method: string) =>
    (await answer(new Request('http://here/v1/x', { method, headers: { host: 'here' } }))).status
  expect([await ask('GET'), writes.failure]).toEqual([507, null])
  expect([await ask('POST'), writes.failure]).toEqual([507, 'store_full'])
  now += 30_000
  expect(writes.failure).toBeNull()
  await ask('POST')
  fails = false
  expect([await ask('POST'), writes.failure]).toEqual([200, null])
})
