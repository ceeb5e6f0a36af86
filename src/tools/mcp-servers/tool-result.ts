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
 * The part of a result that a model can use: its structured content, its text unless that says the same, the text of
 * resources and a line for each link, its images, its sound and its documents. Whatever else there is becomes a description.
 * The size is bounded.
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
    return content.every(block => textOf(block) !== null) ? plainText(content) : mixed(content)
  const structured = bounded(structuredContent as Json)
  if (content.length === 0) return structured
  const limits = shareOf(content)
  return bounded({ structured_content: structured, content: content.map(block => shown(block, limits)) })
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

/** True if there are images that models of all providers read, or files, which a line replaces for models that read none. */
function canBeShown(content: readonly Block[]): boolean {
  const media = content.flatMap(block => mediaOf(block) ?? [])
  if (content.length >= LIMITS.parts || media.length === 0) return false
  const sizes = media.map(({ data }) => Buffer.byteLength(data, 'base64'))
  return sizes.every(size => size <= LIMITS.partBytes) && sizes.reduce((sum, size) => sum + size, 0) <= MOST_MEDIA_BYTES
}

/** The remaining bytes are for the text, which is bounded too. */
const MOST_MEDIA_BYTES = LIMITS.totalBytes - 2 * KEPT_BYTES

/** Structured content precedes the other parts. */
function withMedia(content: readonly Block[], structured: Json | undefined): ToolParts {
  const limits = shareOf(content)
  const parts = content.map((block): ContentPart => {
    const text = shown(block, limits)
    return mediaOf(block) ?? { type: 'text', text: typeof text === 'string' ? text : JSON.stringify(text) }
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
  return cut(content.map(block => textOf(block) ?? '').join('\n'), KEPT)
}

function mixed(content: readonly Block[]): Json {
  const limits = shareOf(content)
  return bounded({ content: content.map(block => shown(block, limits)) })
}

/** The share of the room that each block has. */
function shareOf({ length }: readonly Block[]): typeof KEPT {
  return { headBytes: Math.ceil(KEPT.headBytes / length), tailBytes: Math.ceil(KEPT.tailBytes / length) }
}

/** The text of a block, or a description of what the model is not shown. */
function shown(block: Block, limits: typeof KEPT): string | JsonObject {
  const text = textOf(block)
  return text === null ? described(block) : cut(text, limits)
}

function described(block: Block): JsonObject {
  const { type } = block
  if (type === 'image' || type === 'audio') return { type, ...leftOut(block.data, block.mimeType) }
  if (type !== 'resource' || !('blob' in block.resource)) return { type }
  const { uri, blob, mimeType } = block.resource
  return { type, uri, ...leftOut(blob, mimeType) }
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

type MediaPart = Exclude<ContentPart, { type: 'text' }> & { readonly data: string }

/** The types that models of all providers read as images, and those that are kept as files. */
const IMAGE = /^image\/(?:png|jpeg|gif|webp)$/i
const SOUND = /^audio\/[\w.+-]+$/i
const DOCUMENT = /^application\/pdf$/i
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

/** `null` for what is no image, sound or document, or cannot be read as one. */
function mediaOf(block: Block): MediaPart | null {
  if (block.type === 'image' && IMAGE.test(block.mimeType)) return media('image', block.mimeType, block.data)
  if (block.type === 'audio' && SOUND.test(block.mimeType)) return media('file', block.mimeType, block.data)
  if (block.type !== 'resource' || !('blob' in block.resource)) return null
  const { blob, mimeType = '', uri } = block.resource
  if (IMAGE.test(mimeType)) return media('image', mimeType, blob, nameIn(uri))
  return SOUND.test(mimeType) || DOCUMENT.test(mimeType) ? media('file', mimeType, blob, nameIn(uri)) : null
}

function media(
  type: MediaPart['type'],
  media_type: string,
  data: string,
  name: string | null = null,
): MediaPart | null {
  if (!isBase64(data)) return null
  return { type, media_type: media_type.toLowerCase(), data, ...(name !== null && { name }) }
}

function isBase64(data: string): boolean {
  return data.length % 4 === 0 && BASE64.test(data)
}

/** The file name in an address; `null` if there is none of usual characters. */
function nameIn(uri: string): string | null {
  return /\/(\w[\w .-]{0,99})$/.exec(uri.replace(/[?#].*$/s, ''))?.[1] ?? null
}

/** `null` for bytes that are no text. */
function textOf(block: Block): string | null {
  if (block.type === 'text') return block.text
  if (block.type === 'resource_link') return linkLine(block)
  if (block.type !== 'resource') return null
  const { resource } = block
  const text = 'text' in resource ? resource.text : textIn(resource)
  return text === null ? null : `${oneLine(`Resource ${resource.uri}${typeIn(resource.mimeType)}`)}:\n${text}`
}

/** A link is one line: its server writes none of those around it. */
function linkLine({ uri, name, title, description, mimeType }: Extract<Block, { type: 'resource_link' }>): string {
  const named = title ?? name
  const about = description === undefined ? '' : `: ${description}`
  return oneLine(`Link to ${uri} (${[named, mimeType].filter(Boolean).join(', ')})${about}`)
}

const LONGEST_LINE = 2_000

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line
}

function typeIn(mimeType: string | undefined): string {
  return mimeType === undefined ? '' : ` (${mimeType})`
}

const TEXTUAL = /^(?:text\/|application\/(?:json|xml|yaml|[\w.-]+\+(?:json|xml))(?:;|$))/i

/** A server may send a text as bytes. */
function textIn({
  blob,
  mimeType = '',
}: {
  readonly blob: string
  readonly mimeType?: string | undefined
}): string | null {
  if (!TEXTUAL.test(mimeType) || !isBase64(blob)) return null
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(blob, 'base64'))
  } catch {
    return null
  }
}
