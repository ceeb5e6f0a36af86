import { expect, test } from 'vitest'
import type { JournalEvent } from '../../../core/journal/event.ts'
import { aCall, aDecision, anEvent } from '../../../testing/contracts/sample-journal.ts'
import type { FinishedSpan } from './span.ts'
import { SpanFold } from './span-fold.ts'

const MINUTE = 60_000

/** One event a minute. */
function journal(...events: readonly ReturnType<typeof anEvent>[]): JournalEvent[] {
  return events.map((event, n) => ({
    ...event,
    ...{ seq: n + 1, at: new Date(n * MINUTE).toISOString(), thread_id: 'th_1' },
  }))
}

function spansOf(events: readonly JournalEvent[], { withContent = false } = {}): FinishedSpan[] {
  const fold = new SpanFold(withContent)
  return events.flatMap(event => fold.apply(event) ?? [])
}

const minutes = ({ start, end }: FinishedSpan) => (Date.parse(end) - Date.parse(start)) / MINUTE

const held = journal(
  anEvent('run.started'),
  anEvent('checkpoint.named', { reason: 'step' }),
  anEvent('step.started'),
  anEvent('model.answered'),
  anEvent('hold.opened'),
  anEvent('hold.decided'),
  anEvent('call.started'),
  anEvent('call.finished', { status: 'failed', error: { code: 'tool_failed', message: 'it broke' } }),
  anEvent('run.finished'),
)

test('each span lasts from the event that it begins with to the one that ends it', () => {
  expect(spansOf(held).map(span => [span.name, minutes(span), span.error])).toEqual([
    ['chat script', 2, null],
    ['holdpoint.wait', 1, null],
    ['execute_tool work', 1, 'tool_failed'],
    ['invoke_agent tester', 8, null],
  ])
})

test('the same events make the same spans, and no two have one id', () => {
  const spans = spansOf(held)
  expect(spansOf(held)).toEqual(spans)
  expect(new Set(spans.map(({ span_id }) => span_id)).size).toBe(spans.length)
  for (const { span_id, trace_id } of spans) {
    expect(span_id).toMatch(/^[0-9a-f]{16}$/)
    expect(trace_id).toMatch(/^[0-9a-f]{32}$/)
  }
})

test('a call that was rejected never ran, and a call that is claimed again after a crash lasts from then on', () => {
  const rejected = journal(anEvent('run.started'), anEvent('model.answered'), anEvent('call.finished'))
  expect(spansOf(rejected).map(({ name }) => name)).toEqual(['chat script'])
  const again = journal(
    ...[anEvent('run.started'), anEvent('model.answered'), anEvent('call.started')],
    ...[anEvent('call.started', { attempt: 2 }), anEvent('call.finished')],
  )
  expect(spansOf(again).map(minutes)).toEqual([1, 1])
})

test('content is the arguments that ran, and is there only if it is asked for', () => {
  const edited = journal(
    anEvent('run.started'),
    anEvent('model.answered', { calls: [aCall('call_1', { arguments: { text: 'as the model wrote it' } })] }),
    anEvent('hold.opened'),
    anEvent('hold.decided', { decision: aDecision('edit', { arguments: { text: 'as the approver wrote it' } }) }),
    anEvent('call.started'),
    anEvent('call.finished', { output: 'what came out' }),
  )
  expect(JSON.stringify(spansOf(edited))).not.toMatch(/wrote|came out/)
  const [, , tool] = spansOf(edited, { withContent: true })
  expect(tool?.attributes).toMatchObject({
    'gen_ai.tool.call.arguments': '{"text":"as the approver wrote it"}',
    'gen_ai.tool.call.result': '"what came out"',
  })
})
