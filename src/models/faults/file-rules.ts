import type { LanguageModelV4FilePart, LanguageModelV4ToolResultOutput } from '@ai-sdk/provider'
import type { ImageFacts } from '../../core/message/image-facts.ts'
import { base64Bytes, sizeText } from '../../core/message/part-words.ts'
import { factsIn, IMAGE_LIMITS } from '../translate/fit-image.ts'
import { allParts, type Found, mapParts, type PartAt, type RequestRule, type Sent, type SentPart } from './fault.ts'

const LEFT_OUT = { about: 'image', repair: withNotes, told: 'is left out of what it is sent' } as const

export const FILE_RULES = {
  image_unreadable: {
    ...LEFT_OUT,
    source: 'Anthropic: "Could not process image"; OpenAI: "You uploaded an unsupported image"',
    faults: sent => imagesOf(sent, ({ facts }) => (facts === null ? 'it is no image that can be read' : null)),
  },
  image_type: {
    source: 'Anthropic: "Image does not match the provided media type image/png"',
    about: 'image',
    faults: sent =>
      imagesOf(sent, ({ facts, file }) =>
        facts !== null && facts.media_type !== file.mediaType ? 'it is of another type' : null,
      ),
    repair: (sent, found) =>
      mapFiles(sent, found, file => ({ ...file, mediaType: factsOf(file)?.media_type ?? file.mediaType })),
    told: null,
  },
  image_bytes: {
    ...LEFT_OUT,
    source: 'Anthropic: "image exceeds 5 MB maximum"',
    faults: sent =>
      imagesOf(sent, ({ file }) =>
        dataOf(file).length > IMAGE_LIMITS.encodedBytes
          ? `it has ${sizeText(base64Bytes(dataOf(file)))}, and models take ${sizeText(IMAGE_LIMITS.encodedBytes * 0.75)}`
          : null,
      ),
  },
  image_pixels: {
    ...LEFT_OUT,
    source: 'Anthropic: "image dimensions exceed max allowed size: 8000 pixels"',
    faults: sent => imagesOf(sent, ({ facts }) => widerThan(facts, IMAGE_LIMITS.side)),
  },
  many_images: {
    ...LEFT_OUT,
    source: 'github.com/anthropics/claude-code/issues/24630: "max allowed size for many-image requests: 2000 pixels"',
    faults: (sent, { files }) => {
      const { over, side } = files?.manyImages ?? NO_LIMIT
      const isMany = filesIn(sent).filter(({ file }) => isImage(file)).length > over
      return isMany ? imagesOf(sent, ({ facts }) => widerThan(facts, side)) : []
    },
  },
  too_many_files: {
    ...LEFT_OUT,
    source: 'github.com/anthropics/claude-code/issues/23392: "too many images and documents: 104 + 1 > 100"',
    faults: (sent, { mostFiles }) => {
      const files = filesIn(sent)
      const why = `it takes ${mostFiles} images and files in one request`
      return mostFiles === null ? [] : files.slice(0, Math.max(0, files.length - mostFiles)).map(at => foundAt(at, why))
    },
  },
  too_many_bytes: {
    ...LEFT_OUT,
    about: 'overflow',
    source: 'Anthropic: `request_too_large` beyond 32 MB; OpenAI and Google: the pages about images and files',
    faults: (sent, { mostBytes }) => (mostBytes === null ? [] : excessFiles(sent, mostBytes)),
    repair: (sent, found) => (found.some(({ message }) => message === undefined) ? null : withNotes(sent, found)),
  },
} as const satisfies Readonly<Record<string, RequestRule>>

const NO_LIMIT = { over: Number.POSITIVE_INFINITY, side: IMAGE_LIMITS.side }

type ResultItem = Extract<LanguageModelV4ToolResultOutput, { type: 'content' }>['value'][number]
type SentFile = Pick<LanguageModelV4FilePart, 'type' | 'mediaType' | 'data' | 'filename'>

interface FileAt {
  readonly message: number
  readonly part: number
  readonly inner?: number
  readonly file: SentFile
}

/** Files in messages and in the results of tools, the oldest first. */
function filesIn(sent: Sent): readonly FileAt[] {
  return allParts(sent).flatMap(({ value, message, part }): readonly FileAt[] => {
    if (value.type === 'file') return [{ message, part, file: value }]
    return itemsOf(value).flatMap((item, inner) => (item.type === 'file' ? { message, part, inner, file: item } : []))
  })
}

function itemsOf(value: SentPart): readonly ResultItem[] {
  return value.type === 'tool-result' && value.output.type === 'content' ? value.output.value : []
}

function dataOf({ data }: SentFile): string {
  return data.type === 'data' && typeof data.data === 'string' ? data.data : ''
}

/** An image whose bytes are sent. A drawing in SVG is a text. */
function isImage(file: SentFile): boolean {
  return /^image\/(?!svg)/i.test(file.mediaType) && dataOf(file) !== ''
}

function factsOf(file: SentFile): ImageFacts | null {
  return factsIn(dataOf(file))
}

interface Judged {
  readonly file: SentFile
  readonly facts: ImageFacts | null
}

function imagesOf(sent: Sent, judge: (image: Judged) => string | null): readonly Found[] {
  return filesIn(sent).flatMap(at => {
    const why = isImage(at.file) ? judge({ file: at.file, facts: factsOf(at.file) }) : null
    return why === null ? [] : foundAt(at, why)
  })
}

function foundAt({ message, part, inner }: FileAt, why: string): Found {
  return { message, part, ...(inner !== undefined && { inner }), why }
}

function widerThan(facts: ImageFacts | null, side: number): string | null {
  if (facts === null || Math.max(facts.width, facts.height) <= side) return null
  return `its ${facts.width} by ${facts.height} pixels are more than ${side} a side`
}

/** The oldest files, as many as it takes; or one fault without a place, if the texts alone are too much. */
function excessFiles(sent: Sent, most: number): readonly Found[] {
  const files = filesIn(sent)
  const size = files.reduce((sum, { file }) => sum + dataOf(file).length, 0)
  const texts = textBytes(sent)
  const why = `the request has ${sizeText(size + texts)}, and it takes ${sizeText(most)}`
  let excess = size + texts - most
  if (excess <= 0) return []
  if (texts > most) return [{ why }]
  return files.flatMap(at => {
    const isNeeded = excess > 0 && dataOf(at.file) !== ''
    if (isNeeded) excess -= dataOf(at.file).length
    return isNeeded ? foundAt(at, why) : []
  })
}

/** The bytes of everything but the data of files, as JSON. */
function textBytes({ prompt, tools }: Sent): number {
  const written = JSON.stringify({ prompt, tools }, (key, value) =>
    key === 'data' && typeof value === 'string' && value.length > LONG ? '' : value,
  )
  return Buffer.byteLength(written)
}

const LONG = 1_000

function mapFiles(sent: Sent, found: readonly Found[], change: (file: SentFile, why: string) => object): Sent {
  const foundIn = ({ message, part }: PartAt, inner?: number) =>
    found.find(each => each.message === message && each.part === part && each.inner === inner)
  return mapParts(sent, at => {
    const { value } = at
    const own = foundIn(at)
    if (value.type === 'file' && own) return [change(value, own.why) as SentPart]
    const items = itemsOf(value).map((item, inner) => {
      const fault = foundIn(at, inner)
      return item.type === 'file' && fault ? (change(item, fault.why) as ResultItem) : item
    })
    if (value.type !== 'tool-result' || items.every((item, inner) => item === itemsOf(value)[inner])) return [value]
    return [{ ...value, output: { type: 'content', value: items } }]
  })
}

function withNotes(sent: Sent, found: readonly Found[]): Sent {
  return mapFiles(sent, found, ({ mediaType, filename }, why) => ({
    type: 'text',
    text: `[${[filename, mediaType].filter(Boolean).join(', ')}: left out of what you see, because ${why}]`,
  }))
}
