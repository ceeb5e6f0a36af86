import { type ImageFacts, imageFacts } from '../../core/message/image-facts.ts'
import type { FilePart, ImagePart } from '../../core/message/part.ts'
import { partWords, sizeText } from '../../core/message/part-words.ts'

/**
 * What every provider takes. The limits are those of Anthropic, the narrowest: 5 MB of an image as it is sent, in base64,
 * and 8,000 pixels a side (docs.anthropic.com, "Vision").
 */
export const IMAGE_LIMITS = { encodedBytes: 5 * 1024 * 1024, side: 8_000 }

type Fitted = ImagePart | FilePart

/**
 * The part as providers take it, with the type that its bytes have; or a note in its place. `side` is the longest side in
 * pixels. Addresses are not looked at.
 */
export function fitImage(part: Fitted, side?: number): Fitted | { readonly type: 'text'; readonly text: string } {
  if (part.data === undefined || !/^image\//i.test(part.media_type)) return part
  const facts = factsOf(part, part.data)
  const problem = problemOf(part.data, facts, side)
  if (problem === null && facts) return part.media_type === facts.media_type ? part : { ...part, ...typed(facts) }
  return { type: 'text', text: `${partWords(part).slice(0, -1)}: left out of what you see, because ${problem}]` }
}

/** Why an image is left out, with this longest side; `null` if it is sent. */
export function imageProblem(part: Fitted, side?: number): string | null {
  return part.data === undefined ? null : problemOf(part.data, factsOf(part, part.data), side)
}

function typed({ media_type }: ImageFacts): Pick<Fitted, 'media_type'> {
  return { media_type }
}

function problemOf(data: string, facts: ImageFacts | null, side = IMAGE_LIMITS.side): string | null {
  const { encodedBytes } = IMAGE_LIMITS
  if (facts === null) return 'it is no PNG, JPEG, GIF or WebP that can be read'
  if (data.length > encodedBytes) return `it is larger than the ${sizeText(encodedBytes * 0.75)} that models take`
  const { width, height } = facts
  if (Math.max(width, height) <= side) return null
  const among = side < IMAGE_LIMITS.side ? ' in a request of many images' : ''
  return `its ${width} by ${height} pixels are more than ${side} a side${among}`
}

/** Enough for the header of nearly every image, in base64: a multiple of 4. */
const HEAD = 64 * 1024

/** The parts of a journal stay the same objects, and each is sent with every step. */
const KNOWN = new WeakMap<Fitted, ImageFacts | null>()

function factsOf(part: Fitted, data: string): ImageFacts | null {
  const known = KNOWN.get(part)
  if (known !== undefined) return known
  const facts = factsIn(data)
  KNOWN.set(part, facts)
  return facts
}

/** What an image in base64 is; `null` if it is none. */
export function factsIn(data: string): ImageFacts | null {
  const read = (text: string) => imageFacts(Buffer.from(text, 'base64'))
  return read(data.slice(0, HEAD)) ?? (data.length > HEAD ? read(data) : null)
}
