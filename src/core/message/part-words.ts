import type { AnswerPart, Content, ContentPart, FileSource, TextPart } from './part.ts'

/** A content as people and programs read it: text as it is, an image or a file in words, thoughts left out. */
export function contentText(content: Content | readonly AnswerPart[]): string {
  if (typeof content === 'string') return content
  return content.flatMap(part => (isThought(part) ? [] : [partWords(part)])).join('\n')
}

/** True for thoughts, and for the place of a call, which has no words. */
function isThought(part: ContentPart | AnswerPart): part is Exclude<AnswerPart, TextPart> {
  return part.type === 'reasoning' || part.type === 'tool_call'
}

/** `[image image/png, 12 KB]`: never the bytes themselves. */
export function partWords(part: ContentPart): string {
  if (part.type === 'text') return part.text
  const { type, name, media_type } = part
  return `[${type} ${[...(name === undefined ? [] : [name]), media_type, placeOf(part)].join(', ')}]`
}

function placeOf({ data, url }: FileSource): string {
  return data === undefined ? url : sizeText(base64Bytes(data))
}

/** The number of bytes that a base64 text encodes. */
export function base64Bytes(data: string): number {
  const padding = data.endsWith('==') ? 2 : Number(data.endsWith('='))
  return Math.floor((data.length * 3) / 4) - padding
}

const UNITS: readonly (readonly [bytes: number, name: string])[] = [
  [1024 * 1024, 'MB'],
  [1024, 'KB'],
]

/** `700 bytes`, `12 KB`, `1.5 MB`. */
export function sizeText(bytes: number): string {
  const unit = UNITS.find(([size]) => bytes >= size)
  if (!unit) return `${bytes} bytes`
  const [size, name] = unit
  const count = bytes / size
  return `${count < 10 ? Number(count.toFixed(1)) : Math.round(count)} ${name}`
}
