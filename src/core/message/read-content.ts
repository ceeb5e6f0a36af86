/** Checks messages from people, programs and tools before anything of them is kept. */

import type { RefusedError } from '../errors.ts'
import { runRefusals } from '../refusals/run-refusals.ts'
import type { MessageLimits } from './limits.ts'
import type { Content, ContentPart, FilePart, ImagePart, TextPart } from './part.ts'
import { base64Bytes, sizeText } from './part-words.ts'

interface Place {
  /** The place for people: `parts[1]`. */
  readonly at: string
  readonly limits: MessageLimits
}

/**
 * A text, or a list of parts; texts alone become one text. @throws RefusedError `empty_message`, `invalid_message` or
 * `message_too_large`, each with the place.
 */
export function readContent(value: unknown, limits: MessageLimits, root = 'parts'): Content {
  if (typeof value === 'string') return readText(value, { at: 'text', limits })
  if (!Array.isArray(value)) throw runRefusals.emptyMessage()
  return simplest(readParts(value, limits, root))
}

export interface GivenMessage {
  readonly text?: unknown
  readonly parts?: unknown
}

/** A message that is given as a text, as parts, or as both: then the text is first. @throws as `readContent` */
export function readMessage({ text, parts }: GivenMessage, limits: MessageLimits): Content {
  if (parts === undefined) return typeof text === 'string' ? readContent(text, limits) : readContent([], limits)
  if (!Array.isArray(parts)) throw invalid({ at: 'parts', limits }, 'must be a list')
  const given = readParts(parts, limits)
  return text === undefined || text === '' ? simplest(given) : readContent([{ type: 'text', text }, ...given], limits)
}

/** Reads like `readContent`, but only a list of parts. @throws as `readContent` */
export function readParts(value: readonly unknown[], limits: MessageLimits, root = 'parts'): readonly ContentPart[] {
  if (value.length > limits.parts) throw tooLarge(`${root} has ${value.length} parts, and the limit is ${limits.parts}`)
  const parts = value.map((part, index) => readPart(part, { at: `${root}[${index}]`, limits }))
  const written = parts.filter(part => part.type !== 'text' || part.text.trim() !== '')
  if (written.length === 0) throw runRefusals.emptyMessage()
  const total = written.reduce((sum, part) => sum + bytesOf(part), 0)
  if (total > limits.totalBytes)
    throw tooLarge(`${root} has ${sizeText(total)} together, and the limit is ${sizeText(limits.totalBytes)}`)
  return written
}

/** A lone text is written as a string, as before there were parts. */
function simplest(parts: readonly ContentPart[]): Content {
  const [only, ...others] = parts
  return only?.type === 'text' && others.length === 0 ? only.text : parts
}

function readText(text: string, { at, limits }: Place): string {
  if (text.trim() === '') throw runRefusals.emptyMessage()
  refuseLarger(utf8Bytes(text, limits.partBytes), { at, limits })
  return text
}

type Fields = Readonly<Record<string, unknown>>

const KEYS: Record<ContentPart['type'], readonly string[]> = {
  text: ['type', 'text'],
  image: ['type', 'media_type', 'name', 'data', 'url'],
  file: ['type', 'media_type', 'name', 'data', 'url'],
}

/** Reads one part of several. @throws as `readContent` */
export function readPart(value: unknown, place: Place): ContentPart {
  if (!isFields(value)) throw invalid(place, 'must be an object with a type')
  const { type } = value
  if (!isType(type)) throw invalid(place, `has the type ${shown(type)}; possible are ${Object.keys(KEYS).join(', ')}`)
  const unknown = Object.keys(value).find(key => value[key] !== undefined && !KEYS[type].includes(key))
  if (unknown !== undefined)
    throw invalid(place, `has an unknown key ${shown(unknown)}; ${type} takes ${KEYS[type].join(', ')}`)
  return type === 'text' ? readTextPart(value, place) : readFilePart(type, value, place)
}

function readTextPart({ text }: Fields, place: Place): TextPart {
  if (typeof text !== 'string') throw invalid(place, 'needs text, a string')
  refuseLarger(utf8Bytes(text, place.limits.partBytes), place)
  return { type: 'text', text }
}

function readFilePart(type: 'image' | 'file', written: Fields, place: Place): ImagePart | FilePart {
  const { data, url, name, media_type } = withoutDataUrl(written)
  if ((data === undefined) === (url === undefined)) throw invalid(place, 'needs data (base64) or url, one of them')
  if (data !== undefined)
    return {
      type,
      media_type: readMediaType(type, media_type, { place, isLinked: false }),
      ...readName(name, place),
      data: readBase64(data, place),
    }
  return {
    type,
    media_type: readMediaType(type, media_type ?? (type === 'image' ? 'image/*' : undefined), {
      place,
      isLinked: true,
    }),
    ...readName(name, place),
    url: readAddress(url, place),
  }
}

const DATA_URL = /^data:([^;,]+);base64,/i

/** The bytes in a data: URL count like those of `data`, so they are kept as such. */
function withoutDataUrl({ url, ...written }: Fields): Fields {
  const match = typeof url === 'string' && written['data'] === undefined ? DATA_URL.exec(url) : null
  if (!match) return { ...written, url }
  return { ...written, media_type: written['media_type'] ?? match[1], data: String(url).slice(match[0].length) }
}

const MEDIA_TYPE = /^[a-z]+\/(?:\*|[a-z0-9][\w.+-]{0,126})$/i

function readMediaType(
  type: 'image' | 'file',
  media_type: unknown,
  { place, isLinked }: { readonly place: Place; readonly isLinked: boolean },
): string {
  if (typeof media_type !== 'string' || !MEDIA_TYPE.test(media_type))
    throw invalid(place, `needs a media_type like ${type === 'image' ? 'image/png' : 'application/pdf'}`)
  if (type === 'image' && !/^image\//i.test(media_type))
    throw invalid(place, `is an image of media_type ${shown(media_type)}; send it as a file`)
  if (media_type.endsWith('*') && !isLinked) throw invalid(place, `needs its exact media_type, not ${media_type}`)
  return media_type.toLowerCase()
}

const LONGEST_NAME = 255

function readName(name: unknown, place: Place): { readonly name?: string } {
  if (name === undefined) return {}
  if (isName(name)) return { name }
  throw invalid(place, `has a name that is no text of 1 to ${LONGEST_NAME} characters on one line`)
}

function isName(name: unknown): name is string {
  return typeof name === 'string' && name.trim() !== '' && name.length <= LONGEST_NAME && !/\p{Cc}/u.test(name)
}

function readAddress(url: unknown, place: Place): string {
  if (typeof url === 'string' && /^https?:\/\/[^\s/]/i.test(url) && url.length <= 8_192 && !/\s/.test(url)) return url
  throw invalid(place, 'has a url that is no http or https address, and no data: URL in base64')
}

function readBase64(data: unknown, place: Place): string {
  if (typeof data !== 'string' || data === '') throw invalid(place, 'has data that is no base64 text')
  refuseLarger(base64Bytes(data), place)
  if (data.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(data))
    throw invalid(place, 'has data that is no base64: A-Z, a-z, 0-9, + and /, padded with =')
  return data
}

export function bytesOf(part: ContentPart): number {
  if (part.type === 'text') return utf8Bytes(part.text, 0)
  return part.data === undefined ? part.url.length : base64Bytes(part.data)
}

/** Exact only if `limit` could be exceeded: counting a long text takes time. */
function utf8Bytes(text: string, limit: number): number {
  if (text.length * 3 <= limit) return text.length
  let bytes = text.length
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (code > 0x7f) bytes += 1
    // Each half of a surrogate pair counts for two of its four bytes.
    if (code > 0x7ff && (code < 0xd800 || code > 0xdfff)) bytes += 1
  }
  return bytes
}

function refuseLarger(bytes: number, { at, limits }: Place): void {
  if (bytes > limits.partBytes)
    throw tooLarge(`${at} has ${sizeText(bytes)}, and the limit is ${sizeText(limits.partBytes)}`)
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isType(type: unknown): type is ContentPart['type'] {
  return typeof type === 'string' && Object.hasOwn(KEYS, type)
}

function shown(value: unknown): string {
  return JSON.stringify(value) ?? String(value)
}

function invalid({ at }: Place, problem: string): RefusedError {
  return runRefusals.invalidPart(at, problem, `${at} ${problem}`)
}

function tooLarge(problem: string): RefusedError {
  return runRefusals.tooLarge(problem)
}
