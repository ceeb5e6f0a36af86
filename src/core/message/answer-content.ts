import type { AnswerPart, CallPlace, TextPart } from './part.ts'
import { besideText } from './part-words.ts'

export interface StoredAnswer {
  readonly text: string
  readonly parts?: readonly AnswerPart[]
  readonly calls: readonly { readonly id: string }[]
}

/**
 * An answer in its order. `parts` of the event holds the order beyond `text` and `calls`; a text or call that is not
 * among them follows at the end, the text first. A call that a plugin removed has no place any more.
 */
export function answerContent({ text, parts, calls }: StoredAnswer): string | readonly AnswerPart[] {
  if (!parts) return text
  const ids = new Set(calls.map(({ id }) => id))
  const kept = parts.filter(part => part.type !== 'tool_call' || ids.has(part.id))
  const placed = new Set(kept.flatMap(part => (part.type === 'tool_call' ? [part.id] : [])))
  const rest = calls.flatMap(({ id }): CallPlace[] => (placed.has(id) ? [] : [{ type: 'tool_call', id }]))
  const written: TextPart[] = text === '' || kept.some(({ type }) => type === 'text') ? [] : [{ type: 'text', text }]
  return [...kept, ...written, ...rest]
}

/**
 * The parts to store in addition to the text and the calls of an answer: none if these are enough, only the thoughts if
 * those were first and no text has metadata.
 */
export function partsBeside(parts: readonly AnswerPart[]): readonly AnswerPart[] | null {
  if (parts.some(part => part.type === 'text' && part.metadata !== undefined)) return parts
  if (besideText(parts).length > 0) return parts
  if (!parts.some(({ type }) => type === 'reasoning')) return null
  return isUsual(parts) ? parts.filter(({ type }) => type === 'reasoning') : parts
}

const RANK: Partial<Record<AnswerPart['type'], number>> = { reasoning: 0, text: 1, tool_call: 2 }

function rank(type: AnswerPart['type']): number {
  return RANK[type] ?? 0
}

/** Thoughts, then one text, then calls. */
function isUsual(parts: readonly AnswerPart[]): boolean {
  const inOrder = parts.every(({ type }, index) => rank(type) >= rank(parts[index - 1]?.type ?? type))
  return inOrder && parts.filter(({ type }) => type === 'text').length <= 1
}

/** True if models take the answer back as one: it has a text, a call, a file, or a call that its provider ran. */
export function saysSomething({ text, parts, calls }: StoredAnswer): boolean {
  return text !== '' || calls.length > 0 || besideText(parts).some(({ type }) => type !== 'source')
}
