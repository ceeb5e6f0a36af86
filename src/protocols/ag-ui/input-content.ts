import type { Content, ContentPart, FileSource } from '../../core/message/part.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/text/json.ts'
import type { InputContent, InputSource } from './ag-ui-event.ts'

/** The content of a posted message, for the face to check: what it cannot be is refused there. */
export function contentIn(content: Json): Content {
  return Array.isArray(content) ? content.map(partIn) : (content as string)
}

const FAMILY: Readonly<Record<string, string>> = {
  image: 'image/*',
  audio: 'audio/*',
  video: 'video/*',
  document: 'application/pdf',
}

function partIn(part: Json): ContentPart {
  if (!isJsonObject(part)) return part as unknown as ContentPart
  const { type, source, mimeType, data, url, filename } = part
  // Clients before 1.0 send files like this, too.
  if (type === 'binary') return filePart({ mimeType, data, url, filename }, String(mimeType))
  if (typeof type !== 'string' || !isJsonObject(source) || !Object.hasOwn(FAMILY, type))
    return part as unknown as ContentPart
  const { value, mimeType: own = FAMILY[type] } = source
  return filePart({ mimeType: own, [source['type'] === 'url' ? 'url' : 'data']: value }, String(own))
}

function filePart({ data, url, filename }: Partial<JsonObject>, mediaType: string): ContentPart {
  return {
    type: mediaType.startsWith('image/') ? 'image' : 'file',
    media_type: mediaType,
    ...(data === undefined ? { url } : { data }),
    ...(typeof filename === 'string' && { name: filename }),
  } as ContentPart
}

/** A content of ours as clients show it. */
export function contentOut(content: Content): string | readonly InputContent[] {
  return typeof content === 'string' ? content : content.map(partOut)
}

function partOut(part: ContentPart): InputContent {
  if (part.type === 'text') return { type: 'text', text: part.text }
  return { type: kindOf(part), source: sourceOf(part, part.media_type) }
}

function kindOf({ media_type }: { readonly media_type: string }): 'image' | 'audio' | 'video' | 'document' {
  const [family] = media_type.split('/')
  return family === 'image' || family === 'audio' || family === 'video' ? family : 'document'
}

function sourceOf({ data, url }: FileSource, mimeType: string): InputSource {
  return data === undefined ? { type: 'url', value: url, mimeType } : { type: 'data', value: data, mimeType }
}
