/** Every journal that was ever lived here, told to a client that checks what it is told as the official ones do. */
import { globSync, readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { JournalEvent } from '../../core/journal/event.ts'
import type { ModelPart } from '../../ports/agent/model-part.ts'
import type { Ephemeral } from '../../ports/event-sink.ts'
import { type Conversation, conversationOf, takeIn } from '../turns/conversation.ts'
import type { AgUiEvent, AgUiMessage } from './ag-ui-event.ts'
import { messagesOf } from './messages.ts'
import { Projection } from './project.ts'

interface Shown {
  text: string
  calls: Record<string, string>
  result: string
}

/** A client: it ends its run at an event that does not fit, and keeps what it was told. */
class Client {
  /** By the id of the message. */
  readonly messages = new Map<string, Shown>()
  readonly types: string[] = []
  readonly #open = new Set<string>()
  readonly #begun = new Set<string>()

  constructor(messages: readonly AgUiMessage[] = []) {
    this.#replace(messages)
  }

  take(events: readonly AgUiEvent[]): void {
    for (const event of events) this.#take(event)
  }

  /** What has to be ended before the run is. */
  get open(): readonly string[] {
    return [...this.#open]
  }

  #take(event: AgUiEvent): void {
    this.types.push(event.type)
    switch (event.type) {
      case 'TEXT_MESSAGE_START':
        this.#begin(`text ${event.messageId}`)
        this.#message(event.messageId)
        break
      case 'TEXT_MESSAGE_CONTENT':
        this.#isOpen(`text ${event.messageId}`)
        this.#message(event.messageId).text += event.delta
        break
      case 'TOOL_CALL_START':
        this.#begin(`call ${event.toolCallId}`)
        expect(this.#begun, 'the call is begun again').not.toContain(event.toolCallId)
        this.#begun.add(event.toolCallId)
        this.#message(event.parentMessageId).calls[event.toolCallId] = ''
        break
      case 'TOOL_CALL_ARGS':
        this.#isOpen(`call ${event.toolCallId}`)
        this.#withCall(event.toolCallId).calls[event.toolCallId] += event.delta
        break
      case 'TOOL_CALL_RESULT':
        expect(this.messages, 'it has a result').not.toContain(event.messageId)
        this.#message(event.messageId).result = event.content
        break
      case 'MESSAGES_SNAPSHOT':
        this.#replace(event.messages)
        break
      default:
        this.#other(event)
    }
  }

  #other(event: AgUiEvent): void {
    if (event.type === 'TEXT_MESSAGE_END') this.#end(`text ${event.messageId}`)
    if (event.type === 'TOOL_CALL_END') this.#end(`call ${event.toolCallId}`)
    if (event.type === 'REASONING_START') this.#begin(`thoughts ${event.messageId}`)
    if (event.type === 'REASONING_END') this.#end(`thoughts ${event.messageId}`)
  }

  #begin(part: string): void {
    expect(this.#open, 'it is open').not.toContain(part)
    this.#open.add(part)
  }

  #isOpen(part: string): void {
    expect(this.#open, 'it is not open').toContain(part)
  }

  #end(part: string): void {
    this.#isOpen(part)
    this.#open.delete(part)
  }

  #message(id: string): Shown {
    const message = this.messages.get(id) ?? { text: '', calls: {}, result: '' }
    this.messages.set(id, message)
    return message
  }

  #withCall(id: string): Shown {
    return [...this.messages.values()].find(({ calls }) => id in calls) as Shown
  }

  #replace(messages: readonly AgUiMessage[]): void {
    this.messages.clear()
    for (const [id, shown] of shownIn(messages)) this.messages.set(id, shown)
  }
}

/** The messages of the agent as a client shows them. */
function shownIn(messages: readonly AgUiMessage[]): Map<string, Shown> {
  const agent = messages.filter(({ role }) => role !== 'user')
  return new Map(
    agent.map(message => {
      const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : []
      const text = message.role === 'assistant' ? (message.content ?? '') : ''
      const result = message.role === 'tool' ? message.content : ''
      const asked = calls.map(({ id, function: { arguments: args } }) => [id, args] as const)
      return [message.id, { text, calls: Object.fromEntries(asked), result }]
    }),
  )
}

function fresh(): { readonly conversation: Conversation; readonly projection: Projection; readonly client: Client } {
  const conversation = conversationOf('th_1', [])
  return { conversation, projection: new Projection(conversation, new Set()), client: new Client() }
}

/** A file has the journals of one story: a fork has one of its own. */
const JOURNALS = globSync('test/journals/*/*.jsonl')
  .toSorted()
  .flatMap(path => {
    const name = `${basename(dirname(path))}/${basename(path, '.jsonl')}`
    const lines = readFileSync(path, 'utf8').split('\n')
    const events = lines.filter(line => line !== '').map((line): JournalEvent => JSON.parse(line))
    return Object.values(Object.groupBy(events, ({ thread_id }) => thread_id)).map((own = []) => [name, own] as const)
  })

/** A client that knows what was said up to `since`, and is told the rest. */
function told(events: readonly JournalEvent[], since: number): { readonly client: Client; readonly whole: Client } {
  const conversation = conversationOf(
    events[0]?.thread_id ?? '',
    events.filter(({ seq }) => seq <= since),
  )
  const projection = new Projection(conversation, new Set())
  const client = new Client(messagesOf(conversation.messages))
  for (const event of events.filter(({ seq }) => seq > since)) {
    takeIn(conversation, event)
    client.take(projection.hear(event))
  }
  client.take(projection.rest())
  return { client, whole: new Client(messagesOf(conversation.messages)) }
}

/** Texts, calls and results, by message. Arguments that a person edited come with the snapshot alone. */
function compared({ messages }: Client): unknown {
  return new Map(
    [...messages].map(([id, { text, calls, result }]) => [id, { text, calls: Object.keys(calls), result }] as const),
  )
}

test('there are journals to read', () => expect(JOURNALS.length).toBeGreaterThan(50))

describe.each(JOURNALS)('%s', (_, events) => {
  test('A1, A2: a client that joins after any event is told the rest once, and nothing stays open', () => {
    for (const { seq } of [{ seq: 0 }, ...events]) {
      const { client, whole } = told(events, seq)
      expect(client.open, `joined after ${seq}`).toEqual([])
      expect(compared(client), `joined after ${seq}`).toEqual(compared(whole))
    }
  })
})

const PLACE = { thread_id: 'th_1', run_id: 'run_1' }

function piece(part: ModelPart, index: number): Ephemeral {
  return { ...part, ...PLACE, ephemeral: true, after: 2, index }
}

function durable(seq: number, kind: string, data: object): JournalEvent {
  return { seq, at: '2030-01-01T00:00:00.000Z', ...PLACE, kind, data } as unknown as JournalEvent
}

const STARTED = JOURNALS.at(-1)?.[1].find(({ kind }) => kind === 'run.started')
const USAGE = { input_tokens: 0, output_tokens: 0, total_tokens: 0 }

/** A run that was told to begin. */
function begun() {
  const scene = fresh()
  const hear = (event: JournalEvent | Ephemeral) => {
    if (!('ephemeral' in event)) takeIn(scene.conversation, event)
    scene.client.take(scene.projection.hear(event))
  }
  hear({ ...(STARTED as JournalEvent), ...PLACE, seq: 1 })
  hear(durable(2, 'message.received', { content: 'go', author: 'ana', forced_by: null, input_id: 'u1' }))
  return { ...scene, hear }
}

function answer(text: string): JournalEvent[] {
  const said = { text, calls: [], usage: USAGE, model: 'm', finish_reason: 'stop', forced_by: null }
  return [durable(3, 'step.started', { step: 1 }), durable(4, 'model.answered', said)]
}

test('a text comes in pieces as one message, and its answer brings the rest', () => {
  const { client, hear } = begun()
  hear(piece({ kind: 'text.start', data: { id: '1.a' } }, 0))
  hear(piece({ kind: 'text.delta', data: { id: '1.a', delta: 'I am' } }, 1))
  for (const event of answer('I am here.')) hear(event)
  expect(client.types).toEqual([
    ...['TEXT_MESSAGE_START', 'TEXT_MESSAGE_CONTENT', 'TEXT_MESSAGE_CONTENT', 'TEXT_MESSAGE_END'],
  ])
  expect([...client.messages.values()]).toMatchObject([{ text: 'I am here.' }])
})

test('A3: pieces that were told in vain are put right by a snapshot, and those that come anew are told', () => {
  const { client, hear } = begun()
  hear(piece({ kind: 'text.start', data: { id: '1.a' } }, 0))
  hear(piece({ kind: 'text.delta', data: { id: '1.a', delta: 'Wrong' } }, 1))
  hear(piece({ kind: 'tool_input.start', data: { call_id: 'c1', name: 'work' } }, 2))
  hear(piece({ kind: 'inference.void', data: { because: 'retry' } }, 3))
  expect(client.types.at(-1)).toBe('MESSAGES_SNAPSHOT')
  expect([client.open, [...client.messages]]).toEqual([[], []])
  hear(piece({ kind: 'text.start', data: { id: '1.b' } }, 0))
  hear(piece({ kind: 'text.delta', data: { id: '1.b', delta: 'Right.' } }, 1))
  expect([...client.messages.values()]).toMatchObject([{ text: 'Right.' }])
  for (const event of answer('Right.')) hear(event)
  expect(client.open).toEqual([])
  expect([...client.messages.values()]).toMatchObject([{ text: 'Right.', calls: {} }])
})

test('A3: an answer that is not what its pieces said is put right by a snapshot', () => {
  const { client, hear } = begun()
  hear(piece({ kind: 'text.start', data: { id: '1.a' } }, 0))
  hear(piece({ kind: 'text.delta', data: { id: '1.a', delta: 'a secret' } }, 1))
  for (const event of answer('[removed]')) hear(event)
  expect(client.types.at(-1)).toBe('MESSAGES_SNAPSHOT')
  expect([...client.messages.values()]).toMatchObject([{ text: '[removed]' }])
})
