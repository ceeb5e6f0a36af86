import type { CallToolResult } from '@modelcontextprotocol/client'
import { ToolError } from '../../core/errors.ts'
import { DEFAULT_MESSAGE_LIMITS as LIMITS } from '../../core/message/limits.ts'
import type { ContentPart } from '../../core/message/part.ts'
import { type ToolParts, toolParts } from '../../core/message/tool-parts.ts'
import { isSameJson, type Json, type JsonObject } from '../../core/text/json.ts'
import { wellFormed } from '../../core/text/kept-text.ts'
import { BoundedOutput } from '../run-command/bounded-output.ts'

/** How much of a result's whole text is kept, in bytes: its start and, at more length, its end. */
const KEPT = { headBytes: 32 * 1024, tailBytes: 64 * 1024 }
const KEPT_BYTES = KEPT.headBytes + KEPT.tailBytes
/** How much of an error's text is kept. */
const ERROR = { headBytes: 2 * 1024, tailBytes: 6 * 1024 }

type Block = CallToolResult['content'][number]

/**
 * The part of a result that a model can use: its structured content, its text unless that says the same, its images and its
 * sound. Whatever else there is becomes a description. The size is bounded.
 * @throws ToolError MCP_TOOL_ERROR if the server calls it an error.
 */
export function toolResult(given: CallToolResult, withoutSecrets: (text: string) => string): Json | ToolParts {
  // Before anything is written as JSON within a text, where half a character would be an escape.
  const result = wellFormed(given)
  const { structuredContent } = result
  const content = (result.content ?? []).filter(block => !isRepeated(block, structuredContent as Json | undefined))
  if (result.isError) throw new ToolError('MCP_TOOL_ERROR', withoutSecrets(cut(errorText(result), ERROR)))
  if (canBeShown(content)) return withMedia(content, structuredContent as Json | undefined)
  if (structuredContent === undefined)
    return content.every(({ type }) => type === 'text') ? plainText(content) : mixed(content)
  const structured = bounded(structuredContent as Json)
  if (content.length === 0) return structured
  const limits = shareOf(content)
  const blocks = content.map(block => (block.type === 'text' ? cut(block.text, limits) : described(block)))
  return bounded({ structured_content: structured, content: blocks })
}

/** Servers are to say the same in a text, for clients that read no structured content. */
function isRepeated(block: Block, structured: Json | undefined): boolean {
  if (structured === undefined || block.type !== 'text') return false
  try {
    return block.text.trim() === '' || isSameJson(JSON.parse(block.text), structured)
  } catch {
    return false
  }
}

/** True if there are images that models of all providers read, or sound, which a line replaces for models that hear none. */
function canBeShown(content: readonly Block[]): boolean {
  if (content.length >= LIMITS.parts || !content.some(isReadable)) return false
  const sizes = content.filter(isReadable).map(({ data }) => Buffer.byteLength(data, 'base64'))
  return sizes.every(size => size <= LIMITS.partBytes) && sizes.reduce((sum, size) => sum + size, 0) <= MOST_MEDIA_BYTES
}

/** The remaining bytes are for the text, which is bounded too. */
const MOST_MEDIA_BYTES = LIMITS.totalBytes - 2 * KEPT_BYTES
const READABLE = { image: /^image\/(?:png|jpeg|gif|webp)$/, audio: /^audio\/[\w.+-]+$/ }
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

type MediaBlock = Extract<Block, { type: 'image' | 'audio' }>

function isReadable(block: Block): block is MediaBlock {
  return isMedia(block) && READABLE[block.type].test(block.mimeType) && isBase64(block.data)
}

function isMedia(block: Block): block is MediaBlock {
  return block.type === 'image' || block.type === 'audio'
}

function isBase64(data: string): boolean {
  return data.length % 4 === 0 && BASE64.test(data)
}

/** Structured content precedes the other parts. */
function withMedia(content: readonly Block[], structured: Json | undefined): ToolParts {
  const limits = shareOf(content)
  const parts = content.map((block): ContentPart => {
    if (isReadable(block))
      return { type: block.type === 'image' ? 'image' : 'file', media_type: block.mimeType, data: block.data }
    if (block.type === 'text') return { type: 'text', text: cut(block.text, limits) }
    return { type: 'text', text: JSON.stringify(described(block)) }
  })
  if (structured === undefined) return toolParts(parts)
  return toolParts([{ type: 'text', text: JSON.stringify(bounded(structured)) }, ...parts])
}

function errorText({ content = [], structuredContent }: CallToolResult): string {
  const text = content.flatMap(block => (block.type === 'text' ? [block.text] : [])).join('\n')
  if (text.trim() !== '') return text
  return structuredContent === undefined ? 'the tool failed, and said nothing more.' : JSON.stringify(structuredContent)
}

function plainText(content: readonly Block[]): Json {
  if (content.length === 0) return null
  return cut(content.map(block => (block.type === 'text' ? block.text : '')).join('\n'), KEPT)
}

function mixed(content: readonly Block[]): Json {
  const limits = shareOf(content)
  return bounded({
    content: content.map(block => (block.type === 'text' ? cut(block.text, limits) : described(block))),
  })
}

/** The share of the room that each block has. */
function shareOf({ length }: readonly Block[]): typeof KEPT {
  return { headBytes: Math.ceil(KEPT.headBytes / length), tailBytes: Math.ceil(KEPT.tailBytes / length) }
}

/** A description of a part that the model is not shown. */
function described(block: Block): JsonObject {
  const describe = DESCRIPTIONS[block.type] as (block: Block) => JsonObject
  return { type: block.type, ...describe(block) }
}

type Description<T extends Block['type']> = (block: Extract<Block, { type: T }>) => JsonObject

const DESCRIPTIONS: { readonly [T in Block['type']]: Description<T> } = {
  text: ({ text }) => ({ text }),
  image: ({ data, mimeType }) => leftOut(data, mimeType),
  audio: ({ data, mimeType }) => leftOut(data, mimeType),
  resource_link: ({ uri, name, mimeType }) => ({ uri, name, mime_type: mimeType ?? null }),
  resource: ({ resource }) => ({
    uri: resource.uri,
    ...('text' in resource ? { text: cut(resource.text, ERROR) } : leftOut(resource.blob, resource.mimeType)),
  }),
}

function leftOut(base64: string, mimeType: string | undefined): JsonObject {
  return { mime_type: mimeType ?? null, bytes: Buffer.byteLength(base64, 'base64'), left_out: true }
}

/** JSON cannot be cut and stay JSON: of more than there is room for, its text is kept. Written as JSON, text is longer. */
function bounded(value: Json): Json {
  const text = JSON.stringify(value)
  const bytes = Buffer.byteLength(text)
  return bytes <= 2 * KEPT_BYTES ? value : { too_long: true, bytes, json: cut(text, KEPT) }
}

function cut(text: string, limits: { readonly headBytes: number; readonly tailBytes: number }): string {
  const output = new BoundedOutput(limits)
  output.write(Buffer.from(text))
  return output.text()
}
