import type { LanguageModelV4StreamPart, SharedV4ProviderMetadata } from '@ai-sdk/provider'
import type { AnswerPart } from '../../core/message/part.ts'
import { isJsonObject, type Json } from '../../core/text/json.ts'

interface Thought {
  readonly type: 'reasoning'
  text: string
  metadata: Json
}

interface Said {
  readonly type: 'text'
  text: string
}

type Taken = Thought | Said | Extract<AnswerPart, { type: 'tool_call' }>

/** In which order a model thought, spoke and called. The provider wants its thoughts back there, as they were. */
export class AnswerOrder {
  readonly #parts: Taken[] = []
  readonly #thoughts = new Map<string, Thought>()

  take(part: LanguageModelV4StreamPart): void {
    if (part.type === 'reasoning-start' || part.type === 'reasoning-delta' || part.type === 'reasoning-end')
      this.#think(part.id, part.type === 'reasoning-delta' ? part.delta : '', part.providerMetadata)
    if (part.type === 'text-delta' && part.delta !== '') this.#say(part.delta)
    if (part.type === 'tool-call' && !part.providerExecuted)
      this.#parts.push({ type: 'tool_call', id: part.toolCallId })
  }

  /** Nothing if text and calls say it all. */
  said(): { readonly parts?: readonly AnswerPart[] } {
    return this.#thoughts.size === 0 ? {} : { parts: this.#parts.filter(isWorthKeeping) }
  }

  /** A signature may come with any piece, also with one that has no text. */
  #think(id: string, delta: string, metadata: SharedV4ProviderMetadata | undefined): void {
    const thought = this.#thoughts.get(id) ?? this.#begin(id)
    thought.text += delta
    if (metadata) thought.metadata = merged(thought.metadata, plainMetadata(metadata))
  }

  #begin(id: string): Thought {
    const thought: Thought = { type: 'reasoning', text: '', metadata: null }
    this.#thoughts.set(id, thought)
    this.#parts.push(thought)
    return thought
  }

  #say(delta: string): void {
    const last = this.#parts.at(-1)
    if (last?.type === 'text') last.text += delta
    else this.#parts.push({ type: 'text', text: delta })
  }
}

/** The metadata as plain JSON; `null` if there is none. */
export function plainMetadata(metadata: SharedV4ProviderMetadata | undefined): Json {
  return metadata ? (JSON.parse(JSON.stringify(metadata)) as Json) : null
}

/** A thought may be all in its metadata: encrypted, or redacted. */
function isWorthKeeping(part: Taken): boolean {
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
