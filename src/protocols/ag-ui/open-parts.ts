import type { BesidePart } from '../../core/message/part-words.ts'
import type { Json } from '../../core/text/json.ts'
import type { Moment } from '../turns/moment.ts'
import type { AgUiEvent } from './ag-ui-event.ts'
import { resultId, resultOf } from './messages.ts'

/** The parts of answers that were sent to a client, and which of them are still open. */
export class OpenParts {
  /** Results that the client has from itself. */
  readonly #results: ReadonlySet<string>
  /** By part: the message that it is in. */
  readonly #texts = new Map<string, string>()
  readonly #thoughts = new Map<string, string>()
  /** Calls whose arguments come. */
  readonly #calls = new Set<string>()
  /** Calls that were begun. */
  readonly #begun = new Set<string>()
  /** The text so far of the newest answer. */
  text = ''
  /** False if the client was sent something that is not true. */
  isTrue = true

  constructor(results: ReadonlySet<string>) {
    this.#results = results
  }

  beginAnswer(): AgUiEvent[] {
    const ended = this.endAll()
    this.text = ''
    return ended
  }

  endAll(): AgUiEvent[] {
    return [
      ...[...this.#thoughts.keys()].flatMap(id => this.endThought(id)),
      ...[...this.#texts.keys()].flatMap(id => this.endText(id)),
      ...[...this.#calls].flatMap(id => this.endCall(id)),
    ]
  }

  /** All texts of an answer are one message. */
  beginText(id: string, messageId: string): AgUiEvent[] {
    const isFirst = ![...this.#texts.values()].includes(messageId)
    this.#texts.set(id, messageId)
    return isFirst ? [{ type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' }] : []
  }

  say(id: string, delta: string): AgUiEvent[] {
    const messageId = this.#texts.get(id)
    if (messageId === undefined) return []
    this.text += delta
    return [{ type: 'TEXT_MESSAGE_CONTENT', messageId, delta }]
  }

  endText(id: string): AgUiEvent[] {
    const messageId = this.#texts.get(id)
    this.#texts.delete(id)
    if (messageId === undefined || [...this.#texts.values()].includes(messageId)) return []
    return [{ type: 'TEXT_MESSAGE_END', messageId }]
  }

  beginThought(id: string, answer: string): AgUiEvent[] {
    const messageId = `${answer}.thought.${id}`
    this.#thoughts.set(id, messageId)
    return [
      { type: 'REASONING_START', messageId },
      { type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning' },
    ]
  }

  think(id: string, delta: string): AgUiEvent[] {
    const messageId = this.#thoughts.get(id)
    return messageId === undefined ? [] : [{ type: 'REASONING_MESSAGE_CONTENT', messageId, delta }]
  }

  endThought(id: string): AgUiEvent[] {
    const messageId = this.#thoughts.get(id)
    if (messageId === undefined) return []
    this.#thoughts.delete(id)
    return [
      { type: 'REASONING_MESSAGE_END', messageId },
      { type: 'REASONING_END', messageId },
    ]
  }

  /** Clients add the arguments of a call that begins again to those that they have. */
  beginCall(toolCallId: string, toolCallName: string, parentMessageId: string): AgUiEvent[] {
    if (this.#begun.has(toolCallId)) {
      this.isTrue = false
      return this.endCall(toolCallId)
    }
    this.#begun.add(toolCallId)
    this.#calls.add(toolCallId)
    return [{ type: 'TOOL_CALL_START', toolCallId, toolCallName, parentMessageId }]
  }

  argue(toolCallId: string, delta: string): AgUiEvent[] {
    return this.#calls.has(toolCallId) ? [{ type: 'TOOL_CALL_ARGS', toolCallId, delta }] : []
  }

  endCall(toolCallId: string): AgUiEvent[] {
    return this.#calls.delete(toolCallId) ? [{ type: 'TOOL_CALL_END', toolCallId }] : []
  }

  dropCall(toolCallId: string): AgUiEvent[] {
    this.isTrue = false
    return this.endCall(toolCallId)
  }

  finishCall({ call, hold }: Extract<Moment, { kind: 'call.finished' }>): AgUiEvent[] {
    const messageId = resultId(call, hold)
    const ended = this.endCall(call.id)
    if (this.#results.has(messageId)) return ended
    const { content } = resultOf(call)
    return [...ended, { type: 'TOOL_CALL_RESULT', messageId, toolCallId: call.id, content, role: 'tool' }]
  }
}

/** `answer`: the message of the answer that the moment is about. */
export function eventsOf(moment: Moment, parts: OpenParts, answer: string): AgUiEvent[] {
  const tell = TELL[moment.kind] as Teller<Moment['kind']>
  return tell(parts, moment, answer)
}

/** Without what only the provider reads. */
function shownPart(part: BesidePart): Json {
  const { metadata: _, ...shown } = { metadata: null, ...part }
  if (shown.type !== 'provider_call') return shown
  const { result_metadata: __, wire: ___, ...call } = shown
  return call
}

type Teller<K extends Moment['kind']> = (
  parts: OpenParts,
  moment: Extract<Moment, { kind: K }>,
  answer: string,
) => AgUiEvent[]

const nothing = (): AgUiEvent[] => []

const TELL: { readonly [K in Moment['kind']]: Teller<K> } = {
  'step.started': parts => parts.beginAnswer(),
  'step.ended': nothing,
  'text.started': (parts, { id }, answer) => parts.beginText(id, answer),
  'text.delta': (parts, { id, delta }) => parts.say(id, delta),
  'text.ended': (parts, { id }) => parts.endText(id),
  'reasoning.started': (parts, { id }, answer) => parts.beginThought(id, answer),
  'reasoning.delta': (parts, { id, delta }) => parts.think(id, delta),
  'reasoning.ended': (parts, { id }) => parts.endThought(id),
  beside: (_, { part }) => [{ type: 'CUSTOM', name: 'holdpoint.part', value: shownPart(part) }],
  'input.started': (parts, { call_id, name }, answer) => parts.beginCall(call_id, name, answer),
  'input.delta': (parts, { call_id, delta }) => parts.argue(call_id, delta),
  'call.dropped': (parts, { call_id }) => parts.dropCall(call_id),
  'call.ready': (parts, { call }) => parts.endCall(call.id),
  'call.asked': (parts, { call }) => parts.endCall(call.id),
  'output.delta': nothing,
  'call.finished': (parts, moment) => parts.finishCall(moment),
}
