import type { Json } from '../text/json.ts'
import type { AnswerPart } from './part.ts'

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

type Fields = Readonly<Record<string, unknown>>

const READERS: { readonly [K in AnswerPart['type']]: (fields: Fields) => AnswerPart | null } = {
  text: ({ text, metadata }) =>
    typeof text === 'string' ? { type: 'text', text, ...(metadata != null && { metadata: plain(metadata) }) } : null,
  reasoning: ({ text, metadata = null }) =>
    typeof text === 'string' ? { type: 'reasoning', text, metadata: plain(metadata) } : null,
  tool_call: ({ id }) => (typeof id === 'string' ? { type: 'tool_call', id } : null),
}

function readPart(value: unknown): AnswerPart | null {
  if (typeof value !== 'object' || value === null) return null
  const fields = value as Fields
  const type = String(fields['type'])
  return Object.hasOwn(READERS, type) ? READERS[type as AnswerPart['type']](fields) : null
}

function plain(metadata: unknown): Json {
  return JSON.parse(JSON.stringify(metadata) ?? 'null')
}
