import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Message } from '../journal/message.ts'
import { planCompaction, type Room, sizeOf, withCompaction } from './plan-compaction.ts'
import { sentMessages } from './sent-messages.ts'

const user: Message = { role: 'user', content: 'Go on.', author: 'ana' }

function step(id: string, sizes: readonly number[]): Message[] {
  const calls = sizes.map((size, index) => ({ id: `${id}_${index}`, size }))
  return [
    {
      role: 'assistant',
      content: '',
      tool_calls: calls.map(call => ({ id: call.id, name: 'read', arguments: {}, metadata: null })),
    },
    ...calls.map(
      ({ id: tool_call_id, size }): Message => ({
        ...{ role: 'tool', tool_call_id, tool_name: 'read', is_error: false },
        content: 'x'.repeat(size),
      }),
    ),
  ]
}

const room: Room = { limit: 8_000, keep: 2_500, overhead: 500, ratio: 1 }
const results = (foldTo: number | null) => ({ newest: null, results: expect.anything(), foldTo })

test('old results are shortened first, and nothing is folded if that is enough', () => {
  const messages = [user, ...step('a', [12_000]), ...step('b', [12_000]), ...step('c', [100])]
  expect(planCompaction({ messages, compactions: [], repairs: [] }, room)).toEqual(results(null))
})

test('all before the newest messages is folded if shorter results are not enough', () => {
  const messages = [{ ...user, content: 'y'.repeat(30_000) }, ...step('a', [12_000]), ...step('b', [100])]
  expect(planCompaction({ messages, compactions: [], repairs: [] }, room)).toMatchObject({ foldTo: 3 })
})

test('whatever is folded, calls keep their results, and the newest step is never folded', () => {
  const steps = fc.array(fc.array(fc.integer({ min: 0, max: 40_000 }), { minLength: 1, maxLength: 3 }), {
    minLength: 1,
  })
  fc.assert(
    fc.property(steps, fc.double({ min: 0.5, max: 4, noNaN: true }), (sizes, ratio) => {
      const messages = [user, ...sizes.flatMap((each, index) => step(`s${index}`, each))]
      const whole = { messages, compactions: [], repairs: [] }
      const plan = planCompaction(whole, { ...room, ratio })
      const newest = messages.findLastIndex(({ role }) => role === 'assistant')
      const to = plan?.foldTo ?? 0
      expect(to).toBeLessThanOrEqual(newest)
      expect(messages[to]?.role).not.toBe('tool')
      const made = [plan?.newest, plan?.results].filter(each => each != null)
      const less = made.reduce(
        (given, each) => withCompaction(given, { ...each, summary: null, tokens_before: 0, tokens_after: 0 }),
        whole as Parameters<typeof sizeOf>[0],
      )
      expect(sizeOf(less, { ...room, ratio })).toBeLessThanOrEqual(sizeOf(whole, { ...room, ratio }))
      expect(sentMessages(messages, less).messages.map(({ role }) => role)).toEqual(messages.map(({ role }) => role))
    }),
  )
})
