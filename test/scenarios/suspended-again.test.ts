/** P9: what a tool showed to people when it asked is what it is told when it runs again, and what it may confirm. */
import { expect, test } from 'vitest'
import type { Hold, Holdpoint, Json, Principal, SuspendRequest, ToolContext } from '../../src/index.ts'
import { advanced, ana, aWorkplace, call, onlyHold, results, started } from './workplace.ts'

const VIEWER = { name: 'ana', known_by: 'claimed', rights: { see: true, decide: true } } as unknown as Principal
const approve = { verdict: 'approve', ...ana } as const

interface Shop {
  /** The price as the tool finds it, run by run. */
  readonly prices: readonly Json[]
  readonly request?: Partial<SuspendRequest>
  readonly anew?: Partial<SuspendRequest>
}

/** A tool that asks with the price of its first run, and buys at the price of now if that is the same. */
function aShop({ prices, request = {}, anew }: Shop) {
  const told: unknown[] = []
  const left = [...prices]
  const place = aWorkplace(it => ({
    script: [{ calls: [call('A', 'buy')] }, 'Done.'],
    tools: [
      it.tool('buy', {
        execute: (_args: unknown, { suspend, suspended }: ToolContext) => {
          const price = left.shift() ?? null
          if (suspended === null) return suspend({ message: 'Buy it?', context: price, ...request })
          told.push({ context: suspended.context, by: suspended.decision.decided_by, hold: suspended.holdId })
          suspended.confirm(price, anew)
          it.effects.push(JSON.stringify(price))
          return 'bought'
        },
      }),
    ],
  }))
  return { place, told }
}

async function approved(holdpoint: Holdpoint, run: { readonly id: string }): Promise<Hold> {
  const hold = await onlyHold(holdpoint)
  await holdpoint.decide(hold.id, { ...approve, decision_id: hold.id })
  await advanced(holdpoint, run.id)
  return hold
}

test.each(['live', 'after a restart'])('a tool that asked is told its context, hold and decision, %s', async life => {
  const { place: opening, told } = aShop({ prices: [{ price: 10 }, { price: 10 }] })
  await using place = await opening
  await using first = await place.open()
  const run = await started(first)
  await advanced(first, run.id)
  await using second = life === 'live' ? null : await place.open()
  const hold = await approved(second ?? first, run)
  expect(told).toEqual([{ context: { price: 10 }, by: 'ana', hold: hold.id }])
  expect(place.effects).toEqual(['{"price":10}'])
})

const SAME: readonly [what: string, shown: Json, now: Json][] = [
  ['an object with its keys in another order', { a: 1, b: 2 }, { b: 2, a: 1 }],
  ['a number', 10, 10],
  ['a negative zero', 0, -0],
  ['a text', 'v1', 'v1'],
  ['a list', [1, [2]], [1, [2]]],
  ['nothing at all', null, null],
]

test.each(SAME)('P9: it goes on if the basis is the same: %s', async (_, shown, now) => {
  await using place = await aShop({ prices: [shown, now] }).place
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  await approved(holdpoint, run)
  expect(place.effects).toHaveLength(1)
})

const OTHER: readonly [what: string, shown: Json, now: Json, difference: string][] = [
  ['another price', { price: 10 }, { price: 11 }, 'basis.price was 10, is 11'],
  ['a text in place of a number', { price: 10 }, { price: '10' }, 'basis.price was 10, is "10"'],
  ['a field more', { price: 10 }, { price: 10, fee: 1 }, 'basis.fee was null, is 1'],
  ['a list in another order', [1, 2], [2, 1], 'basis[0] was 1, is 2; basis[1] was 2, is 1'],
  ['no price', { price: 10 }, null, 'basis was {"price":10}, is null'],
]

test.each(OTHER)('P9: it is held anew if the basis is another: %s', async (_, shown, now, difference) => {
  const { place: opening, told } = aShop({ prices: [shown, now, now] })
  await using place = await opening
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  const first = await approved(holdpoint, run)
  expect(place.effects).toEqual([])
  const anew = await onlyHold(holdpoint)
  expect(anew).toMatchObject({ kind: 'approval', context: now, status: 'open' })
  expect(anew.message).toBe(`Buy it?\n\nThis was decided before, and changed since: ${difference}.`)
  expect((await holdpoint.holdInContext(anew.id, VIEWER))?.asked_before).toMatchObject({ hold_id: first.id })
  await approved(holdpoint, run)
  expect(place.effects).toEqual([JSON.stringify(now)])
  expect(told.at(-1)).toMatchObject({ context: now, hold: anew.id })
})

test('a basis that the tool names is compared in place of the context, and stands on the hold', async () => {
  const { place: opening } = aShop({
    prices: [{ etag: 'a' }, { etag: 'b' }, { etag: 'b' }],
    request: { context: 'a photo', basis: { etag: 'a' } },
  })
  await using place = await opening
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  expect(await onlyHold(holdpoint)).toMatchObject({ context: 'a photo', basis: { etag: 'a' } })
  await approved(holdpoint, run)
  const anew = await onlyHold(holdpoint)
  expect(anew).toMatchObject({ context: 'a photo', basis: { etag: 'b' } })
  expect((await holdpoint.holdInContext(anew.id, VIEWER))?.asked_before?.differences).toEqual([
    { path: 'basis.etag', was: 'a', is: 'b' },
  ])
  await approved(holdpoint, run)
  expect(place.effects).toEqual(['{"etag":"b"}'])
})

test('a basis that changes twice is asked about twice, and the words about the first change are gone', async () => {
  await using place = await aShop({ prices: [10, 11, 12, 12] }).place
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  await approved(holdpoint, run)
  await approved(holdpoint, run)
  expect((await onlyHold(holdpoint)).message).toMatch(/^Buy it\?\n\nThis was .* since: basis was 11, is 12\.$/)
  await approved(holdpoint, run)
  expect(place.effects).toEqual(['12'])
})

test('P1: whoever had to decide the first time decides anew, and a deadline never does', async () => {
  const dueAt = new Date(Date.now() + 3_600_000).toISOString()
  const anew = { dueAt, onDue: 'auto_approve' } as const
  await using place = await aShop({ prices: [10, 11], request: { deciders: { people: ['ana'] } }, anew }).place
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  await approved(holdpoint, run)
  expect(await onlyHold(holdpoint)).toMatchObject({ deciders: { people: ['ana'] }, due_at: dueAt, on_due: 'cancel' })
})

test('the tool says itself what to ask anew', async () => {
  const anew = { message: 'It costs more by now. Buy it?', context: { was: 10, is: 11 } }
  await using place = await aShop({ prices: [10, 11, 11], anew }).place
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  await approved(holdpoint, run)
  expect(await onlyHold(holdpoint)).toMatchObject({
    message: expect.stringMatching(/^It costs more by now\. Buy it\?\n\n.*basis was 10, is 11/),
    context: { was: 10, is: 11 },
    basis: 11,
  })
  await approved(holdpoint, run)
  expect(place.effects).toEqual(['11'])
})

test('P1: a rejection of the second asking buys nothing', async () => {
  await using place = await aShop({ prices: [10, 11] }).place
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  await approved(holdpoint, run)
  await holdpoint.decide((await onlyHold(holdpoint)).id, { verdict: 'reject', ...ana, reason: 'too dear' })
  const view = await advanced(holdpoint, run.id)
  expect(place.effects).toEqual([])
  expect(JSON.stringify(results(view))).toContain('too dear')
})

test('a basis that JSON cannot hold fails the call with its place', async () => {
  await using place = await aShop({ prices: [10, { price: 11n } as unknown as Json] }).place
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  await approved(holdpoint, run)
  const view = await advanced(holdpoint, run.id)
  expect(JSON.stringify(results(view))).toContain('basis.price is a bigint')
  expect(place.effects).toEqual([])
})

test('a tool that nobody suspended is told of no hold', async () => {
  const seen: unknown[] = []
  await using place = await aWorkplace(it => ({
    script: [{ calls: [call('A')] }, 'Done.'],
    tools: [it.held('A', { execute: (_args: unknown, { suspended }: ToolContext) => void seen.push(suspended) })],
  }))
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  await approved(holdpoint, run)
  expect(seen).toEqual([null])
})
