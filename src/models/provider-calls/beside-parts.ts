/** What a provider sends beside text, thoughts and calls: calls that it ran itself, their results, files and sources. */
import { randomUUID } from 'node:crypto'
import type { LanguageModelV4StreamPart, SharedV4ProviderMetadata } from '@ai-sdk/provider'
import { imageType } from '../../core/message/image-facts.ts'
import type { MadePart, ProviderCallPart, SourcePart } from '../../core/message/part.ts'
import { isJsonObject, type Json } from '../../core/text/json.ts'
import type { WireName } from '../provider-rules/provider-rules.ts'

type PartOf<T extends LanguageModelV4StreamPart['type']> = Extract<LanguageModelV4StreamPart, { type: T }>

/** A call whose result may still arrive. */
type Open<T> = { -readonly [K in keyof T]: T[K] }

type Beside = SourcePart | MadePart | ProviderCallPart

/** OpenAI names the tools of MCP servers like this; the server is named with the result. */
const OF_SERVER = 'mcp.'

export class BesideParts {
  readonly #wire: WireName
  readonly #calls = new Map<string, Open<ProviderCallPart>>()
  readonly #sources = new Map<string, Open<SourcePart>>()

  constructor(wire: WireName) {
    this.#wire = wire
  }

  /** The new parts of the answer, in their order. The result of a call joins the call. */
  take(part: LanguageModelV4StreamPart): readonly Beside[] {
    if (part.type === 'tool-call') return part.providerExecuted ? [this.#call(part)] : []
    if (part.type === 'tool-result') return part.preliminary ? [] : this.#result(part)
    if (part.type === 'source') return this.#source(part)
    if (part.type === 'text-end') this.#cited(part.providerMetadata)
    if (part.type === 'finish') return this.#grounding(part.providerMetadata)
    return part.type === 'file' ? madeOf(part) : []
  }

  #call({ toolCallId: id, toolName, input, providerMetadata }: PartOf<'tool-call'>): ProviderCallPart {
    const metadata = plainMetadata(providerMetadata)
    const call: Open<ProviderCallPart> = {
      ...{ type: 'provider_call', id, ...namesOf(toolName, providerMetadata) },
      arguments: argumentsIn(input),
      wire: this.#wire,
      ...(metadata !== null && { metadata }),
    }
    this.#calls.set(id, call)
    return call
  }

  #result({ toolCallId: id, toolName, result, isError, providerMetadata }: PartOf<'tool-result'>): readonly Beside[] {
    const known = this.#calls.get(id)
    const call = known ?? this.#calledBefore(id, toolName)
    const plain = JSON.parse(JSON.stringify(result)) as Json
    const images = madeImages(plain)
    const metadata = plainMetadata(providerMetadata)
    // The bytes are in the parts that follow.
    call.result = images.length > 0 ? { images: images.length } : plain
    if (isError) call.is_error = true
    if (metadata !== null) call.result_metadata = metadata
    Object.assign(call, saidByResult(plain, call))
    return known ? images : [call, ...images]
  }

  #calledBefore(id: string, toolName: string): Open<ProviderCallPart> {
    return { type: 'provider_call', id, ...namesOf(toolName, undefined), arguments: null, wire: this.#wire }
  }

  /** A source that is cited several times is one. */
  #source(part: PartOf<'source'>): readonly SourcePart[] {
    const key = part.sourceType === 'url' ? part.url : `${part.id} ${part.filename ?? part.title}`
    const { id, title } = part
    if (this.#sources.has(key)) return []
    const place =
      part.sourceType === 'url'
        ? { url: part.url }
        : { media_type: part.mediaType, ...(part.filename !== undefined && { name: part.filename }) }
    const source: Open<SourcePart> = { type: 'source', id, ...place, ...(title !== undefined && { title }) }
    this.#sources.set(key, source)
    return [source]
  }

  /** OpenAI lists the addresses of a search; only the citations of a text have their titles. */
  #cited(metadata: SharedV4ProviderMetadata | undefined): void {
    const annotations = Object.values(metadata ?? {}).flatMap(({ annotations: given = [] }) => given as Json)
    for (const annotation of annotations.filter(isJsonObject)) {
      const source = this.#sources.get(String(annotation['url']))
      if (source && typeof annotation['title'] === 'string') source.title ??= annotation['title']
    }
  }

  /** Gemini searches without a call: what it searched for comes with the end of its answer. */
  #grounding(metadata: SharedV4ProviderMetadata | undefined): readonly ProviderCallPart[] {
    const found = Object.values(metadata ?? {}).find(each => isJsonObject(each['groundingMetadata'] as Json))
    const queries = (found?.['groundingMetadata'] as { readonly webSearchQueries?: unknown })?.webSearchQueries
    const isKnown = [...this.#calls.values()].some(({ name }) => name === SEARCH)
    if (isKnown || !Array.isArray(queries) || queries.length === 0) return []
    const args = { queries: queries.map(String) }
    const id = `${SEARCH}_${randomUUID().slice(0, 8)}`
    return [{ type: 'provider_call', id, name: SEARCH, arguments: args, result: null, wire: this.#wire }]
  }
}

const SEARCH = 'google_search'

function namesOf(
  toolName: string,
  metadata: SharedV4ProviderMetadata | undefined,
): Pick<ProviderCallPart, 'name' | 'server'> {
  const name = toolName.startsWith(OF_SERVER) ? toolName.slice(OF_SERVER.length) : toolName
  const server = Object.values(metadata ?? {}).find(each => typeof each['serverName'] === 'string')?.['serverName']
  return { name, ...(typeof server === 'string' && { server }) }
}

/** OpenAI says only with the result what it searched for, and which server it asked. */
function saidByResult(result: Json, call: ProviderCallPart): Partial<ProviderCallPart> {
  if (!isJsonObject(result)) return {}
  const { action = null, serverLabel: server } = result
  return {
    ...(isJsonObject(action) && JSON.stringify(call.arguments) === '{}' && { arguments: action }),
    ...(typeof server === 'string' && { server }),
  }
}

function argumentsIn(input: string): ProviderCallPart['arguments'] {
  if (input.trim() === '') return {}
  try {
    const args = JSON.parse(input) as Json
    return isJsonObject(args) ? args : input
  } catch {
    return input
  }
}

/** The image that a tool of OpenAI made is the base64 text of its result. */
function madeImages(result: Json): readonly MadePart[] {
  const data = isJsonObject(result) ? result['result'] : null
  const media_type = typeof data === 'string' ? imageType(Buffer.from(data.slice(0, HEAD), 'base64')) : null
  return media_type && typeof data === 'string' ? [{ type: 'image', media_type, data }] : []
}

/** 66 bytes in base64. */
const HEAD = 88

const MEDIA_TYPE = /^[a-z]+\/[a-z0-9][\w.+-]*$/

function madeOf({ mediaType, data, providerMetadata }: PartOf<'file'>): readonly MadePart[] {
  const [plain = ''] = mediaType.toLowerCase().split(';', 1)
  const media_type = MEDIA_TYPE.test(plain.trim()) ? plain.trim() : 'application/octet-stream'
  const metadata = plainMetadata(providerMetadata)
  const made = {
    type: media_type.startsWith('image/') ? ('image' as const) : ('file' as const),
    media_type,
    ...(metadata !== null && { metadata }),
  }
  if (data.type === 'url') return /^https?:/.test(data.url.href) ? [{ ...made, url: data.url.href }] : []
  // A provider may leave out the padding, which the gate asks for.
  const bytes = typeof data.data === 'string' ? Buffer.from(data.data, 'base64') : Buffer.from(data.data)
  return bytes.length === 0 ? [] : [{ ...made, data: bytes.toString('base64') }]
}

/** The metadata as plain JSON; `null` if there is none. */
export function plainMetadata(metadata: SharedV4ProviderMetadata | undefined): Json {
  return metadata ? (JSON.parse(JSON.stringify(metadata)) as Json) : null
}
