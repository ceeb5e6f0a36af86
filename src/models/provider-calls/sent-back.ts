/** How what a provider sent beside its text goes back to it, or to another one. */
import type {
  LanguageModelV4FilePart,
  LanguageModelV4TextPart,
  LanguageModelV4ToolCallPart,
  LanguageModelV4ToolResultPart,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider'
import type { AnswerPart, FilePart, ImagePart, MadePart, ProviderCallPart } from '../../core/message/part.ts'
import { type BesidePart, callWords, partWords } from '../../core/message/part-words.ts'
import { isJsonObject, type Json } from '../../core/text/json.ts'
import { cutText } from '../../core/text/kept-text.ts'
import type { WireName } from '../provider-rules/provider-rules.ts'

/** Whether a wire takes a call of this tool back with its result, or wants nothing of it. All others become a line of text. */
type Taken = 'whole' | 'nothing'

/** By the tool of the provider. Those of the AI SDK's packages that they write as items of the provider. */
const CALLS_BACK: Readonly<Record<WireName, Readonly<Record<string, Taken>>>> = {
  // The page "Web search tool": the blocks are to be passed back as they came, with their encrypted contents.
  anthropic: { web_search: 'whole', web_fetch: 'whole', code_execution: 'whole' },
  // Without storage, only searches are items that can be written again.
  openai_responses: { web_search: 'whole', web_search_preview: 'whole' },
  // The page "Grounding with Google Search": the metadata of an answer are no part of a request.
  google: { code_execution: 'whole', google_search: 'nothing', url_context: 'nothing' },
  openai_chat: {},
  compatible: {},
}

/** How the calls of the answers reach a model: `null` for one of a provider that nobody knows. */
export type WireBack = WireName | null

type SentPart =
  | LanguageModelV4TextPart
  | LanguageModelV4FilePart
  | LanguageModelV4ToolCallPart
  | LanguageModelV4ToolResultPart

/** The part as this provider takes it: as it came, or in one line. */
export function sentBack(part: BesidePart, wire: WireBack): SentPart[] {
  if (part.type === 'source') return []
  if (part.type === 'provider_call') return callBack(part, wire)
  if (wire === 'google' && part.data !== undefined) return [fileBack(part, part.data)]
  const { metadata: _, ...plain } = part
  return [text(`${partWords(plain as ImagePart | FilePart).slice(0, -1)}: you made it, and it is not sent back]`)]
}

function callBack(call: ProviderCallPart, wire: WireBack): SentPart[] {
  const taken = takenBack(call, wire)
  if (taken === 'nothing') return []
  const { id: toolCallId, name: toolName, arguments: input, result = null } = call
  if (taken !== 'whole') return [text(inOneLine(call))]
  return [
    { type: 'tool-call', toolCallId, toolName, input, providerExecuted: true, ...optionsOf(call.metadata) },
    {
      type: 'tool-result',
      toolCallId,
      toolName,
      output: { type: call.is_error ? 'error-json' : 'json', value: result as never },
      ...optionsOf(call.result_metadata ?? call.metadata),
    },
  ]
}

function takenBack({ name, server, wire: from, ...call }: ProviderCallPart, wire: WireBack): Taken | null {
  if (wire === null || from !== wire) return null
  const known = Object.hasOwn(CALLS_BACK[wire], name) ? (CALLS_BACK[wire][name] ?? null) : null
  if (known === 'nothing') return known
  // Half of a call is refused: its other half is in another message.
  if (call.result === undefined || !isJsonObject(call.arguments)) return null
  const isItem = server === undefined ? known !== null || isServerCall(call.metadata) : wire === 'anthropic'
  return isItem ? 'whole' : null
}

/** Gemini names its own calls so, if other tools are offered with them. */
function isServerCall(metadata: Json | undefined): boolean {
  const each = isJsonObject(metadata ?? null) ? Object.values(metadata as object) : []
  return each.some(given => isJsonObject(given) && given['serverToolCallId'] !== undefined)
}

/** Characters of the result. */
const LONGEST_RESULT = 1_000

function inOneLine(call: ProviderCallPart): string {
  const { result } = call
  const written = typeof result === 'string' ? result : JSON.stringify(result ?? null)
  const line = written.replaceAll(/\s+/g, ' ')
  const found = line === 'null' ? '' : `: ${line.length > LONGEST_RESULT ? `${cutText(line, LONGEST_RESULT)}…` : line}`
  return `[${callWords(call)}${found}]`
}

function fileBack({ media_type: mediaType, name, metadata }: MadePart, data: string): LanguageModelV4FilePart {
  return {
    type: 'file',
    mediaType,
    data: { type: 'data', data },
    ...(name !== undefined && { filename: name }),
    ...optionsOf(metadata),
  }
}

/** Citations of a search are refused without the search that they cite. */
export function withoutVainCitations(metadata: Json, parts: readonly AnswerPart[], wire: WireBack): Json {
  const isCited = parts.some(part => part.type === 'provider_call' && takenBack(part, wire) === 'whole')
  const { anthropic = null } = isJsonObject(metadata) ? metadata : {}
  if (isCited || !isJsonObject(anthropic) || !Array.isArray(anthropic['citations'])) return metadata
  const { citations: _, ...others } = anthropic
  const kept = (anthropic['citations'] as Json[]).filter(each => !isOfSearch(each))
  return { ...(metadata as object), anthropic: kept.length > 0 ? { ...others, citations: kept } : others }
}

function isOfSearch(citation: Json): boolean {
  return isJsonObject(citation) && citation['type'] === 'web_search_result_location'
}

function optionsOf(metadata: Json | undefined): { providerOptions?: SharedV4ProviderOptions } {
  return isJsonObject(metadata ?? null) ? { providerOptions: metadata as SharedV4ProviderOptions } : {}
}

function text(written: string): LanguageModelV4TextPart {
  return { type: 'text', text: written }
}
