import { keptJson } from '../plain/kept-json.ts'
import { isJsonObject, type Json } from '../text/json.ts'
import type { MessageLimits } from './limits.ts'
import type { AnswerPart, MadePart, ProviderCallPart, SourcePart } from './part.ts'
import { partWords, sizeText } from './part-words.ts'
import { bytesOf, readPart as readGiven } from './read-content.ts'

/** The parts of an answer from code that may not be typed, without foreign fields; `null` if they are none. */
export function readAnswerParts(value: unknown): readonly AnswerPart[] | null {
  if (!Array.isArray(value)) return null
  const parts = value.map(readPart)
  return parts.every(part => part !== null) ? parts : null
}

/** The text of an answer without its thoughts. */
export function saidIn(parts: readonly AnswerPart[]): string {
  return parts.map(part => (part.type === 'text' ? part.text : '')).join('')
}

/** The parts that a message may bring, and a sentence about each that is left out. */
export interface KeptParts {
  readonly parts: readonly AnswerPart[]
  readonly lost: readonly string[]
}

/** How many sources of one answer are kept. */
const MOST_SOURCES = 100

/** P1: an answer brings no more files into a journal than a message of a person may. Results of calls are cut. */
export function keptParts(given: readonly AnswerPart[], limits: MessageLimits): KeptParts {
  const lost: string[] = []
  const room: Room = { bytes: limits.totalBytes, parts: limits.parts }
  const sources = given.filter(({ type }) => type === 'source').slice(0, MOST_SOURCES)
  const parts = given.flatMap((part): AnswerPart[] => {
    if (part.type === 'source') return sources.includes(part) ? [part] : []
    if (part.type === 'provider_call') return [cutCall(part, limits)]
    return part.type === 'image' || part.type === 'file' ? keptFile(part, { room, limits, lost }) : [part]
  })
  return { parts, lost }
}

interface Room {
  bytes: number
  parts: number
}

interface Keeping {
  readonly room: Room
  readonly limits: MessageLimits
  readonly lost: string[]
}

function keptFile(part: MadePart, { room, limits, lost }: Keeping): MadePart[] {
  const fault = faultOf(part, room, limits)
  if (fault === null) return [part]
  lost.push(`a file of the answer is not kept: ${fault}`)
  return []
}

function faultOf(part: MadePart, room: Room, limits: MessageLimits): string | null {
  const { metadata: _, ...plain } = part
  const bytes = bytesOf(plain)
  if (bytes > limits.partBytes) return `${partWords(plain)} is larger than ${sizeText(limits.partBytes)}`
  if (bytes > room.bytes || room.parts < 1)
    return `the answer has more than ${limits.parts} files, or more than ${sizeText(limits.totalBytes)} of them`
  room.bytes -= bytes
  room.parts -= 1
  return null
}

/** A provider takes a result back whole or not at all: a cut one is sent as words. */
function cutCall(part: ProviderCallPart, limits: MessageLimits): ProviderCallPart {
  if (part.result === undefined) return part
  const { value, lost } = keptJson(part.result, { root: 'result', most: limits.partBytes })
  if (lost.length === 0) return part
  const { wire: _, ...call } = part
  return { ...call, result: value }
}

type Fields = Readonly<Record<string, unknown>>

const READERS: { readonly [K in AnswerPart['type']]: (fields: Fields) => AnswerPart | null } = {
  text: ({ text, metadata }) =>
    typeof text === 'string' ? { type: 'text', text, ...(metadata != null && { metadata: plain(metadata) }) } : null,
  reasoning: ({ text, metadata = null }) =>
    typeof text === 'string' ? { type: 'reasoning', text, metadata: plain(metadata) } : null,
  tool_call: ({ id }) => (typeof id === 'string' ? { type: 'tool_call', id } : null),
  source: readSource,
  image: readMade,
  file: readMade,
  provider_call: readProviderCall,
}

function readPart(value: unknown): AnswerPart | null {
  if (typeof value !== 'object' || value === null) return null
  const fields = value as Fields
  const type = String(fields['type'])
  return Object.hasOwn(READERS, type) ? READERS[type as AnswerPart['type']](fields) : null
}

const SOURCE_FIELDS = ['url', 'title', 'media_type', 'name'] as const

function readSource(fields: Fields): SourcePart | null {
  const { id } = fields
  const given = SOURCE_FIELDS.flatMap(field => (typeof fields[field] === 'string' ? [[field, fields[field]]] : []))
  return typeof id === 'string' ? { type: 'source', id, ...Object.fromEntries(given) } : null
}

const ANY_SIZE: MessageLimits = { parts: 1, partBytes: Number.MAX_SAFE_INTEGER, totalBytes: Number.MAX_SAFE_INTEGER }

/** Read as a file of a person, of any size. */
function readMade({ metadata, ...given }: Fields): MadePart | null {
  try {
    const part = readGiven(given, { at: 'a file of the answer', limits: ANY_SIZE })
    if (part.type === 'text') return null
    return { ...part, ...(metadata != null && { metadata: plain(metadata) }) }
  } catch {
    return null
  }
}

function readProviderCall(fields: Fields): ProviderCallPart | null {
  const { id, name, server, arguments: given, result, is_error, wire } = fields
  if (typeof id !== 'string' || typeof name !== 'string') return null
  const args = given === undefined ? null : plain(given)
  return {
    ...{ type: 'provider_call', id, name },
    ...(typeof server === 'string' && { server }),
    arguments: typeof args === 'string' || isJsonObject(args) ? args : null,
    ...(result !== undefined && { result: plain(result) }),
    ...(is_error === true && { is_error }),
    ...(typeof wire === 'string' && { wire }),
    ...readMetadata(fields),
  }
}

function readMetadata({ metadata, result_metadata }: Fields): Pick<ProviderCallPart, 'metadata' | 'result_metadata'> {
  return {
    ...(metadata != null && { metadata: plain(metadata) }),
    ...(result_metadata != null && { result_metadata: plain(result_metadata) }),
  }
}

function plain(value: unknown): Json {
  return JSON.parse(JSON.stringify(value) ?? 'null')
}
