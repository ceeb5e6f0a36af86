import type {
  JSONValue,
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4TextPart,
  LanguageModelV4ToolCallPart,
  LanguageModelV4ToolResultOutput,
  LanguageModelV4ToolResultPart,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider'
import type { AssistantMessage, Message, MessageCall, ToolMessage } from '../../core/journal/message.ts'
import type { AnswerPart, Content, ContentPart, FilePart, ImagePart } from '../../core/message/part.ts'
import { isJsonObject, type Json } from '../../core/text/json.ts'
import { sentBack, type WireBack, withoutVainCitations } from '../provider-calls/sent-back.ts'
import type { FittedTools } from '../provider-rules/fit-tools.ts'
import type { FileRules } from '../provider-rules/provider-rules.ts'
import { fitPart, longestSide } from './fit-part.ts'

export interface PromptOptions {
  /** False if the API takes no images or files in the results of tools: then they follow as a message of the user. */
  readonly filesInResults: boolean
  /** The files that the provider reads. Default: any. */
  readonly files?: FileRules | null
  /** The names of tools and fields, and the ids of calls, that the provider takes. Default: their own. */
  readonly tools?: Pick<FittedTools, 'wireName' | 'wireArguments' | 'wireCallId'>
  /** The provider that takes its own calls and files back. Default: none is known. */
  readonly wire?: WireBack
  /** Filled with where each part comes from. */
  readonly origins?: Origins
}

/** By a part of the prompt: the place of its message, and that of the part in it if it is an image or a file. */
export type Origins = WeakMap<object, { readonly message: number; readonly part?: number }>

const OWN_NAMES: Required<PromptOptions>['tools'] = {
  wireName: name => name,
  wireArguments: (_name, args) => args,
  wireCallId: id => id,
}

interface Draft extends Required<PromptOptions> {
  readonly messages: LanguageModelV4Message[]
  /** The longest side of an image, in pixels. */
  readonly side: number | undefined
  /** The place of the message that is being added. */
  place: number
  /** Files of the results that were written last, each after the name of its tool. */
  shown: UserPart[]
}

type UserPart = LanguageModelV4TextPart | LanguageModelV4FilePart

/**
 * The conversation as providers accept it: one system message in front, no empty message, the results of one answer's
 * calls together in one tool message (P5).
 */
export function toPrompt(
  system: string | null,
  messages: readonly Message[],
  { filesInResults, files = null, tools = OWN_NAMES, wire = null, origins = new WeakMap() }: PromptOptions = {
    filesInResults: true,
  },
): LanguageModelV4Prompt {
  const instructions = [system ?? '', ...messages.map(message => (message.role === 'system' ? message.content : ''))]
    .filter(hasText)
    .join('\n\n')
  const draft: Draft = {
    messages: hasText(instructions) ? [{ role: 'system', content: instructions }] : [],
    place: 0,
    side: longestSide(messages, files),
    filesInResults,
    files,
    tools,
    wire,
    origins,
    shown: [],
  }
  for (const [place, message] of messages.entries()) {
    draft.place = place
    add(message, draft)
  }
  addFiles(draft)
  return draft.messages
}

function add(message: Message, draft: Draft): void {
  if (message.role === 'tool') addResult(message, draft)
  else addFiles(draft)
  if (message.role === 'user') {
    const content = userParts(message.content, draft)
    if (content.length > 0) draft.messages.push({ role: 'user', content })
  }
  if (message.role === 'assistant') {
    const content = assistantParts(message, draft).map(part => from(draft, part))
    if (content.length > 0) draft.messages.push({ role: 'assistant', content })
  }
}

function addResult(message: ToolMessage, draft: Draft): void {
  const last = draft.messages.at(-1)
  const part = from(draft, result(message, draft))
  if (last?.role === 'tool') last.content.push(part)
  else draft.messages.push({ role: 'tool', content: [part] })
}

/** Adds the files after all results of their step: nothing may separate two of those (P5). */
function addFiles(draft: Draft): void {
  if (draft.shown.length > 0) draft.messages.push({ role: 'user', content: draft.shown })
  draft.shown = []
}

/** Remembers where a part of the prompt comes from. */
function from<T extends object>({ origins, place: message }: Draft, made: T, part?: number): T {
  origins.set(made, { message, ...(part !== undefined && { part }) })
  return made
}

function userParts(content: Content, draft: Draft): UserPart[] {
  const parts: readonly ContentPart[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  return parts.flatMap((part, index): UserPart[] => {
    const made: UserPart[] = part.type === 'text' ? text(part.text) : [shown(part, draft)]
    return made.map(each => from(draft, each, index))
  })
}

function shown(part: ImagePart | FilePart, { files, side }: Draft): UserPart {
  const { sent } = fitPart(part, files, side)
  return sent.type === 'text' ? sent : file(sent)
}

function file(part: ImagePart | FilePart): LanguageModelV4FilePart {
  const { media_type: mediaType, name, data, url } = part
  return {
    type: 'file',
    mediaType,
    data: data === undefined ? { type: 'url', url: new URL(url), originalUrl: url } : { type: 'data', data },
    ...(name !== undefined && { filename: name }),
  }
}

type AssistantPart = Exclude<
  Extract<LanguageModelV4Message, { role: 'assistant' }>['content'][number],
  { readonly type: 'custom' | 'reasoning-file' }
>

/** In the order of the answer. Thoughts alone are no answer that a provider takes back. */
function assistantParts({ content, tool_calls }: AssistantMessage, draft: Draft): AssistantPart[] {
  if (typeof content === 'string') return [...text(content), ...tool_calls.map(call => toolCall(call, draft))]
  const calls = new Map(tool_calls.map(call => [call.id, call]))
  const parts = content.flatMap(part => assistantPart(part, { calls, content, draft }))
  return parts.some(({ type }) => type !== 'reasoning') ? parts : []
}

interface Answered {
  readonly content: readonly AnswerPart[]
  readonly calls: ReadonlyMap<string, MessageCall>
  readonly draft: Draft
}

function assistantPart(part: AnswerPart, { content, calls, draft }: Answered): AssistantPart[] {
  if (part.type === 'text') {
    const metadata = withoutVainCitations(part.metadata ?? null, content, draft.wire)
    return text(part.text).map(said => ({ ...said, ...wantedBack(metadata) }))
  }
  if (part.type === 'reasoning') return [{ type: 'reasoning', text: part.text, ...wantedBack(part.metadata) }]
  if (part.type !== 'tool_call') return sentBack(part, draft.wire)
  const call = calls.get(part.id)
  return call ? [toolCall(call, draft)] : []
}

function text(written: string): LanguageModelV4TextPart[] {
  return hasText(written) ? [{ type: 'text', text: written }] : []
}

function wantedBack(metadata: Json): { providerOptions?: SharedV4ProviderOptions } {
  return isJsonObject(metadata) ? { providerOptions: metadata as SharedV4ProviderOptions } : {}
}

function toolCall(call: MessageCall, { tools }: Draft): LanguageModelV4ToolCallPart {
  return {
    type: 'tool-call',
    toolCallId: tools.wireCallId(call.id),
    toolName: tools.wireName(call.name),
    // Providers take objects only. The call's result names the fault of a broken text.
    input: typeof call.arguments === 'string' ? {} : tools.wireArguments(call.name, call.arguments),
    ...wantedBack(call.metadata),
  }
}

function result(message: ToolMessage, draft: Draft): LanguageModelV4ToolResultPart {
  const { tool_call_id, tool_name } = message
  const toolName = draft.tools.wireName(tool_name)
  const toolCallId = draft.tools.wireCallId(tool_call_id)
  return { type: 'tool-result', toolCallId, toolName, output: output(message, draft) }
}

function output({ content, parts, tool_name, is_error }: ToolMessage, draft: Draft): LanguageModelV4ToolResultOutput {
  const written = typeof content === 'string' ? content : JSON.stringify(content)
  if (is_error) return { type: 'error-text', value: written }
  if (parts && draft.filesInResults) return { type: 'content', value: userParts(parts, draft) }
  const files = (parts ?? []).flatMap((part, index) =>
    part.type === 'text' ? [] : [from(draft, shown(part, draft), index)],
  )
  if (files.length > 0) draft.shown.push({ type: 'text', text: `From ${tool_name}:` }, ...files)
  if (typeof content === 'string') return { type: 'text', value: written }
  return { type: 'json', value: content as JSONValue }
}

/** White space alone is no text: Anthropic refuses it. */
function hasText(text: string): boolean {
  return text.trim() !== ''
}
