import { imageFacts } from '../../core/message/image-facts.ts'

/** Sources: the errors that Anthropic's API gives, as public reports quote them, and its page "Vision". */
const MOST_ENCODED = 5 * 1024 * 1024
const MOST_PIXELS = 8_000
/** Of Anthropic alone: the page "Vision", about requests with more than 20 images. */
export const ANTHROPIC_MANY_IMAGES: ManyImages = { over: 20, side: 2_000 }

export const ANTHROPIC_MOST_MEDIA = 100
export const ANTHROPIC_MOST_BYTES = 32 * 1024 * 1024

interface ManyImages {
  readonly over: number
  readonly side: number
}

/** The faults of the images of a request, in the words of the provider. */
export function imageFaults(body: unknown): string[] {
  return imagesIn(body).flatMap(image => faultOf(image) ?? [])
}

/** The faults of images that are too many for their size. */
export function manyImageFaults(body: unknown, { over, side }: ManyImages): string[] {
  const images = imagesIn(body)
  if (images.length <= over) return []
  const isTooWide = images.some(({ data }) => longestSideOf(data) > side)
  return isTooWide
    ? [`At least one of the image dimensions exceed max allowed size for many-image requests: ${side} pixels`]
    : []
}

/** "too many images and documents: 104 + 1 > 100", in public reports. */
export function mediaFaults(body: unknown, most: number): string[] {
  const { length } = imagesIn(body)
  return length > most ? [`too many images and documents: ${length} + 0 > ${most}`] : []
}

/** The size from which a request is refused with status 413, whatever is in it. */
export function sizeFaults(body: unknown, most: number): string[] {
  const size = Buffer.byteLength(JSON.stringify(body))
  return size > most ? [`request_too_large: Request exceeds the maximum size: ${size} bytes > ${most} bytes`] : []
}

function longestSideOf(data: string): number {
  const facts = imageFacts(Buffer.from(data, 'base64'))
  return facts === null ? 0 : Math.max(facts.width, facts.height)
}

interface SentImage {
  readonly media_type: string
  readonly data: string
}

function faultOf({ media_type, data }: SentImage): string | null {
  if (data.length > MOST_ENCODED) return `image exceeds 5 MB maximum: ${data.length} bytes > ${MOST_ENCODED} bytes`
  const facts = imageFacts(Buffer.from(data, 'base64'))
  if (facts === null) return 'Could not process image'
  if (facts.media_type !== media_type)
    return `Image does not match the provided media type ${media_type}: it appears to be ${facts.media_type}`
  const isTooWide = Math.max(facts.width, facts.height) > MOST_PIXELS
  return isTooWide ? `At least one of the image dimensions exceed max allowed size: ${MOST_PIXELS} pixels` : null
}

/** As Anthropic writes them, with a source; as OpenAI does, as an address; and as Google does, as `inlineData`. */
function imagesIn(value: unknown): SentImage[] {
  if (typeof value === 'string') {
    const [, media_type = '', data] = /^data:(image\/[^;,]+);base64,(.*)$/s.exec(value) ?? []
    return data === undefined ? [] : [{ media_type, data }]
  }
  if (typeof value !== 'object' || value === null) return []
  const { type, media_type, mimeType, data } = value as Readonly<Record<string, unknown>>
  if (type === 'base64' && typeof data === 'string' && String(media_type).startsWith('image/'))
    return [{ media_type: String(media_type), data }]
  if (typeof data === 'string' && String(mimeType).startsWith('image/')) return [{ media_type: String(mimeType), data }]
  return Object.values(value).flatMap(imagesIn)
}
