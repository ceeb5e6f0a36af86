import type { LanguageModelV4StreamPart, SharedV4ProviderMetadata } from '@ai-sdk/provider'
import type { AnswerPart } from '../../core/message/part.ts'
import type { BesidePart } from '../../core/message/part-words.ts'
import { isJsonObject, type Json } from '../../core/text/json.ts'
import { BesideParts, plainMetadata } from '../provider-calls/beside-parts.ts'
import type { WireName } from '../provider-rules/provider-rules.ts'

interface Thought {
  readonly type: 'reasoning'
  text: string
  metadata: Json
}

interface Said {
  readonly type: 'text'
  text: string
  metadata: Json
}

type Taken = Thought | Said | Extract<AnswerPart, { type: 'tool_call' }> | BesidePart

type Piece = Extract<LanguageModelV4StreamPart, { id: string; providerMetadata?: SharedV4ProviderMetadata }>

/** In which order a model thought, spoke and called. The provider wants its thoughts and words back as they were. */
export class AnswerOrder {
  readonly #parts: Taken[] = []
  readonly #beside: BesideParts
  readonly #open: { readonly [K in 'reasoning' | 'text']: Map<string, Thought | Said> } = {
    reasoning: new Map(),
    text: new Map(),
  }

  constructor(wire: WireName) {
    this.#beside = new BesideParts(wire)
  }

  take(part: LanguageModelV4StreamPart): void {
    if (part.type === 'reasoning-start' || part.type === 'reasoning-delta' || part.type === 'reasoning-end')
      this.#speak('reasoning', part)
    if (part.type === 'text-start' || part.type === 'text-delta' || part.type === 'text-end') this.#speak('text', part)
    // The next text may have the same id.
    if (part.type === 'text-end' || part.type === 'tool-call') this.#open.text.clear()
    if (part.type === 'tool-call' && !part.providerExecuted)
      this.#parts.push({ type: 'tool_call', id: part.toolCallId })
    this.#parts.push(...this.#beside.take(part))
  }

  /** Nothing if text and calls say it all. */
  said(): { readonly parts?: readonly AnswerPart[] } {
    const parts = this.#parts.filter(isWorthKeeping)
    const isPlain = parts.every(part => part.type === 'tool_call' || (part.type === 'text' && part.metadata === null))
    return isPlain ? {} : { parts: parts.reduce<AnswerPart[]>(withPart, []) }
  }

  /** Metadata may come with any piece, also with one that has no text. */
  #speak(type: 'reasoning' | 'text', piece: Piece): void {
    const spoken = this.#open[type].get(piece.id) ?? this.#begin(type, piece.id)
    if ('delta' in piece) spoken.text += piece.delta
    if (piece.providerMetadata) spoken.metadata = merged(spoken.metadata, plainMetadata(piece.providerMetadata))
  }

  #begin(type: 'reasoning' | 'text', id: string): Thought | Said {
    const spoken: Thought | Said = { type, text: '', metadata: null }
    this.#open[type].set(id, spoken)
    this.#parts.push(spoken)
    return spoken
  }
}

/** Texts in a row are one, unless the provider tells them apart. */
function withPart(parts: AnswerPart[], part: Taken): AnswerPart[] {
  const last = parts.at(-1)
  if (part.type !== 'text' || part.metadata !== null) return [...parts, part]
  if (last?.type !== 'text' || last.metadata !== undefined) return [...parts, { type: 'text', text: part.text }]
  return [...parts.slice(0, -1), { type: 'text', text: last.text + part.text }]
}

/** A thought may be all in its metadata: encrypted, or redacted. A text is not. */
function isWorthKeeping(part: Taken): boolean {
  if (part.type === 'text') return part.text !== ''
  return part.type !== 'reasoning' || part.text !== '' || part.metadata !== null
}

/** Provider by provider: the later word wins. */
function merged(before: Json, after: Json): Json {
  if (!isJsonObject(before) || !isJsonObject(after)) return after
  const entries = Object.entries(after).map(([provider, said]) => {
    const earlier = before[provider]
    return [provider, isJsonObject(earlier) && isJsonObject(said) ? { ...earlier, ...said } : said]
  })
  return { ...before, ...Object.fromEntries(entries) }
}
