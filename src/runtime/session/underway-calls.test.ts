import { expect, test } from 'vitest'
import type { ToolCall } from '../../core/run/tool-call.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import { type Outcome, UnderwayCalls } from './underway-calls.ts'

const subject = { call: { id: 'call_1' } as ToolCall, tool: { name: 'slow' } as Tool }
const done: Outcome = { type: 'succeeded', output: null }

test('P5: an outcome that came while its step was closed is not taken for one of the next step', async () => {
  const underway = new UnderwayCalls()
  underway.begin(subject, Promise.resolve(done))
  await underway.finished
  underway.abandon()
  expect([underway.take(), underway.ids.size]).toEqual([[], 0])
})

test('P5: nor is one that comes later, and the next step hears of its own calls', async () => {
  const underway = new UnderwayCalls()
  const late = Promise.withResolvers<Outcome>()
  underway.begin(subject, late.promise)
  underway.abandon()
  const next = { ...subject, call: { id: 'call_2' } as ToolCall }
  const now = Promise.withResolvers<Outcome>()
  underway.begin(next, now.promise)
  late.resolve(done)
  now.resolve(done)
  await underway.finished
  expect(underway.take()).toEqual([{ ...next, outcome: done }])
})
