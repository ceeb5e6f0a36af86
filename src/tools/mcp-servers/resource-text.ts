/** What a model reads of one block of a result: a text, or a part that is an image, sound or a document. */
import type { CallToolResult } from '@modelcontextprotocol/client'
import type { ContentPart } from '../../core/message/part.ts'

type Block = CallToolResult['content'][number]
type MediaPart = Exclude<ContentPart, { type: 'text' }> & { readonly data: string }

/** The types that models of all providers read as images, and those that are kept as files. */
const IMAGE = /^image\/(?:png|jpeg|gif|webp)$/i
const SOUND = /^audio\/[\w.+-]+$/i
const DOCUMENT = /^application\/pdf$/i
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

/** `null` for what is no image, sound or document, or cannot be read as one. */
export function mediaOf(block: Block): MediaPart | null {
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
export function textOf(block: Block): string | null {
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
