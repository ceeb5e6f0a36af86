import { expect, test } from 'vitest'
import type { EventData, EventKind, JournalEvent } from '../../core/journal/event.ts'
import type { ModelPart } from '../../ports/agent/model-part.ts'
import type { Ephemeral } from '../../ports/event-sink.ts'
import { aDecision, aProfile } from '../../testing/contracts/sample-journal.ts'
import type { Turn } from './chat-message.ts'
import { threadOfChat } from './chat-thread.ts'
import { type Conversation, conversationOf, isAtRest, isOver, saidWith, takeIn, turnWith } from './conversation.ts'
import type { Moment } from './moment.ts'
import { TurnTeller } from './tell-turn.ts'

const USAGE = { input_tokens: 0, output_tokens: 0, total_tokens: 0 }

/** A conversation that is lived event by event. */
class Lived {
  readonly conversation: Conversation = conversationOf('th_1', [])
  #seq = 0

  add<K extends EventKind>(kind: K, data: EventData[K], run_id = 'run_1'): this {
    this.#seq += 1
    const event = { seq: this.#seq, at: '2030-01-01T00:00:00.000Z', thread_id: 'th_1', run_id, kind, data }
    takeIn(this.conversation, event as unknown as JournalEvent)
    return this
  }

  start(run_id = 'run_1', scope: 'batch' | 'call' = 'batch'): this {
    return this.add('run.started', { profile: aProfile({ hold_scope: scope }), carried: null, pinned: null }, run_id)
  }

  say(content: string, input_id = content, run_id = 'run_1'): this {
    return this.add('message.received', { content, author: 'ana', forced_by: null, input_id }, run_id)
  }

  answer(text: string, ...ids: readonly string[]): this {
    const calls = ids.map(id => ({ id, name: 'work', arguments: { of: id }, provider_id: null, metadata: null }))
    const said = { text, calls, usage: USAGE, model: 'm', finish_reason: 'stop', forced_by: null }
    return this.add('step.started', { step: 1 }).add('model.answered', said)
  }

  hold(id: string): this {
    const asked = { digest: 'sha256:1', because: 'policy', plugin: 'policy', resume_mode: 'replay_tool_call' } as const
    return this.add('hold.opened', {
      hold_id: `hold_${id}`,
      kind: 'approval',
      call_id: id,
      status: 'suspended',
      ...asked,
    })
  }

  name(reason: 'step' | 'pause' | 'end'): this {
    return this.add('checkpoint.named', { checkpoint_id: `cp_${this.#seq}`, reason, active_ms: 0 })
  }

  get turn(): Turn {
    return this.conversation.turn as Turn
  }
}

/** Without `index`: from a process of an older version. */
function piece({ kind, data }: ModelPart, index?: number): Ephemeral {
  const numbered = index === undefined ? {} : { index }
  return { kind, data, thread_id: 'th_1', run_id: 'run_1', ephemeral: true, after: 0, ...numbered } as Ephemeral
}

function words(moments: readonly Moment[]): string[] {
  return moments.map(moment => {
    if ('delta' in moment) return `${moment.kind} ${moment.delta}`
    if ('call' in moment) return `${moment.kind} ${moment.call.id}`
    return moment.kind
  })
}

test('what came in pieces is not told again, and what the pieces left out is', () => {
  const lived = new Lived().start().say('go')
  const teller = new TurnTeller()
  const hear = (part: ModelPart) => words(teller.hear(piece(part), lived.turn))
  expect(hear({ kind: 'text.start', data: { id: '1.a' } })).toEqual(['step.started', 'text.started'])
  expect(hear({ kind: 'text.delta', data: { id: '1.a', delta: 'I will' } })).toEqual(['text.delta I will'])
  expect(hear({ kind: 'tool_input.start', data: { call_id: 'c1', name: 'work' } })).toEqual(['input.started'])
  expect(hear({ kind: 'tool_input.delta', data: { call_id: 'c1', delta: '{"of":' } })).toEqual(['input.delta {"of":'])
  lived.answer('I will work.', 'c1', 'c2')
  expect(words(teller.tell(lived.turn))).toEqual([
    ...['text.delta  work.', 'text.ended'],
    ...['input.started', 'input.delta {"of":"c1"}', 'input.started', 'input.delta {"of":"c2"}'],
  ])
})

test('a client that missed the beginning of a text hears nothing of it before it is whole', () => {
  const lived = new Lived().start().say('go')
  const teller = new TurnTeller()
  expect(words(teller.hear(piece({ kind: 'text.delta', data: { id: '1.a', delta: 'work' } }), lived.turn))).toEqual([
    'step.started',
  ])
  lived.answer('I will work.')
  expect(words(teller.tell(lived.turn))).toEqual(['text.started', 'text.delta I will work.', 'text.ended'])
})

const BEGUN_CALL: ModelPart = { kind: 'tool_input.start', data: { call_id: 'c1', name: 'work' } }

test('a client that missed a piece is told nothing behind it before the answer is whole, and then the text first', () => {
  const lived = new Lived().start().say('go')
  const teller = new TurnTeller()
  expect(words(teller.hear(piece(BEGUN_CALL, 3), lived.turn))).toEqual([])
  lived.answer('I will work.', 'c1')
  expect(words(teller.tell(lived.turn))).toEqual([
    ...['step.started', 'text.started', 'text.delta I will work.', 'text.ended'],
    ...['input.started', 'input.delta {"of":"c1"}'],
  ])
})

test('a client that lost pieces in the middle of a text is told its rest, and the calls behind it', () => {
  const lived = new Lived().start().say('go')
  const teller = new TurnTeller()
  const hear = (part: ModelPart, index: number) => words(teller.hear(piece(part, index), lived.turn))
  expect(hear({ kind: 'text.start', data: { id: '1.a' } }, 0)).toEqual(['step.started', 'text.started'])
  expect(hear({ kind: 'text.delta', data: { id: '1.a', delta: 'I ' } }, 1)).toEqual(['text.delta I '])
  expect(hear({ kind: 'text.delta', data: { id: '1.a', delta: 'work.' } }, 3)).toEqual([])
  expect(hear(BEGUN_CALL, 4)).toEqual([])
  lived.answer('I will work.', 'c1')
  expect(words(teller.tell(lived.turn))).toEqual([
    ...['text.delta will work.', 'text.ended'],
    ...['input.started', 'input.delta {"of":"c1"}'],
  ])
})

test('the model that is asked again goes on with what it said before, and drops calls that it does not want any more', () => {
  const lived = new Lived().start().say('go')
  const teller = new TurnTeller()
  const hear = (part: ModelPart) => words(teller.hear(piece(part), lived.turn))
  hear({ kind: 'text.start', data: { id: '1.a' } })
  hear({ kind: 'text.delta', data: { id: '1.a', delta: 'I am' } })
  hear({ kind: 'tool_input.start', data: { call_id: 'c9', name: 'work' } })
  expect(hear({ kind: 'inference.void', data: { because: 'retry' } })).toEqual([])
  expect(hear({ kind: 'text.start', data: { id: '1.a' } })).toEqual([])
  expect(hear({ kind: 'text.delta', data: { id: '1.a', delta: 'I am here' } })).toEqual([])
  lived.answer('I am here')
  expect(words(teller.tell(lived.turn))).toEqual(['text.delta  here', 'text.ended', 'call.dropped'])
})

test('a hold that the client takes for answered, and that is open, is asked again', () => {
  const lived = new Lived().start().say('go').answer('', 'c1').hold('c1').name('pause')
  const call = { input: '', ready: { of: 'c1' }, asked: 'hold_c1', answered: true, finished: false }
  const teller = new TurnTeller({
    steps: 1,
    answers: 1,
    spoken: { text: '', reasoning: '' },
    calls: new Map([['c1', call]]),
  })
  expect(words(teller.tell(lived.turn))).toEqual(['call.asked c1'])
  expect(words(teller.tell(lived.turn))).toEqual([])
})

test('a run rests when all holds of its pause are there, and not at the first of them', () => {
  const lived = new Lived().start().say('go').answer('', 'c1', 'c2')
  expect(isAtRest(lived.hold('c1').conversation)).toBe(false)
  expect(isAtRest(lived.hold('c2').conversation)).toBe(false)
  expect(isAtRest(lived.name('pause').conversation)).toBe(true)
  const decide = (id: string) => {
    const decided = { hold_id: `hold_${id}`, call_id: id, status: 'resuming', decision: aDecision('approve') } as const
    return lived.add('hold.decided', decided).conversation
  }
  expect(isAtRest(decide('c1'))).toBe(true)
  expect(isAtRest(decide('c2'))).toBe(false)
})

test('messages that come while the agent works have a turn of their own, and until then they wait', () => {
  const lived = new Lived().start().say('go', 'first').answer('working', 'c1')
  const { conversation, turn } = lived
  lived.add('message.queued', { content: 'also', author: 'ana', supersede: false, input_id: 'second' })
  expect(conversation.messages.map(({ id }) => id)).toEqual(['first', 'a2', 'second'])
  expect(saidWith(conversation, 'second')?.turn_id).toBe(null)
  lived.add('call.gated', { call_id: 'c1', rule: 'auto', grant_id: null, approval_id: null })
  lived.add('call.started', { call_id: 'c1', status: 'running', attempt: 1, idempotency_key: 'k', digest: null })
  lived.add('call.finished', { call_id: 'c1', status: 'succeeded', output: 'ok', error: null })
  lived.add('step.ended', { step: 1 }).add('message.delivered', { count: 1 })
  expect(conversation.messages.map(({ id }) => id)).toEqual(['first', 'a2', 'second', lived.turn.id])
  expect(saidWith(conversation, 'second')?.turn_id).toBe(lived.turn.id)
  expect(isOver(conversation, turn)).toBe(true)
  expect(turnWith(conversation, 'a2')).toBe(turn)
  expect(turn.steps[0]?.calls).toMatchObject([{ id: 'c1', status: 'succeeded', output: 'ok' }])
})

test('a name of a client means the same thread everywhere, and the id of a thread means that thread', () => {
  expect(threadOfChat('chat-1')).toMatch(/^th_[0-9a-z]{16}$/)
  expect(threadOfChat('chat-1')).toBe(threadOfChat('chat-1'))
  expect(threadOfChat('chat-2')).not.toBe(threadOfChat('chat-1'))
  expect(threadOfChat('th_0123456789abcdef')).toBe('th_0123456789abcdef')
  expect(threadOfChat('th_0123456789ABCDEF')).not.toBe('th_0123456789ABCDEF')
})
