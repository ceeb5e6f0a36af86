import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import type { InferencePart } from '../../ports/agent/model-part.ts'

type PartOf<T extends LanguageModelV4StreamPart['type']> = Extract<LanguageModelV4StreamPart, { type: T }>

type Tell = (part: InferencePart) => void

/** Streams the pieces of one answer. Calls that the provider runs itself are left out. */
export function tellPieces(tell: Tell): (part: LanguageModelV4StreamPart) => void {
  const calls = new CallPieces(tell)
  return part => {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start':
      case 'text-end':
      case 'reasoning-end':
        return tell({ kind: KINDS[part.type], data: { id: part.id } })
      case 'text-delta':
      case 'reasoning-delta':
        return tell({ kind: KINDS[part.type], data: { id: part.id, delta: part.delta } })
      case 'tool-input-start':
        return calls.start(part)
      case 'tool-input-delta':
        return calls.delta(part)
      case 'tool-call':
        return calls.end(part)
      default:
        return
    }
  }
}

const KINDS = {
  'text-start': 'text.start',
  'text-delta': 'text.delta',
  'text-end': 'text.end',
  'reasoning-start': 'reasoning.start',
  'reasoning-delta': 'reasoning.delta',
  'reasoning-end': 'reasoning.end',
} as const

/** Arguments as they are written. Some providers give them only whole, with the call. */
class CallPieces {
  readonly #tell: Tell
  readonly #streamed = new Set<string>()

  constructor(tell: Tell) {
    this.#tell = tell
  }

  start({ id, toolName, inputEncoding, providerExecuted }: PartOf<'tool-input-start'>): void {
    if (providerExecuted || inputEncoding === 'text') return
    this.#streamed.add(id)
    this.#tell({ kind: 'tool_input.start', data: { call_id: id, name: toolName } })
  }

  delta({ id, delta }: PartOf<'tool-input-delta'>): void {
    if (this.#streamed.has(id)) this.#tell({ kind: 'tool_input.delta', data: { call_id: id, delta } })
  }

  end({ toolCallId: call_id, toolName: name, input: delta, providerExecuted }: PartOf<'tool-call'>): void {
    if (providerExecuted) return
    if (!this.#streamed.delete(call_id)) {
      this.#tell({ kind: 'tool_input.start', data: { call_id, name } })
      this.#tell({ kind: 'tool_input.delta', data: { call_id, delta } })
    }
    this.#tell({ kind: 'tool_input.end', data: { call_id } })
  }
}
