import type { Message } from '../../core/journal/message.ts'
import type { ContentPart, FilePart, ImagePart, TextPart } from '../../core/message/part.ts'
import { partWords } from '../../core/message/part-words.ts'
import type { FileRules } from '../provider-rules/provider-rules.ts'
import { fitImage, imageProblem } from './fit-image.ts'
import { textOfFile } from './text-of-file.ts'

/** A part as a provider reads it. */
export interface FittedPart {
  readonly sent: ImagePart | FilePart | TextPart
  /** Why a note has its place; `null` if the model gets what is in it. */
  readonly why: string | null
}

/**
 * The part itself if the provider takes it, its text if it is one, or else a line in its place. `side` is the longest side
 * of images in this request, in pixels.
 */
export function fitPart(part: ImagePart | FilePart, rules: FileRules | null, side?: number): FittedPart {
  if (isImage(part)) return { sent: fitImage(part, side), why: imageProblem(part, side) }
  if (rules === null || isTaken(part, rules)) return { sent: part, why: null }
  const text = textOfFile(part)
  const named = partWords(part)
  if (text !== null) return { sent: { type: 'text', text: `${named}\n${text}` }, why: null }
  const why = 'this model reads no such file'
  return { sent: { type: 'text', text: `${named.slice(0, -1)}: ${why}]` }, why }
}

/** The longest side of images that go with these messages; `undefined` for the usual one. */
export function longestSide(messages: readonly Message[], rules: FileRules | null): number | undefined {
  return rules?.manyImages && sideAmong(messages.flatMap(partsOf), rules)
}

/** The same, for the parts of a request. */
export function sideAmong(parts: readonly ContentPart[], rules: FileRules | null): number | undefined {
  if (!rules?.manyImages) return undefined
  const images = parts.filter(part => part.type !== 'text' && isImage(part) && !imageProblem(part))
  return images.length > rules.manyImages.over ? rules.manyImages.side : undefined
}

function partsOf(message: Message): readonly ContentPart[] {
  if (message.role === 'tool') return message.parts ?? []
  return message.role === 'user' && typeof message.content !== 'string' ? message.content : []
}

/** A drawing in SVG is a text. */
function isImage({ media_type }: ImagePart | FilePart): boolean {
  return /^image\//i.test(media_type) && !/^image\/svg/i.test(media_type)
}

function isTaken({ media_type, data }: ImagePart | FilePart, { types, addresses }: FileRules): boolean {
  const taken = data === undefined ? addresses : types
  return taken.some(type => (type.endsWith('*') ? media_type.startsWith(type.slice(0, -1)) : media_type === type))
}
